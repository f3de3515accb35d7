"""Jobs with a source that falls silent and comes back: engines in small and in large steps have the properties,
those that wait, or do not wait, do not."""

from __future__ import annotations

import pytest

from tidegauge.components.job import binding
from tidegauge.components.job.binding import SimulatedJob
from tidegauge.components.job.job_property import JobRun
from tidegauge.components.job.jobs import JOBS
from tidegauge.components.job.log import JobLog
from tidegauge.components.job.one_run import all_results
from tidegauge.components.job.silence import silent_not_waited_for
from tidegauge.engine.outputs import read_outputs
from tidegauge.wire.vocabulary import LogEvent

SILENT = [name for name, job in JOBS.items() if name.startswith("silent-")]
_BACK = 53_000


def ran(job: str, step: int) -> JobRun:
    """A job as an engine runs it that does all in steps of so many ms."""
    setup = JOBS[job].setup
    events = read_outputs(SimulatedJob(setup, update_interval=step).run())
    return JobRun(JobLog.of(setup, events), overshoot_ms=10 * step + 1, reaction_ms=step)


@pytest.mark.parametrize("step", [1_000, 5_000])
@pytest.mark.parametrize("job", SILENT)
def test_an_engine_that_works_in_batches_has_the_properties(
    job: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binding, "RESOLUTION", step)
    run = ran(job, step)
    assert silent_not_waited_for(run) is None
    assert all_results(run) is None


def test_a_window_that_fires_only_when_the_silent_source_is_back_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each window that only the source without data holds up has to fire before it is back, at either pace."""
    monkeypatch.setattr(binding, "RESOLUTION", 1_000)
    for reaction, last in ((1_000, 36), (5_000, 28)):
        run = ran("silent-is-idle", 1_000)
        named = 0
        for end in range(10_000, 60_000, 1_000):
            late = [_late(event, end) for event in run.log.events]
            wrong = JobRun(JobLog(run.log.setup, late), run.overshoot_ms, reaction)
            seen = silent_not_waited_for(wrong)
            named += seen is not None
            assert seen is None or seen.startswith(f"the window that ends at {end} fired at {_BACK} ms; by ")
        assert named >= last


def _late(event: object, end: int) -> LogEvent:
    assert isinstance(event, LogEvent)
    if event.kind == "fire" and event.event_time == end:
        return LogEvent("fire", event.source, event.subtask, end, _BACK, event.count)
    return event


def test_an_engine_that_fires_nothing_shows_nothing() -> None:
    for name in SILENT:
        run = JobRun(JobLog.of(JOBS[name].setup, ()), 1, 1_000)
        assert silent_not_waited_for(run) is not None
        assert all_results(run) is not None
