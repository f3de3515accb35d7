"""What a failed rule shows: its smallest counterexample in words and as data, with a file that replays it."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import Rule

from ..components.job.properties import JOB_PROPERTIES
from ..components.registry import COMPONENTS
from ..components.wording import answer_text, failure_message, job_failure_message, outputs_text
from ..judging.items.item_report import FoundFailure
from ..judging.items.judge import judge
from ..judging.reference.deviating_reference import with_deviations
from ..judging.reference.oracle import expect
from ..wire.results import Counterexample, StepRecord
from ..wire.scenario import Scenario, encode_scenario
from ..wire.steps.job import JobScenario
from ..wire.transcript import Outputs, spans
from .journal import Started
from .own_folder import write_own
from .request import Request

COUNTEREXAMPLES = "counterexamples"
"""The folder of their files, inside that of the results."""


def counterexample_of(
    name: str,
    rules: Sequence[Rule],
    failure: FoundFailure,
    started: Started,
    folder: Path,
    policies: Policies,
) -> Counterexample:
    """Return the counterexample of a `failure`, and write its file, `name`, into `folder`. `rules` are the
    rules that the failure accuses; the counterexample of a term of a model accuses none."""
    scenario, observes = failure.scenario, started.implementation.observes
    if isinstance(scenario, JobScenario):
        return _job_counterexample(name, rules, scenario, failure, started, folder)
    expectation = expect(scenario, with_deviations(policies, started.known.deviation))
    judgement = judge(scenario, failure.transcript, expectation, observes)
    file, replay = _written(name, scenario, started, folder)
    last_step = judgement.last_step if judgement.diverges_at is not None else len(scenario.history) - 1
    expected, got = outputs_text(judgement.expected), answer_text(judgement.got)
    if failure.property is not None:
        sentence = property_sentence(failure.property)
        expected = f"{expected} (property {failure.property}: {sentence})"
    if not failure.deterministic:
        got += " (the answer changes from run to run)"
    return Counterexample(
        scenario=msgspec.to_builtins(scenario),
        found_as=failure.found_as,
        diverges_at=last_step,
        steps=_step_records(scenario, expectation.outputs, failure, spans(scenario, observes)),
        expected=expected,
        got=got,
        message=failure_message(
            rules=rules,
            scenario=scenario,
            right=expectation.outputs,
            last_step=last_step,
            expected=expected,
            got=got,
            replay=replay,
        ),
        replay=replay,
        file=file,
        deterministic=failure.deterministic,
        property=failure.property,
    )


def _written(name: str, scenario: Scenario, started: Started, folder: Path) -> tuple[str, str]:
    """Write the scenario of a counterexample; its file (relative), and the command that replays it."""
    file = f"{COUNTEREXAMPLES}/{name}.jsonl"
    write_own(folder, file, encode_scenario(scenario) + b"\n")
    return file, replaying(folder / file, started.request, started.profile)


def _job_counterexample(
    name: str,
    rules: Sequence[Rule],
    scenario: JobScenario,
    failure: FoundFailure,
    started: Started,
    folder: Path,
) -> Counterexample:
    file, replay = _written(name, scenario, started, folder)
    sentence = property_sentence(failure.property or "")
    seen = failure.seen if failure.deterministic else f"{failure.seen} (not in every run)"
    return Counterexample(
        scenario=msgspec.to_builtins(scenario),
        found_as=failure.found_as,
        diverges_at=0,
        steps=[],
        expected=sentence,
        got=seen,
        message=job_failure_message(rules, scenario, sentence, seen, replay),
        replay=replay,
        file=file,
        deterministic=failure.deterministic,
        property=failure.property,
    )


def replaying(file: Path, request: Request, profile: str, flag: str = "") -> str:
    """The command that replays the scenarios of a file, with the engine named as a user names it."""
    others = dict(request.options)
    command = others.pop("command", None) if request.adapter == "process" else None
    options = " ".join(f"--option {shlex.quote(f'{key}={value}')}" for key, value in others.items())
    named = (
        f"--adapter {shlex.quote(request.adapter)}"
        if command is None
        else f"--command {shlex.quote(command)}"
    )
    # A profile that the adapter ships has no name for `--profile`: a replay without the option uses it.
    judged_by = request.profile or (profile if profile in PROFILES else None)
    measured = f"--profile {shlex.quote(judged_by)}" if judged_by is not None else ""
    deviations = f"--deviations {shlex.quote(request.deviations)}" if request.deviations else ""
    replay = f"tidegauge replay {shlex.quote(str(file))}"
    return " ".join(part for part in (replay, flag, named, measured, options, deviations) if part)


def property_sentence(name: str) -> str:
    """The sentence of a property of components or of jobs."""
    of_jobs = {property.name: property.sentence for property in JOB_PROPERTIES}
    of_components = {p.name: p.sentence for c in COMPONENTS.values() for p in c.properties}
    return (of_jobs | of_components)[name]


def _step_records(
    scenario: Scenario, expected: list[Outputs], failure: FoundFailure, lengths: list[int]
) -> list[StepRecord]:
    """Each step with the outputs of the observed span that ends with it."""
    outputs = failure.transcript.outputs if failure.transcript is not None else ()
    records: list[StepRecord] = []
    for number, length in enumerate(lengths):
        first = len(records)
        for index in range(first, first + length):
            step = _wire(scenario.history[index])
            if index < first + length - 1:
                records.append(StepRecord(step, None, None))
                continue
            span = [output for part in expected[first : first + length] for output in part]
            given = [_wire(output) for output in outputs[number]] if number < len(outputs) else None
            records.append(StepRecord(step, [_wire(output) for output in span], given))
    return records


def _wire(struct: Any) -> dict[str, Any]:
    return dict(msgspec.to_builtins(struct))
