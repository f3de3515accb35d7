"""Jobs, bound to the reference's simulator."""

from typing import Any

from tidegauge_reference import job as reference_job

from ...wire.steps.job import JobScenario, JobSetup, RunStep, SourceSetup
from ..component import Component
from .feed import feed_of
from .mutants import JOB_MUTANTS
from .shrinking import simplify

UPDATE_INTERVAL = 1_000
RESOLUTION = 10


def overshoot_of(update_interval: int) -> int:
    """What the simulator can read beyond a bound (ms): what becomes readable in one interval at 10 records a
    ms, and the record that crosses."""
    return 10 * update_interval + 1


OVERSHOOT_MS = overshoot_of(UPDATE_INTERVAL)
REACTION_MS = UPDATE_INTERVAL + RESOLUTION
"""After how long a new bound is obeyed."""


class SimulatedJob:
    """The reference's simulator as an engine: the step `run` outputs the whole event log.

    `simulator` is the module that runs it, the reference's own or a mutant's; reports and announcements come
    every `update_interval` ms.
    """

    def __init__(
        self, setup: JobSetup, simulator: Any = reference_job, update_interval: int = UPDATE_INTERVAL
    ) -> None:
        self.setup = setup
        self.simulator = simulator
        self.update_interval = update_interval

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
            sources,
            self.update_interval,
            RESOLUTION,
            self.setup.until,
            self.setup.restarts,
            self.setup.window,
        )

    def _strategy(self, source: SourceSetup) -> Any:
        bounded = self.simulator.WatermarkStrategy.for_bounded_out_of_orderness
        strategy = bounded(source.max_out_of_orderness)
        if source.idle_timeout is not None:
            strategy = strategy.with_idleness(source.idle_timeout)
        if source.watermark_group is not None:
            strategy = strategy.with_watermark_alignment(
                source.watermark_group, source.max_allowed_watermark_drift, self.update_interval
            )
        return strategy


JOB = Component(
    name="job",
    title="a job",
    setup=JobSetup,
    scenario=JobScenario,
    calls={RunStep: lambda job, step: job.run()},
    module=reference_job,
    build=lambda module, setup, policies: SimulatedJob(setup, module),
    simplify=simplify,
    extras=(
        "alignment",
        "restart",
        "job-idleness",
        "job-backpressure",
        "job-windows",
        "job-out-of-orderness",
        "int64",
    ),
    mutants=JOB_MUTANTS,
)
