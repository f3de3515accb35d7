"""Jobs judged by their event logs: each property on the job, its control without alignment, or the job and
another one made of it."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ...components.job.job_property import JobProperty, JobRun
from ...components.job.jobs import JOBS, made_of
from ...components.job.log import JobLog
from ...components.job.properties import JOB_PROPERTIES
from ...components.job.transformations import CONTROL
from ...wire.implementation import Implementation
from ...wire.results import JobPicture
from ...wire.steps.job import JobScenario
from ...wire.transcript import Transcript
from .picture import picture

RULES_OF_JOB_PROPERTIES = {property.name: property.rules for property in JOB_PROPERTIES}
"""The rules whose breach can show in each property of jobs, the one it speaks for first."""

Runs = Mapping[str, JobRun | str]
"""How a job and those made of it ran, by the transformation (the job itself: ""), or why one did not."""


def can_be_checked(property: str, capabilities: frozenset[str]) -> bool:
    """Whether an engine with these capabilities runs a job on which the property is checked."""
    jobs = (job for one in JOB_PROPERTIES if one.name == property for job in one.jobs)
    return any(set(JOBS[job].needs) <= capabilities for job in jobs)


def not_claimed(rule: str, capabilities: frozenset[str]) -> tuple[str, ...]:
    """What an engine with these capabilities lacks for every job on which a property is checked that speaks
    for the rule; nothing if it runs one, or no property speaks for the rule first. Other properties, in which
    a breach of the rule can show as well, say nothing of what only those jobs bring about."""
    own = [property for property in JOB_PROPERTIES if property.rules[0] == rule]
    if any(can_be_checked(property.name, capabilities) for property in own):
        return ()
    needed = {need for property in own for job in property.jobs for need in JOBS[job].needs}
    return tuple(sorted(needed - capabilities))


class JobFinding(Struct, frozen=True):
    """A property checked on a job: `seen` says what was seen instead of what it demands, None if it holds.
    `vacuous`: the job without alignment has the property too, so that it shows nothing. `did_not_run`: why a
    job that must run for it did not."""

    property: str
    rules: tuple[str, ...]
    seen: str | None
    vacuous: bool = False
    did_not_run: str | None = None


def properties_of(scenario: JobScenario) -> list[JobProperty]:
    """The properties that speak of a job, by its name."""
    return [property for property in JOB_PROPERTIES if scenario.setup.name in property.jobs]


def family(scenario: JobScenario, properties: Iterable[JobProperty]) -> dict[str, JobScenario]:
    """The job and those made of it that must run for the properties to be checked, by the transformation."""
    needed = dict.fromkeys(one for property in properties for one in _runs_needed(property))
    made = {name: made_of(scenario, name) if name else scenario for name in needed}
    return {name: job for name, job in made.items() if job is not None}


def _runs_needed(property: JobProperty) -> Sequence[str]:
    if property.on_control:
        return (CONTROL,)
    if property.alignment:
        return ("", CONTROL)
    return ("", property.compared_with) if property.compared_with else ("",)


def job_pictures(runs: Runs) -> list[JobPicture]:
    """The job and its control as a report draws them."""
    return [picture(one) for name in ("", CONTROL) if isinstance(one := runs.get(name), JobRun)]


def runs_of(
    jobs: Mapping[str, JobScenario],
    transcripts: Mapping[str, Transcript | None],
    implementation: Implementation,
) -> Runs:
    """How the jobs of a family ran."""
    return {name: _run(job, transcripts[job.id], implementation) for name, job in jobs.items()}


def _run(
    scenario: JobScenario, transcript: Transcript | None, implementation: Implementation
) -> JobRun | str:
    if transcript is None or not transcript.outputs:
        failure = None if transcript is None else transcript.failure
        return f"{scenario.id}: {failure.text if failure is not None else 'no event log'}"
    log = JobLog.of(scenario.setup, transcript.outputs[0])
    return JobRun(log, implementation.overshoot_ms, implementation.reaction_ms)


def finding(property: JobProperty, runs: Runs) -> JobFinding | None:
    """What a property sees in the runs that it needs; None if the job it would be compared with cannot be
    made."""
    needed = [runs.get(name) for name in _runs_needed(property)]
    checked = needed if property.compared_with else needed[:1]
    ran: list[JobRun] = []
    for one in checked:
        if one is None:
            return None
        if isinstance(one, str):
            return JobFinding(property.name, property.rules, None, did_not_run=one)
        ran.append(one)
    seen = property.seen(*ran)
    if seen is None and property.alignment:
        return _unless_vacuous(property, ran[0], needed[1])
    return JobFinding(property.name, property.rules, seen)


def _unless_vacuous(property: JobProperty, run: JobRun, control: JobRun | str | None) -> JobFinding:
    """The finding of a property that holds: it shows something if the job without alignment, taken for the
    aligned one, violates it."""
    if not isinstance(control, JobRun):
        reason = control or "there is no job without alignment to compare it with"
        return JobFinding(property.name, property.rules, None, did_not_run=reason)
    aligned = JobRun(
        JobLog(run.log.setup, control.log.events, run.log.subtasks), control.overshoot_ms, control.reaction_ms
    )
    return JobFinding(property.name, property.rules, None, vacuous=property.seen(aligned) is None)
