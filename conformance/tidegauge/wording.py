"""Steps, outputs and failures in words for people who do not know the kit."""

from collections.abc import Sequence

from tidegauge_spec import Rule

from .scenario import JobScenario, Scenario, component_of
from .transcript import Failure, Outputs
from .vocabulary import AnyOutput, Error, LogEvent, Step, Watermark


def step_text(step: Step) -> str:
    """A step as a call: `watermark(channel=1, timestamp=5)`."""
    name = str(step.__struct_config__.tag)
    fields = ", ".join(f"{field}={getattr(step, field)}" for field in step.__struct_fields__)
    return f"{name}({fields})"


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
    """What is under test: `a valve with 3 channels`."""
    setup = scenario.setup
    values = [f"{getattr(setup, field)} {field.replace('_', ' ')}" for field in setup.__struct_fields__]
    return f"a {component_of(scenario).replace('_', ' ')} with {', '.join(values)}"


def job_failure_message(
    rule: Rule | None, scenario: JobScenario, sentence: str, seen: str, replay: str
) -> str:
    """The same for a job: the rule, the job, what the property demands, what was seen, how to replay."""
    lines = [f"{rule.id} ({rule.level}) {rule.title}", f"  {rule.sentence}"] if rule is not None else []
    lines.append(f"In the job {scenario.setup.name!r}:")
    for source in scenario.setup.sources:
        group = source.watermark_group or "none"
        rates = ", ".join(str(subtask.records_per_millisecond) for subtask in source.subtasks)
        lines.append(
            f"     source {source.name!r}: group {group}, drift {source.max_allowed_watermark_drift} ms, "
            f"subtasks with {rates} records a millisecond"
        )
    lines += [f"  expected: {sentence}", f"  got:      {seen}"]
    if rule is not None:
        lines.append(f"Check {rule.check}")
    lines.append(f"Replay: {replay}")
    return "\n".join(lines)


def failure_message(
    rule: Rule | None, scenario: Scenario, last_step: int, expected: str, got: str, replay: str
) -> str:
    """All that a stranger needs: the rule with its sentence, the history, expected, got, how to replay."""
    lines = []
    if rule is not None:
        lines += [f"{rule.id} ({rule.level}) {rule.title}", f"  {rule.sentence}"]
    lines.append(f"On {setup_text(scenario)}:")
    for number, step in enumerate(scenario.history[: last_step + 1], start=1):
        mark = "->" if number == last_step + 1 else "  "
        lines.append(f"  {mark} step {number}: {step_text(step)}")
    lines += [f"  expected: {expected}", f"  got:      {got}"]
    if rule is not None:
        lines.append(f"Check {rule.check}")
    lines.append(f"Replay: {replay}")
    return "\n".join(lines)
