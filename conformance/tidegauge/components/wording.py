"""Steps, outputs and failures in words for people who do not know the kit."""

from collections.abc import Sequence

from msgspec import Struct

from tidegauge_spec import Rule

from ..wire.scenario import Scenario, component_of
from ..wire.steps.job import JobScenario
from ..wire.transcript import Failure, Outputs
from ..wire.vocabulary import AnyOutput, Error, LogEvent, Step, Watermark
from .job.wording import job_name, job_text
from .registry import COMPONENTS

UNDER_REVIEW = "rule under review"
"""The title of the rule above a difference that is shown while the run continues."""

_MOST_STEPS, _FIRST_STEPS, _LAST_STEPS = 60, 8, 24
"""Of a longer history the first and the last steps are told."""


def step_text(step: Step) -> str:
    """A step as a call: `watermark(channel=1, timestamp=5)`."""
    return f"{step.__struct_config__.tag}({fields_text(step)})"


def fields_text(struct: Struct) -> str:
    """`name=value` of the fields that are set."""
    values = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return ", ".join(f"{name}={_value(value)}" for name, value in values.items() if value is not None)


def _value(value: object) -> str:
    if isinstance(value, Struct):
        return f"{value.__struct_config__.tag or type(value).__name__}({fields_text(value)})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return str(value)


def output_text(output: AnyOutput) -> str:
    """An output in a word or two, with its receiver unless that is downstream or the caller."""
    if isinstance(output, Watermark):
        text = f"watermark {output.timestamp}"
    elif isinstance(output, Error):
        text = f"error {output.error}"
    elif isinstance(output, LogEvent):
        where = f"{output.source}/{output.subtask}"
        text = f"{output.kind} {where} {output.event_time} at {output.processing_time} ms"
    else:
        fields = [f"{name}={getattr(output, name)}" for name in output.__struct_fields__ if name != "to"]
        text = " ".join([str(output.__struct_config__.tag).upper(), *fields])
    return text if output.to in ("downstream", "caller") else f"{text} to {output.to}"


def outputs_text(outputs: Sequence[AnyOutput]) -> str:
    """Outputs in order, or `nothing`."""
    return ", then ".join(map(output_text, outputs)) or "nothing"


def answer_text(answer: Outputs | Failure) -> str:
    """What an engine answered, also if it was no answer."""
    if isinstance(answer, Failure):
        return f"no answer ({answer.kind}): {answer.text}"
    return outputs_text(answer)


def setup_text(scenario: Scenario) -> str:
    """What is under test: `a valve with channels=3`."""
    return f"{COMPONENTS[component_of(scenario)].title} with {fields_text(scenario.setup) or 'nothing set'}"


def accused_text(rules: Sequence[Rule]) -> list[str]:
    """Return the lines that name the accused rules: one rule with its sentence, or several rules of which at
    least one is broken."""
    if len(rules) == 1:
        return [f"{rules[0].id} ({rules[0].level}) {rules[0].title}", f"  {rules[0].sentence}"]
    accused = [f"  {rule.id} ({rule.level}) {rule.title}" for rule in rules]
    return ["One of these rules is broken:", *accused] if accused else []


def check_text(rules: Sequence[Rule]) -> list[str]:
    """Return the hint where to look in the engine. There is no hint if several rules are accused."""
    return [f"Check {rules[0].check}"] if len(rules) == 1 else []


def job_failure_message(
    rules: Sequence[Rule], scenario: JobScenario, sentence: str, seen: str, replay: str
) -> str:
    """Return the message for a failing job: the accused rules, the job, the sentence of the property as the
    expected result, the observation, and the replay command."""
    lines = accused_text(rules)
    lines.append(f"In {job_name(scenario)}:")
    lines += [f"     {line}" for line in job_text(scenario)]
    lines += [f"  expected: {sentence}", f"  got:      {seen}", *check_text(rules), f"Replay: {replay}"]
    return "\n".join(lines)


def interference_message(
    scenarios: Sequence[Scenario],
    before: Sequence[tuple[int, Step, Outputs]],
    at: tuple[int, Step],
    alone: str,
    together: str,
    alternately: bool,
    replay: str,
) -> str:
    """All that a stranger needs to see that instances share state: what the instances are, the steps `before`
    the one `at` which an instance differs, each with its instance (0 or 1) and outputs, and how to replay."""
    how = "stepped alternately" if alternately else "one after the other"
    lines = [f"Two instances, {how}, times in ms unless stated otherwise:"]
    lines += [f"     instance {number}: {setup_text(one)}" for number, one in enumerate(scenarios, start=1)]
    for instance, step, outputs in before:
        given = f": {outputs_text(outputs)}" if outputs else ""
        lines.append(f"     instance {instance + 1}: {step_text(step)}{given}")
    lines.append(f"  -> instance {at[0] + 1}: {step_text(at[1])}")
    lines += [f"  alone:    {alone}", f"  together: {together}", f"Replay: {replay}"]
    return "\n".join(lines)


def failure_message(
    rules: Sequence[Rule],
    scenario: Scenario,
    right: Sequence[Outputs],
    last_step: int,
    expected: str,
    got: str,
    replay: str,
) -> str:
    """Return the message for a failing scenario: the accused rules, the steps with the `right` outputs, the
    outputs expected and got at the last step, and the replay command."""
    lines = accused_text(rules)
    lines.append(f"On {setup_text(scenario)}, times in ms unless stated otherwise:")
    for number, step in enumerate(scenario.history[:last_step], start=1):
        if last_step > _MOST_STEPS and _FIRST_STEPS < number <= last_step - _LAST_STEPS:
            if number == _FIRST_STEPS + 1:
                hidden = last_step - _FIRST_STEPS - _LAST_STEPS
                lines.append(f"     {hidden:,} steps are not shown here; the replay shows them")
            continue
        outputs = f": {outputs_text(right[number - 1])}" if right[number - 1] else ""
        lines.append(f"     step {number}: {step_text(step)}{outputs}")
    lines.append(f"  -> step {last_step + 1}: {step_text(scenario.history[last_step])}")
    lines += [f"  expected: {expected}", f"  got:      {got}", *check_text(rules), f"Replay: {replay}"]
    return "\n".join(lines)
