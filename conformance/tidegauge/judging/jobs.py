"""Jobs judged by their event logs: each property on the job, and on its control without alignment."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from msgspec import Struct

from ..adapter import Implementation
from ..components.job.jobs import JOBS, control
from ..components.job.log import JobLog, Moment, Subtask, groups_of
from ..components.job.properties import JOB_PROPERTIES, JobProperty, JobRun
from ..results import JobPicture, SubtaskPicture
from ..scenario import JobScenario
from ..transcript import Transcript

DELAYS_ONLY = "job-alignment-only-delays"
DELAYS_ONLY_SENTENCE = "A job outputs the same records with and without alignment."
DELAYS_ONLY_RULES = ("JOB-3", "JOB-1", "ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3", "SOURCE-4")

RULES_OF_JOB_PROPERTIES = {property.name: property.rules for property in JOB_PROPERTIES} | {
    DELAYS_ONLY: DELAYS_ONLY_RULES
}
"""The rules whose breach can show in each property of jobs, the one it speaks for first."""


def can_be_checked(property: str, capabilities: frozenset[str]) -> bool:
    """Whether an engine with these capabilities runs a job on which the property is checked."""
    jobs = next((one.jobs for one in JOB_PROPERTIES if one.name == property), tuple(JOBS))
    return any(set(JOBS[job].needs) <= capabilities for job in jobs)


_POINTS = 160

Point = TypeVar("Point")


class JobFinding(Struct, frozen=True):
    """A property checked on a job: `seen` says what was seen instead of what it demands, None if it holds.
    `vacuous`: the job without alignment has the property too, so that it shows nothing."""

    property: str
    rules: tuple[str, ...]
    seen: str | None
    vacuous: bool = False


def examine_job(
    scenario: JobScenario, transcripts: dict[str, Transcript | None], implementation: Implementation
) -> tuple[list[JobFinding], list[JobPicture]]:
    """Check every property that speaks of this job; `transcripts` by scenario id, its control's included."""
    without = control(scenario)
    run = _run(scenario, transcripts[scenario.id], implementation)
    control_run = _run(without, transcripts[without.id], implementation)
    findings = [
        _finding(property, run, control_run)
        for property in JOB_PROPERTIES
        if scenario.setup.name in property.jobs
    ]
    if not scenario.setup.endless and not scenario.setup.restarts:
        findings.append(_delays_only(run, control_run))
    pictures = [picture(one) for one in (run, control_run) if isinstance(one, JobRun)]
    return findings, pictures


def _run(
    scenario: JobScenario, transcript: Transcript | None, implementation: Implementation
) -> JobRun | str:
    """The job as it ran, or why it did not."""
    if transcript is None or not transcript.outputs:
        failure = None if transcript is None else transcript.failure
        return f"the job did not run: {failure.text if failure is not None else 'no event log'}"
    log = JobLog.of(scenario.setup, transcript.outputs[0])
    return JobRun(log, implementation.overshoot_ms, implementation.reaction_ms)


def _finding(property: JobProperty, run: JobRun | str, control_run: JobRun | str) -> JobFinding:
    checked = control_run if property.on_control else run
    if isinstance(checked, str):
        return JobFinding(property.name, property.rules, checked)
    seen = property.seen(checked)
    if seen is None and property.alignment:
        if isinstance(control_run, str):
            return JobFinding(property.name, property.rules, control_run)
        aligned = JobRun(
            JobLog(run.log.setup, control_run.log.events, run.log.subtasks),  # type: ignore[union-attr]
            control_run.overshoot_ms,
            control_run.reaction_ms,
        )
        if property.seen(aligned) is None:
            return JobFinding(property.name, property.rules, None, vacuous=True)
    return JobFinding(property.name, property.rules, seen)


def _delays_only(run: JobRun | str, control_run: JobRun | str) -> JobFinding:
    seen = None
    for one in (run, control_run):
        if isinstance(one, str):
            return JobFinding(DELAYS_ONLY, DELAYS_ONLY_RULES, one)
    assert isinstance(run, JobRun)
    assert isinstance(control_run, JobRun)
    for key in run.log.subtasks:
        counts = [sum(last - first + 1 for first, last in one.log.runs(key)) for one in (run, control_run)]
        if counts[0] != counts[1] or _covered(run, key) != _covered(control_run, key):
            seen = (
                f"subtask {key[1]} of source {key[0]!r} output {counts[0]} records with alignment and "
                f"{counts[1]} without"
            )
            break
    return JobFinding(DELAYS_ONLY, DELAYS_ONLY_RULES, seen)


def _covered(run: JobRun, key: tuple[str, int]) -> list[tuple[int, int]]:
    """The numbers that came out, as joined runs."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(run.log.runs(key)):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def picture(run: JobRun) -> JobPicture:
    """The job as a report draws it: from time 0, a sample of its moments."""
    moments = list(run.log.moments())
    groups = sorted(groups_of(run.log.setup))
    start = {key: subtask.first - 1 for key, subtask in run.log.subtasks.items()}
    band: list[list[int]] = []
    if groups:
        minima = [(moment.processing_time, run.log.minimum(groups[0], moment.last)) for moment in moments]
        whole = [(0, run.log.minimum(groups[0], start)), *minima]
        band = [[time, minimum] for time, minimum in _sampled(whole) if minimum is not None]
    drift = max(subtask.drift for subtask in run.log.subtasks.values())
    return JobPicture(
        job=run.log.setup.name,
        aligned=bool(groups),
        drift=drift,
        overshoot=run.overshoot_ms,
        subtasks=[
            _subtask_picture(subtask, [moment for moment in moments if moment.source == key[0]])
            for key, subtask in run.log.subtasks.items()
        ],
        band=band,
        restarts=list(run.log.setup.restarts),
    )


def _subtask_picture(subtask: Subtask, moments: list[Moment]) -> SubtaskPicture:
    reached = [(moment.processing_time, moment.last[subtask.key]) for moment in moments]
    held = [(time, last < subtask.last_readable(time)) for time, last in reached]
    blocked = _spans(held)
    borders = {time for span in blocked for time in span}
    rises = [place for place in range(1, len(reached)) if reached[place][1] > reached[place - 1][1]]
    kept = {place for place, (time, _) in enumerate(reached) if time in borders} | {*rises[:1], *rises[-1:]}
    points = [(0, subtask.first - 1), *_sampled(reached, kept if len(kept) <= _POINTS else set())]
    return SubtaskPicture(*subtask.key, [list(point) for point in points], blocked, subtask.group or "")


def _sampled(points: Sequence[Point], kept: Collection[int] = ()) -> list[Point]:
    """About `_POINTS` of the points: every n-th, the last, and those at the places `kept`."""
    stride = max(1, len(points) // _POINTS)
    wanted = {*range(0, len(points), stride), len(points) - 1, *kept} if points else set()
    return [points[place] for place in sorted(wanted)]


def _spans(held: list[tuple[int, bool]]) -> list[list[int]]:
    spans: list[list[int]] = []
    blocked = False
    for time, now_blocked in held:
        if now_blocked and not blocked:
            spans.append([time, time])
        if now_blocked or blocked:
            spans[-1][1] = time
        blocked = now_blocked
    return spans
