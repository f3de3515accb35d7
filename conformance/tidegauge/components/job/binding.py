"""Jobs, bound to the reference's simulator."""

from typing import Any

from tidegauge_reference import job as reference_job

from ...component import Component
from .feed import feed_of
from .vocabulary import JobScenario, JobSetup, RunStep, SourceSetup

UPDATE_INTERVAL = 1_000
RESOLUTION = 10
OVERSHOOT_MS = 10 * UPDATE_INTERVAL + 1
"""What the simulator can read beyond a bound: what becomes readable in one interval at 10 records a ms, and
the record that crosses."""

REACTION_MS = UPDATE_INTERVAL + RESOLUTION
"""After how long a new bound is obeyed."""


class SimulatedJob:
    """The reference's simulator as an engine: the step `run` outputs the whole event log.

    `simulator` is the module that runs it, the reference's own or a mutant's.
    """

    def __init__(self, setup: JobSetup, simulator: Any = reference_job) -> None:
        self.setup = setup
        self.simulator = simulator

    def run(self) -> list[tuple[Any, ...]]:
        """The event log, as tuples."""
        return [("log", *event) for event in self.simulator.run_job(self._description())]

    def _description(self) -> Any:
        simulator = self.simulator
        sources = tuple(
            simulator.SourceDescription(
                source.name,
                tuple(feed_of(subtask) for subtask in source.subtasks),
                self._strategy(source),
            )
            for source in self.setup.sources
        )
        return simulator.JobDescription(
            sources, UPDATE_INTERVAL, RESOLUTION, self.setup.until, self.setup.restarts, self.setup.window
        )

    def _strategy(self, source: SourceSetup) -> Any:
        strategy = self.simulator.WatermarkStrategy.for_monotonous_timestamps()
        if source.idle_timeout is not None:
            strategy = strategy.with_idleness(source.idle_timeout)
        if source.watermark_group is not None:
            strategy = strategy.with_watermark_alignment(
                source.watermark_group, source.max_allowed_watermark_drift, UPDATE_INTERVAL
            )
        return strategy


JOB = Component(
    name="job",
    setup=JobSetup,
    scenario=JobScenario,
    calls={RunStep: lambda job, step: job.run()},
    module=reference_job,
    build=lambda module, setup, policies: SimulatedJob(setup, module),
    extras=("alignment", "restart", "job-idleness", "job-windows", "int64"),
)
