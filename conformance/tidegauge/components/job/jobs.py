"""The jobs of the suite. Times in ms, one record for each ms of event time."""

from msgspec.structs import replace

from ...wire.base_scenario import Origin
from ...wire.steps.job import Backpressure, JobScenario, JobSetup, SegmentSetup, SourceSetup, SubtaskSetup
from .segments import of_segments
from .transformations import CONTROL, TRANSFORMATIONS

DRIFT = 30_000
_RECORDS = 60_000
_SLOW, _FAST = 1, 10


def _subtasks(*rates: int, ends: tuple[int, ...] = ()) -> tuple[SubtaskSetup, ...]:
    limits = ends or tuple(_RECORDS for _ in rates)
    return tuple(SubtaskSetup(0, end, rate) for rate, end in zip(rates, limits, strict=True))


def _source(
    name: str, subtasks: tuple[SubtaskSetup, ...], group: str = "group-1", query: str = "query"
) -> SourceSetup:
    return SourceSetup(name, subtasks, group, DRIFT, query)


_FOUR = _subtasks(_SLOW, _FAST, _FAST, _FAST)
_QUARTER = 2**61
_UNTIL = 3 * _RECORDS
"""Three times as long as a conforming engine needs."""


_SECOND = 1_000
_WINDOW = 10 * _SECOND


def _worked_example(name: str, stays_at: int) -> JobSetup:
    """The example of the FLIP on blocked sources: A is blocked at 1042 s, B emits a large batch at 1000 s (or
    goes on to 1005 s) for three times the idle timeout, then jumps to 5000 s; A resumes at 1042 s."""
    a = of_segments(
        [
            SegmentSetup(1_000 * _SECOND, 43, _SECOND, 0, 10),
            SegmentSetup(1_042 * _SECOND, 60, _SECOND, 2_000, 10),
        ]
    )
    b = of_segments(
        [
            SegmentSetup(1_000 * _SECOND, 750, 0, 0, 10),
            SegmentSetup(stays_at * _SECOND, 750, 0, 7_500, 10),
            SegmentSetup(5_000 * _SECOND, 50, _SECOND, 15_100, 10),
        ]
    )
    sources = tuple(
        SourceSetup(source, (subtask,), "group-1", DRIFT, idle_timeout=5 * _SECOND)
        for source, subtask in (("a", a), ("b", b))
    )
    return JobSetup(name, sources, until=60 * _SECOND, window=_WINDOW)


def _backpressured(name: str, a: Backpressure, b: tuple[Backpressure, ...] = ()) -> JobSetup:
    """Two sources without alignment, one record each 100 ms; A cannot emit for three times the idle timeout,
    B goes on, or stops later."""
    feed = SegmentSetup(0, 300, 100, 0, 100)
    sources = (
        SourceSetup("a", (of_segments([feed], (a,)),), idle_timeout=3 * _SECOND),
        SourceSetup("b", (of_segments([feed], b),), idle_timeout=3 * _SECOND),
    )
    return JobSetup(name, sources, until=60 * _SECOND, window=_SECOND)


def _silent(name: str, drift: int | None = None, restarts: tuple[int, ...] = ()) -> JobSetup:
    """B goes on all the time. A pauses for less than its idle timeout, then has nothing for far longer; it
    comes back ahead of B, and slower, so that B overtakes it."""
    a = of_segments(
        [
            SegmentSetup(0, 40, 100, 0, 100),
            SegmentSetup(4 * _SECOND, 60, 100, 7 * _SECOND, 100),
            SegmentSetup(62 * _SECOND, 25, 100, 52 * _SECOND, _SECOND),
        ]
    )
    b = of_segments([SegmentSetup(0, 770, 100, 0, 100)])
    group = None if drift is None else "group-1"
    sources = tuple(
        SourceSetup(source, (subtask,), group, drift or 0, idle_timeout=5 * _SECOND)
        for source, subtask in (("a", a), ("b", b))
    )
    return JobSetup(name, sources, until=150 * _SECOND, restarts=restarts, window=_SECOND)


def _slow_and_fast(name: str, max_out_of_orderness: int = 0) -> JobSetup:
    """A slow and a fast subtask of one source, one record for each second of event time, with windows; to be
    compared with what is made of it (`transformations.py`)."""
    slow, fast = (of_segments([SegmentSetup(0, 120, _SECOND, 0, rate)]) for rate in (400, 100))
    source = SourceSetup(
        "events", (slow, fast), "group-1", 5 * _SECOND, max_out_of_orderness=max_out_of_orderness
    )
    return JobSetup(name, (source,), until=180 * _SECOND, window=_WINDOW)


def _window_state(name: str, restarts: tuple[int, ...] = ()) -> JobSetup:
    """A fast and a slow source in one group, and windows over both that wait for the slow one."""
    feeds = {"fast": SegmentSetup(0, 1_200, 100, 0, 20), "slow": SegmentSetup(0, 1_200, 100, 0, 100)}
    sources = tuple(
        SourceSetup(name, (of_segments([feed]),), "group-1", 5 * _SECOND) for name, feed in feeds.items()
    )
    return JobSetup(name, sources, until=240 * _SECOND, restarts=restarts, window=_SECOND)


_JOBS = (
    JobSetup("flip-182", (_source("numbers", _FOUR),), _UNTIL),
    JobSetup("flip-182-restarted", (_source("numbers", _FOUR),), _UNTIL, restarts=(12_000, 34_000)),
    JobSetup(
        "flip-182-literal",
        (
            _source(
                "numbers",
                tuple(
                    SubtaskSetup(
                        index * _QUARTER if index == 0 else str(index * _QUARTER),
                        "MAX" if index == 3 else str((index + 1) * _QUARTER),
                        _SLOW if index == 0 else _FAST,
                    )
                    for index in range(4)
                ),
            ),
        ),
        until=6_000,
        endless=True,
        split_range=True,
    ),
    JobSetup(
        "short-subtask",
        (_source("numbers", _subtasks(_SLOW, _FAST, _FAST, ends=(5_000, _RECORDS, _RECORDS))),),
        _UNTIL,
    ),
    JobSetup(
        "two-sources-one-query",
        (_source("fast", _subtasks(_FAST, _FAST)), _source("slow", _subtasks(_SLOW, _FAST))),
        _UNTIL,
    ),
    JobSetup(
        "two-sources-two-queries",
        (
            _source("fast", _subtasks(_FAST, _FAST), query="first"),
            _source("slow", _subtasks(_SLOW, _FAST), query="second"),
        ),
        _UNTIL,
    ),
    JobSetup(
        "two-groups",
        (
            _source("apart", _subtasks(_FAST, _FAST), group="group-2"),
            _source("slow", _subtasks(_SLOW, _FAST)),
        ),
        _UNTIL,
    ),
    _worked_example("blocked-is-not-idle", stays_at=1_000),
    _worked_example("blocked-is-not-idle-moving", stays_at=1_005),
    _backpressured("backpressured-is-not-idle", Backpressure(5 * _SECOND, 15 * _SECOND)),
    _backpressured(
        "backpressured-sooner-is-not-idle",
        Backpressure(5 * _SECOND, 15 * _SECOND),
        (Backpressure(9 * _SECOND, 15 * _SECOND),),
    ),
    _window_state("window-state"),
    _window_state("window-state-restarted", restarts=(20 * _SECOND, 50 * _SECOND)),
    JobSetup(
        "slow-and-fast",
        (SourceSetup("numbers", _subtasks(_SLOW, _FAST, ends=(30_000, 30_000)), "group-1", 4_000),),
        until=90 * _SECOND,
    ),
    _slow_and_fast("slow-and-fast-windows"),
    _slow_and_fast("slow-and-fast-out-of-order", max_out_of_orderness=5 * _SECOND),
    _silent("silent-is-idle"),
    _silent("silent-is-idle-aligned", drift=20 * _SECOND),
    _silent("silent-is-idle-restarted", restarts=(36 * _SECOND,)),
)


def needs_of(setup: JobSetup) -> tuple[str, ...]:
    """The capabilities that a job needs."""
    needs = ["restart"] if setup.restarts else []
    if setup.split_range:
        needs.append("int64")
    if setup.window is not None:
        needs.append("job-windows")
    if any(source.idle_timeout is not None for source in setup.sources):
        needs.append("job-idleness")
    if any(subtask.backpressure for source in setup.sources for subtask in source.subtasks):
        needs.append("job-backpressure")
    if any(source.max_out_of_orderness for source in setup.sources):
        needs.append("job-out-of-orderness")
    return tuple(needs)


def _scenario(setup: JobSetup) -> JobScenario:
    origin = Origin("vector", of="FLIP-182")
    return JobScenario(id=f"job:{setup.name}", setup=setup, needs=needs_of(setup), origin=origin)


JOBS = {setup.name: _scenario(setup) for setup in _JOBS}
"""The suite's jobs by name."""


def made_of(scenario: JobScenario, transformation: str) -> JobScenario | None:
    """The job that one of the `TRANSFORMATIONS` makes of a job; None if there is nothing to transform."""
    setup = TRANSFORMATIONS[transformation](scenario.setup)
    if setup is None:
        return None
    return replace(scenario, id=f"{scenario.id}:{transformation}", setup=setup, needs=needs_of(setup))


def control(scenario: JobScenario) -> JobScenario:
    """The same job without alignment and without restarts."""
    without = made_of(scenario, CONTROL)
    assert without is not None
    return without
