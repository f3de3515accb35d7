"""One job of the suite: it runs with those made of it, what their event logs show is counted, and where it
fails it runs again and is made small."""

from collections.abc import Collection, Sequence

from tidegauge_reference import IllegalArgument

from ...components.job.job_property import JobProperty
from ...components.job.jobs import JOBS
from ...components.job.properties import JOB_PROPERTIES
from ...engine.adapter import Adapter
from ...engine.runner import run
from ...wire.implementation import CHEAP_LAYERS, Implementation
from ...wire.scenario import BadInput
from ...wire.steps.job import JobScenario
from ...wire.transcript import NO_TRANSCRIPT, Transcript
from ..items.examination import Examiner
from ..items.item_report import FoundFailure, ItemReport, PropertyCount, count_error
from ..items.shrinker import NO_EFFORT
from ..reference.deviating_reference import Semantics
from .deviations import known_violations
from .findings import JobFinding, Runs, family, finding, job_pictures, properties_of, runs_of
from .right_job import RightEngine
from .shrinking import JobShrinker

_JOBS_TRIED = 80
_SLOW_JOBS_TRIED = 8
"""Largest number of jobs that run to shrink a failure. On an engine whose jobs take seconds, the number is
smaller and only one failure is shrunk."""


def examine_job(examiner: Examiner, report: ItemReport, name: str) -> None:
    """Run a job of the suite and those made of it, and check what their event logs show."""
    scenario, properties = JOBS[name], properties_of(JOBS[name])
    if not examiner.applicable([scenario], report.left_out):
        return
    jobs = family(scenario, properties)
    transcripts = _transcripts(examiner, jobs.values())
    runs = runs_of(jobs, transcripts, examiner.implementation)
    findings = [found for one in properties if (found := finding(one, runs)) is not None]
    report.scenarios += len(jobs)
    report.steps += len(jobs)
    report.pictures += job_pictures(runs)
    report.outputs += sum(sum(map(len, one.outputs)) for one in transcripts.values() if one is not None)
    for one in jobs.values():
        answer = transcripts[one.id]
        if answer is None or answer.failure is not None or not answer.outputs:
            report.unanswered += 1
            failure = NO_TRANSCRIPT if answer is None or answer.failure is None else answer.failure
            count_error(report, one, failure, _rules(findings))
    known = known_violations(examiner, report, scenario, findings)
    for found in findings:
        _count(report.properties.setdefault(found.property, PropertyCount()), found, known)
    violated = [found for found in findings if found.seen is not None and found.property not in known]
    report.failing += len(violated)
    if violated:
        report.failures += _failures(examiner, scenario, runs, violated)


def replayed(
    adapter: Adapter, implementation: Implementation, semantics: Semantics, job: JobScenario
) -> list[JobFinding]:
    """What the properties that speak of a job see on an engine. On a job that is not one of the suite only
    those count that a conforming engine has there. Raises `BadInput` if none speaks of it, by its name."""
    properties = properties_of(job)
    if not properties:
        raise BadInput(
            f"scenario {job.id!r}: no property speaks of a job named {job.setup.name!r}; "
            f"those of the suite are {', '.join(JOBS)} - at `$.setup.name`"
        )
    if job.setup != JOBS[job.setup.name].setup:
        right = RightEngine(implementation, semantics)
        try:
            properties = [property for property in properties if right.has(property, job)]
        except IllegalArgument as error:
            raise BadInput(f"scenario {job.id!r} is no job that can run: {error} - at `$.setup`") from None
    jobs = family(job, properties)
    answers = run(adapter, list(jobs.values()))
    transcripts = {one.id: answer for one, answer in zip(jobs.values(), answers, strict=True)}
    runs = runs_of(jobs, transcripts, implementation)
    return [found for one in properties if (found := finding(one, runs)) is not None]


def _transcripts(examiner: Examiner, jobs: Collection[JobScenario]) -> dict[str, Transcript | None]:
    answers = run(examiner.adapter, list(jobs), examiner.about_to_run)
    return {one.id: answer for one, answer in zip(jobs, answers, strict=True)}


def _rules(findings: Sequence[JobFinding]) -> set[str]:
    """The rules of the properties for which a job did not run."""
    return {rule for found in findings if found.did_not_run is not None for rule in found.rules}


def _count(counted: PropertyCount, found: JobFinding, known: Collection[str]) -> None:
    counted.known += found.property in known
    counted.checked += not found.vacuous and found.did_not_run is None and found.property not in known
    counted.vacuous += found.vacuous
    counted.violated += found.seen is not None and found.property not in known


def _failures(
    examiner: Examiner, scenario: JobScenario, runs: Runs, violated: Sequence[JobFinding]
) -> list[FoundFailure]:
    """What was violated, on the smallest job; what is not when the job runs again stays as it is."""
    names = {found.property for found in violated}
    properties = {one.name: one for one in JOB_PROPERTIES if one.name in names}
    jobs = family(scenario, properties.values())
    again = runs_of(jobs, _transcripts(examiner, jobs.values()), examiner.implementation)
    shrinker = _shrinker(examiner)
    failures = []
    for number, found in enumerate(violated):
        property = properties[found.property]
        failure = FoundFailure(
            scenario, None, scenario.id, list(found.rules), property=found.property, seen=found.seen or ""
        )
        repeated = finding(property, again)
        if repeated is None or repeated.seen is None:
            failure.deterministic = False
        elif shrinker is not None and (number == 0 or _is_fast(examiner)):
            _make_small(failure, property, shrinker, scenario, runs)
        failures.append(failure)
    return failures


def _make_small(
    failure: FoundFailure, property: JobProperty, shrinker: JobShrinker, scenario: JobScenario, runs: Runs
) -> None:
    smallest = shrinker.smallest(property, scenario, runs)
    if (seen := shrinker.seen(property, smallest)) is not None:
        failure.scenario, failure.seen = smallest, seen


def _shrinker(examiner: Examiner) -> JobShrinker | None:
    if examiner.effort == NO_EFFORT:
        return None
    jobs = _JOBS_TRIED if _is_fast(examiner) else _SLOW_JOBS_TRIED
    return JobShrinker(examiner.adapter, examiner.implementation, examiner.semantics, jobs)


def _is_fast(examiner: Examiner) -> bool:
    return examiner.implementation.layer_of("job") in CHEAP_LAYERS
