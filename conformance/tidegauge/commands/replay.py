"""`tidegauge replay`: scenarios through an engine, step by step beside what is expected."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from rich.table import Table

from tidegauge_reference import Policies

from ..components.job.wording import job_name, job_text
from ..components.wording import answer_text, outputs_text, setup_text, step_text
from ..engine.adapter import Adapter
from ..engine.apart import Question, answers_apart
from ..engine.expressed_shape import drawn_shapes
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
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario
from ..wire.steps.job import JobScenario
from ..wire.transcript import Outputs, Transcript, joined, spans
from .chosen_engine import check_claims, chosen_engine
from .console import OUT, complains
from .given_scenarios import Given, given_scenarios, is_file_name
from .request_options import takes_request
from .terminal_text import inline, lines


@complains
@takes_request("adapter", "profile", "option", "deviations")
def replay(
    scenarios: Given,
    request: Request,
    interleaved: Annotated[
        bool, typer.Option(help="Step two scenarios alternately, and compare with each alone.")
    ] = False,
) -> None:
    """Show step by step what an engine does with scenarios, and where it differs from what is expected.

    Exit code 0: the engine agrees with the specification, or if interleaved with each scenario alone.
    1: the engine differs, or gives no answer.
    2: bad input.
    """
    engine, implementation, policies = chosen_engine(request)
    try:
        drawn = () if is_file_name(scenarios) else drawn_shapes(engine, implementation)
        given = given_scenarios(scenarios, policies, drawn)
        check_claims(given, engine, implementation)
        if interleaved:
            failed = _replay_interleaved(engine, implementation.name, given)
        else:
            failed = _replay_each(engine, implementation, policies, request, given)
    finally:
        engine.close()
    raise typer.Exit(1 if failed else 0)


def _replay_each(
    engine: Adapter,
    implementation: Implementation,
    policies: Policies,
    request: Request,
    given: Sequence[Scenario],
) -> bool:
    """Show what the engine does in each scenario; whether it differs in one."""
    known = deviations_of(request.deviations, implementation.deviations)
    semantics = with_deviations(policies, known.deviation)
    differs = False
    for job in given:
        if isinstance(job, JobScenario):
            differs = _replay_job(job, replayed(engine, implementation, semantics, job)) or differs
    scenarios = [scenario for scenario in given if not isinstance(scenario, JobScenario)]
    for scenario, transcript in zip(scenarios, run(engine, scenarios), strict=True):
        judgement = judge(scenario, transcript, expect(scenario, semantics), implementation.observes)
        _show(scenario, transcript, judgement, implementation, semantics)
        if judgement.diverges_at is not None:
            for hint in engine.hints(scenario):
                OUT.print(inline(hint), soft_wrap=True)
        differs = differs or not judgement.agrees
    return differs


def _replay_interleaved(engine: Adapter, name: str, given: Sequence[Scenario]) -> bool:
    """Show what two instances do that are stepped alternately; whether one does not do as it does alone."""
    if len(given) != 2:
        raise BadInput(f"--interleaved needs two scenarios, not {len(given)}")
    seen = _interleaved(engine, (given[0], given[1]))
    if seen is None:
        raise BadInput(f"{name} gives no sessions that answer, so nothing can be interleaved")
    differing = first_difference(seen)
    table = Table(box=None, pad_edge=False)
    for column in ("", "instance", "step", "alone", "together"):
        table.add_column(column)
    for number, place in enumerate(in_order([len(one.history) for one in given]), start=1):
        instance, step = place
        cells = [answer_text(answer_at(side[instance], step)) for side in (seen.alone, seen.together)]
        mark = "->" if place == differing else str(number)
        table.add_row(
            mark, str(instance + 1), inline(step_text(given[instance].history[step])), *map(inline, cells)
        )
    for instance, scenario in enumerate(given, start=1):
        OUT.print(
            f"instance {instance}: {inline(scenario.id)}: {inline(setup_text(scenario))}", soft_wrap=True
        )
    OUT.print(table)
    does = "each instance does as it does alone" if differing is None else "its instances share state"
    OUT.print(f"{inline(name)}: {does}\n")
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
        violated = violated or finding.seen is not None or finding.did_not_run is not None
        verdict = "holds" if finding.seen is None else "[bold red]violated[/]"
        if finding.did_not_run is not None:
            verdict = "[bold magenta]error: a job did not run[/]"
        if finding.vacuous:
            verdict = "[yellow]shows nothing: it holds without alignment too[/]"
        table.add_row(finding.property, verdict, inline(finding.seen or finding.did_not_run or ""))
    OUT.print("\n  ".join(map(inline, [f"{job.id}: {job_name(job)}", *job_text(job)])), soft_wrap=True)
    OUT.print(table)
    return violated


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
            cells = [inline(step_text(scenario.history[number - 1]))]
            if index == length - 1:
                answer = inline(answer_text(got[span])) if span < len(got) else "no answer"
                if span == place:
                    answer = f"[bold red]{inline(answer_text(judgement.got))}[/]"
                cells += [inline(outputs_text(expected[span])), answer]
            table.add_row("->" if span == place else str(number), *cells)
    OUT.print(f"{inline(scenario.id)}: {inline(setup_text(scenario))}")
    OUT.print(table)
    if judgement.unanswered is not None:
        OUT.print(lines(judgement.unanswered.traceback), soft_wrap=True)
        OUT.print(f"{inline(implementation.name)} gives no answer: an error, and no breach of a rule\n")
        return
    agrees = "agrees with" if judgement.diverges_at is None else "differs from"
    OUT.print(f"{inline(implementation.name)} {agrees} the specification\n")
