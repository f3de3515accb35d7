"""What a conforming engine shows on a job: the reference's simulator, at the pace that an engine declares."""

from typing import Any

from ...components.job.binding import JOB, RESOLUTION, SimulatedJob, overshoot_of
from ...components.job.job_property import JobProperty, JobRun
from ...components.job.log import JobLog
from ...components.job.segments import size_of
from ...engine.outputs import read_outputs
from ...wire.implementation import Implementation
from ...wire.steps.job import JobScenario
from ..reference.deviating_reference import DeviatingReference, Semantics
from .findings import family, finding


class RightEngine:
    """Reacts as fast as `implementation` declares, and does all else as the reference under `semantics`."""

    def __init__(self, implementation: Implementation, semantics: Semantics) -> None:
        self._module: Any = JOB.module
        if isinstance(semantics, DeviatingReference):
            self._module = semantics.module_of(JOB)
        steps = (implementation.reaction_ms - RESOLUTION) // RESOLUTION
        self._interval = max(1, steps) * RESOLUTION

    def run(self, job: JobScenario) -> JobRun:
        """The job as it runs."""
        events = read_outputs(SimulatedJob(job.setup, self._module, self._interval).run())
        log = JobLog.of(job.setup, events)
        return JobRun(log, overshoot_of(self._interval), self._interval + RESOLUTION)

    def has(self, property: JobProperty, job: JobScenario) -> bool:
        """Whether the property holds on this job and shows something, and would for a slower engine too: if
        all is read, then long before the job is ended."""
        runs: dict[str, JobRun | str] = {}
        seen = None
        for name, made in family(job, [property]).items():
            ran = runs[name] = self.run(made)
            if not (_ends_in_time(ran) if _reads_all(ran) else not property.compared_with):
                return False
            seen = finding(property, runs)
            if seen is not None and seen.seen is not None:
                return False
        return seen is not None and not seen.vacuous


def _reads_all(ran: JobRun) -> bool:
    records = sum(event.count for event in ran.log.events if event.kind == "record")
    subtasks = [subtask for source in ran.log.setup.sources for subtask in source.subtasks]
    return records >= sum(map(size_of, subtasks))


def _ends_in_time(ran: JobRun) -> bool:
    ended = max(event.processing_time for event in ran.log.events)
    return ended + ended // 2 + 2 * ran.reaction_ms <= ran.log.setup.until
