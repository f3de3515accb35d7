"""`tidegauge execute` and `tidegauge replay`: scenarios from a file through an engine."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from tidegauge_reference import Policies

from ..components.job.wording import job_name, job_text
from ..components.wording import answer_text, outputs_text, setup_text, step_text
from ..engine.adapter import Adapter
from ..engine.apart import Question, answers_apart
from ..engine.loading import describe, load_adapter
from ..engine.runner import run
from ..judging.items.isolation import answer_at, first_difference, in_order
from ..judging.items.item_report import SeenInterference
from ..judging.items.judge import Judgement, judge
from ..judging.jobs.examination import replayed
from ..judging.jobs.findings import JobFinding
from ..judging.reference.deviating_reference import Semantics, with_deviations
from ..judging.reference.deviations import deviations_of
from ..judging.reference.oracle import expect
from ..run.request import Request
from ..run.request_check import check_request, policies_of
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario, component_of, read_scenario_file, read_scenarios
from ..wire.steps.job import JobScenario
from ..wire.transcript import Outputs, Transcript, encode_transcript, joined, spans
from .console import OUT, complains
from .protocol_stream import protocol_stream
from .request_options import takes_request
from .terminal_text import lines


@complains
@takes_request("adapter", "profile", "option")
def execute(request: Request) -> None:
    """Scenarios as JSON lines on stdin, transcripts as JSON lines on stdout; nothing is judged."""
    protocol = protocol_stream()
    scenarios = list(read_scenarios(sys.stdin.buffer, "stdin"))
    engine, implementation, _ = _engine(request)
    try:
        _claimed(scenarios, implementation)
        for scenario, transcript in zip(scenarios, run(engine, scenarios), strict=True):
            if transcript is None:
                raise BadInput(
                    f"adapter {request.adapter!r} returned no transcript for scenario {scenario.id!r}"
                )
            protocol.write(encode_transcript(transcript) + b"\n")
        protocol.flush()
    finally:
        engine.close()


@complains
@takes_request("adapter", "profile", "option", "deviations")
def replay(
    file: Annotated[Path, typer.Argument(help="Scenarios as JSON lines, a counterexample for example.")],
    request: Request,
    interleaved: Annotated[
        bool, typer.Option(help="Step two scenarios alternately, and compare with each alone.")
    ] = False,
) -> None:
    """Show step by step what an engine does with scenarios from a file, and where it differs.

    Exit code 0: the engine agrees with the specification, or if interleaved with each scenario alone.
    1: the engine differs, or gives no answer.
    2: bad input.
    """
    given = read_scenario_file(file)
    if interleaved:
        raise typer.Exit(1 if _replay_interleaved(file, given, request) else 0)
    engine, implementation, policies = _engine(request)
    known = deviations_of(request.deviations, implementation.deviations)
    semantics = with_deviations(policies, known.deviation)
    jobs = [scenario for scenario in given if isinstance(scenario, JobScenario)]
    scenarios = [scenario for scenario in given if not isinstance(scenario, JobScenario)]
    try:
        _claimed(given, implementation)
        differs = False
        for job in jobs:
            differs = _replay_job(job, replayed(engine, implementation, semantics, job)) or differs
        for scenario, transcript in zip(scenarios, run(engine, scenarios), strict=True):
            judgement = judge(scenario, transcript, expect(scenario, semantics), implementation.observes)
            _show(scenario, transcript, judgement, implementation, semantics)
            differs = differs or not judgement.agrees
    finally:
        engine.close()
    raise typer.Exit(1 if differs else 0)


def _replay_interleaved(file: Path, given: Sequence[Scenario], request: Request) -> bool:
    """Show what two instances do that are stepped alternately; whether one does not do as it does alone."""
    if len(given) != 2:
        raise BadInput(f"{file} has {len(given)} scenarios; --interleaved needs two")
    engine, implementation, _ = _engine(request)
    _claimed(given, implementation)
    seen = _interleaved(engine, (given[0], given[1]))
    if seen is None:
        raise BadInput(
            f"adapter {request.adapter!r} gives no sessions that answer, so nothing can be interleaved"
        )
    engine.close()
    differing = first_difference(seen)
    table = Table(box=None, pad_edge=False)
    for column in ("", "instance", "step", "alone", "together"):
        table.add_column(column)
    for number, place in enumerate(in_order([len(one.history) for one in given]), start=1):
        instance, step = place
        cells = [answer_text(answer_at(side[instance], step)) for side in (seen.alone, seen.together)]
        mark = "->" if place == differing else str(number)
        table.add_row(
            mark, str(instance + 1), escape(step_text(given[instance].history[step])), *map(escape, cells)
        )
    for instance, scenario in enumerate(given, start=1):
        OUT.print(
            f"instance {instance}: {escape(scenario.id)}: {escape(setup_text(scenario))}", soft_wrap=True
        )
    OUT.print(table)
    does = "each instance does as it does alone" if differing is None else "its instances share state"
    OUT.print(f"{escape(implementation.name)}: {does}\n")
    return differing is not None


def _interleaved(engine: Adapter, scenarios: tuple[Scenario, Scenario]) -> SeenInterference | None:
    """Two scenarios, each alone and both together, each time in a process of its own; None if the engine
    cannot be stepped."""
    questions = [
        Question("first", "one-after-the-other", scenarios[:1]),
        Question("second", "one-after-the-other", scenarios[1:]),
        Question("both", "alternately", scenarios),
    ]
    given = [one for answer in answers_apart(engine, questions) for one in answer.transcripts]
    whole = [one for one in given if one is not None]
    if len(whole) < 2 * len(scenarios):
        return None
    return SeenInterference(scenarios, (whole[0], whole[1]), (whole[2], whole[3]))


def _replay_job(job: JobScenario, findings: Iterable[JobFinding]) -> bool:
    """Show a job and what each property saw; whether one is violated."""
    table = Table(box=None, pad_edge=False)
    for column in ("property", "verdict", "seen"):
        table.add_column(column)
    violated = False
    for finding in findings:
        violated = violated or finding.seen is not None or finding.unanswered
        verdict = "holds" if finding.seen is None else "[bold red]violated[/]"
        if finding.unanswered:
            verdict = "[bold magenta]error: the job did not run[/]"
        if finding.vacuous:
            verdict = "[yellow]shows nothing: it holds without alignment too[/]"
        table.add_row(finding.property, verdict, escape(finding.seen or ""))
    OUT.print(escape("\n  ".join([f"{job.id}: {job_name(job)}", *job_text(job)])), soft_wrap=True)
    OUT.print(table)
    return violated


def _engine(request: Request) -> tuple[Adapter, Implementation, Policies]:
    check_request(request)
    engine = load_adapter(request.adapter, request.options)
    implementation = describe(request.adapter, engine)
    return engine, implementation, policies_of(request.profile or implementation.profile)


def _claimed(scenarios: Iterable[Scenario], implementation: Implementation) -> None:
    for scenario in scenarios:
        missing = {component_of(scenario), *scenario.needs} - set(implementation.capabilities)
        if missing:
            needed = ", ".join(sorted(missing))
            raise BadInput(
                f"scenario {scenario.id!r} needs {needed}, which {implementation.name} does not claim"
            )


def _show(
    scenario: Scenario,
    transcript: Transcript | None,
    judgement: Judgement,
    implementation: Implementation,
    semantics: Semantics,
) -> None:
    lengths = spans(scenario, implementation.observes)
    expected = joined(expect(scenario, semantics).outputs, lengths)
    got: tuple[Outputs, ...] = transcript.outputs if transcript is not None else ()
    table = Table(box=None, pad_edge=False)
    for column in ("", "step", "expected", "got"):
        table.add_column(column)
    missing = len(got) if judgement.unanswered is not None else None
    place = judgement.diverges_at if missing is None else missing
    number = 0
    for span, length in enumerate(lengths):
        for index in range(length):
            number += 1
            cells = [escape(step_text(scenario.history[number - 1]))]
            if index == length - 1:
                answer = answer_text(got[span]) if span < len(got) else "no answer"
                if span == place:
                    answer = f"[bold red]{escape(answer_text(judgement.got))}[/]"
                cells += [escape(outputs_text(expected[span])), answer]
            table.add_row("->" if span == place else str(number), *cells)
    OUT.print(f"{escape(scenario.id)}: {setup_text(scenario)}")
    OUT.print(table)
    if judgement.unanswered is not None:
        OUT.print(lines(judgement.unanswered.traceback), soft_wrap=True)
        OUT.print(f"{escape(implementation.name)} gives no answer: an error, and no breach of a rule\n")
        return
    agrees = "agrees with" if judgement.diverges_at is None else "differs from"
    OUT.print(f"{escape(implementation.name)} {agrees} the specification\n")
