"""The smallest job on which an engine still violates a property that a conforming engine has.

Jobs take long, so the candidates of a round are tried one by one and the first that still shows the
violation is taken; the next round goes on from there.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ...components.job.job_property import JobProperty, JobRun
from ...components.job.jobs import needs_of
from ...components.job.log import JobLog
from ...components.job.transformations import CONTROL
from ...engine.adapter import Adapter
from ...engine.runner import run
from ...wire.implementation import Implementation
from ...wire.scenario import Scenario
from ...wire.steps.job import JobScenario
from ..items.shrinker import Effort, shrink
from ..reference.deviating_reference import Semantics
from .findings import Runs, family, finding, runs_of
from .right_job import RightEngine

_HALVINGS = 6
_ANY = 10**9
"""No limit of steps: a job has one step, and the number of jobs that run is limited instead."""


class JobShrinker:
    """Shrinks failing jobs. At most `jobs` jobs run for each. A violation on a
    smaller job does not count if a conforming engine would violate the property there, too."""

    def __init__(
        self, adapter: Adapter, implementation: Implementation, semantics: Semantics, jobs: int
    ) -> None:
        self.adapter = adapter
        self.implementation = implementation
        self.right = RightEngine(implementation, semantics)
        self.jobs = jobs
        self._known: list[JobScenario] = []

    def smallest(self, property: JobProperty, scenario: JobScenario, runs: Runs) -> JobScenario:
        """The smallest job found that is made of `scenario`, which ran as `runs` say, and on which the engine
        violates the property. One that was found for another property is tried first."""
        left = self.jobs
        begun = next((job for job in self._known if self._shows(property, job)), None)
        begun = begun or self._sooner(property, scenario, runs)
        place = 0

        def still_fails(candidates: Sequence[Scenario]) -> list[int | None]:
            """0 for the first candidate that shows the violation."""
            nonlocal place, left
            found: list[int | None] = [None] * len(candidates)
            for number in range(len(candidates)):
                place = (place + 1) % len(candidates) if number else min(place, len(candidates) - 1)
                candidate = candidates[place]
                assert isinstance(candidate, JobScenario)
                if left == 0:
                    break
                left -= candidate is not begun
                if candidate is begun or self._shows(property, candidate):
                    found[place] = 0
                    break
            return found

        smallest = shrink(begun, still_fails, Effort(self.jobs, _ANY))
        assert isinstance(smallest, JobScenario)
        smallest = replace(smallest, needs=needs_of(smallest.setup))
        self._known.append(smallest)
        return smallest

    def seen(self, property: JobProperty, job: JobScenario) -> str | None:
        """What is seen on the engine instead of what the property demands."""
        jobs = family(job, [property])
        if property.alignment:
            del jobs[CONTROL]
        answers = run(self.adapter, list(jobs.values()))
        transcripts = {one.id: answer for one, answer in zip(jobs.values(), answers, strict=True)}
        found = finding(property, runs_of(jobs, transcripts, self.implementation))
        return None if found is None else found.seen

    def _shows(self, property: JobProperty, job: JobScenario) -> bool:
        """Whether the engine violates the property on a job on which a right one has it."""
        return self.seen(property, job) is not None and self.right.has(property, job)

    def _sooner(self, property: JobProperty, scenario: JobScenario, runs: Runs) -> JobScenario:
        """The job ended as soon as its log shows the violation, if that is long before its end."""
        place = CONTROL if property.on_control else ""
        wrong = runs[place]
        if property.compared_with or not isinstance(wrong, JobRun):
            return scenario
        right = self.right.run(family(scenario, [property])[place])
        for halvings in range(_HALVINGS, 0, -1):
            until = scenario.setup.until >> halvings
            if property.seen(_until(wrong, until)) and not property.seen(_until(right, until)):
                sooner = replace(scenario, setup=replace(scenario.setup, until=until))
                if self._shows(property, sooner):
                    return sooner
        return scenario


def _until(run: JobRun, until: int) -> JobRun:
    """The run as if it had been ended at `until` (ms)."""
    setup = replace(run.log.setup, until=until)
    events = [event for event in run.log.events if event.processing_time <= until]
    return JobRun(JobLog(setup, events, run.log.subtasks), run.overshoot_ms, run.reaction_ms)
