"""Windows: the essay's examples, the boundaries of lateness, and real defects. Times of day are ms since
midnight; `fire` and `retract` name a window by start and end."""

from typing import Any, Literal

from ..vectors import Vector
from ..wire.steps.window import (
    ActiveStep,
    ExpiredStateStep,
    IdleStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowScenario,
    WindowSetup,
)
from ..wire.vocabulary import Drop, Error, Fire, Late, Restore, Retract, Snapshot, StateSize, Watermark
from .written import ACTIVE, IDLE, Line, time_of_day, vector

_RETRACTING: Literal["accumulating-and-retracting"] = "accumulating-and-retracting"
_NOTHING_EXPIRED = Line(ExpiredStateStep(), (StateSize(0),))
_NO_TIMESTAMP = Error("illegal-argument")


def _record(timestamp: int | str, value: int, *outputs: Any) -> Line:
    return Line(RecordStep(timestamp, value), outputs)


def _late(timestamp: int | str, value: int) -> Line:
    return _record(timestamp, value, Late(value))


def _watermark(timestamp: int | str, *results: Any) -> Line:
    """A watermark that is forwarded after `results`."""
    return Line(WatermarkStep(timestamp), (*results, Watermark(timestamp)))


def _ignored(timestamp: int | str) -> Line:
    return Line(WatermarkStep(timestamp), ())


def _fire(start: int | str, end: int | str, *values: int) -> Fire:
    return Fire(start, end, values)


def _retract(start: int, end: int, *values: int) -> Retract:
    return Retract(start, end, values)


def _window(
    name: str,
    title: str,
    source: str,
    rules: tuple[str, ...],
    setup: WindowSetup,
    lines: list[Line],
    needs: tuple[str, ...] = (),
) -> Vector:
    return vector(WindowScenario, name, title, source, rules, setup, lines, needs)


_QUARTERS = Tumbling(time_of_day(0, 15))

_ESSAY = (
    _window(
        "essay-11-45",
        "A watermark of 11:45 fires the window that ends at 11:45, and the result goes downstream before it",
        "E4, E5, E6, E12",
        ("WIN-1", "WIN-3", "WIN-6"),
        WindowSetup(_QUARTERS),
        [
            _record(time_of_day(11, 31), 1),
            _record(time_of_day(11, 50), 2),
            _record(time_of_day(11, 44), 3),
            _watermark(time_of_day(11, 40)),
            _record(time_of_day(11, 30), 4),
            _watermark(time_of_day(11, 45), _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 3, 4)),
        ],
    ),
    _window(
        "essay-one-millisecond",
        "The window that ends at 11:45 is complete with the watermark 11:45 less 1 ms, not earlier",
        "E5",
        ("WIN-3", "WIN-10"),
        WindowSetup(_QUARTERS),
        [
            _record(time_of_day(11, 44), 1),
            _watermark(time_of_day(11, 45) - 2),
            _record(time_of_day(11, 45) - 1, 2),
            _watermark(time_of_day(11, 45) - 1, _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 2)),
            _late(time_of_day(11, 45) - 1, 3),
            _record(time_of_day(11, 45), 4),
        ],
    ),
    _window(
        "essay-one-minute",
        "Watermarks a minute behind: complete while no data are later than that, and then comes one of 11:44",
        "E10, E18, E19, E20",
        ("WIN-3", "WIN-10", "WIN-11", "WIN-12"),
        WindowSetup(_QUARTERS),
        [
            _record(time_of_day(12, 29), 1),
            _watermark(time_of_day(12, 28)),
            _record(time_of_day(12, 30, 30), 2),
            _watermark(time_of_day(12, 29, 30)),
            _record(time_of_day(12, 29, 45), 3),
            _record(time_of_day(12, 31), 4),
            _watermark(time_of_day(12, 30), _fire(time_of_day(12, 15), time_of_day(12, 30), 1, 3)),
            _late(time_of_day(11, 44), 5),
        ],
    ),
    _window(
        "essay-allowed-lateness",
        "An hour of lateness: late data fire a new result until the state is cleaned, then they are dropped",
        "E15, E21, E22, E24",
        ("WIN-4", "WIN-8", "WIN-10", "WIN-12", "WIN-13"),
        WindowSetup(_QUARTERS, allowed_lateness=time_of_day(1, 0), late_output=False),
        [
            _record(time_of_day(11, 40), 1),
            _watermark(time_of_day(12, 29), _fire(time_of_day(11, 30), time_of_day(11, 45), 1)),
            _record(time_of_day(11, 44), 2, _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 2)),
            _watermark(time_of_day(12, 45) - 2),
            _record(time_of_day(11, 30), 3, _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 2, 3)),
            _watermark(time_of_day(12, 45) - 1),
            _NOTHING_EXPIRED,
            _record(time_of_day(11, 44), 4, Drop()),
        ],
    ),
    _window(
        "essay-retraction",
        "A new result within the allowed lateness takes back the old one first",
        "E3, E22, E23",
        ("WIN-4", "WIN-9"),
        WindowSetup(_QUARTERS, allowed_lateness=time_of_day(1, 0), accumulation=_RETRACTING),
        [
            _record(time_of_day(11, 40), 1),
            _watermark(time_of_day(11, 45), _fire(time_of_day(11, 30), time_of_day(11, 45), 1)),
            _record(
                time_of_day(11, 44),
                2,
                _retract(time_of_day(11, 30), time_of_day(11, 45), 1),
                _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 2),
            ),
            _record(
                time_of_day(11, 43),
                3,
                _retract(time_of_day(11, 30), time_of_day(11, 45), 1, 2),
                _fire(time_of_day(11, 30), time_of_day(11, 45), 1, 2, 3),
            ),
        ],
    ),
    _window(
        "essay-record-as-trigger",
        "The input event as trigger: every record fires, a watermark only ends the window",
        "E4",
        ("WIN-5", "WIN-10"),
        WindowSetup(Tumbling(10), trigger="per-record", accumulation="discarding"),
        [
            _record(3, 1, _fire(0, 10, 1)),
            _record(4, 2, _fire(0, 10, 2)),
            _watermark(8),
            _record(5, 3, _fire(0, 10, 3)),
            _watermark(9),
            _late(6, 4),
        ],
    ),
    _window(
        "essay-time-jumps-back",
        "A watermark that goes back fires nothing again and makes nothing timely",
        "E28, E48",
        ("WIN-7",),
        WindowSetup(Tumbling(10)),
        [
            _record(3, 1),
            _watermark(9, _fire(0, 10, 1)),
            _ignored(5),
            _late(7, 2),
            _ignored(9),
            _watermark(10),
        ],
    ),
    _window(
        "essay-resumed-channel",
        "The records of a channel that resumes and lags are judged like any other",
        "E46, E53",
        ("WIN-14", "WIN-10", "WIN-12"),
        WindowSetup(Tumbling(10), allowed_lateness=5),
        [
            _record(3, 1),
            _watermark(12, _fire(0, 10, 1)),
            Line(IdleStep(), (IDLE,)),
            Line(ActiveStep(), (ACTIVE,)),
            _record(4, 2, _fire(0, 10, 1, 2)),
            _watermark(14),
            Line(IdleStep(), (IDLE,)),
            Line(ActiveStep(), (ACTIVE,)),
            _late(4, 3),
            _record(11, 4),
        ],
    ),
)

_WINDOWS = (
    _window(
        "tumbling-offset-before-zero",
        "Windows of 5 ms from 2 ms on: 0 lies in [-3, 2)",
        "E8",
        ("WIN-1",),
        WindowSetup(Tumbling(5, 2)),
        [
            _record(0, 1),
            _record(-4, 2),
            _record(1, 3),
            _record(2, 4),
            _watermark(2, _fire(-8, -3, 2), _fire(-3, 2, 1, 3)),
        ],
    ),
    _window(
        "sliding-in-order",
        "A watermark that passes several windows fires them in the order of their ends",
        "E6, E12",
        ("WIN-1", "WIN-3", "WIN-6"),
        WindowSetup(Sliding(6, 2)),
        [
            _record(7, 1),
            _record(3, 2),
            _watermark(9, _fire(-2, 4, 2), _fire(0, 6, 2), _fire(2, 8, 1, 2), _fire(4, 10, 1)),
            _watermark("MAX", _fire(6, 12, 1)),
        ],
    ),
    _window(
        "sliding-record-fires-several",
        "A record within the allowed lateness of two windows fires both, and waits in the third",
        "E15, E22",
        ("WIN-4", "WIN-6", "WIN-10"),
        WindowSetup(Sliding(6, 2), allowed_lateness=3),
        [
            _watermark(7),
            _record(5, 1, _fire(0, 6, 1), _fire(2, 8, 1)),
            _watermark(9, _fire(4, 10, 1)),
            _record(5, 2, _fire(2, 8, 1, 2), _fire(4, 10, 1, 2)),
        ],
    ),
    _window(
        "sliding-gaps",
        "A record between two windows is in none: left out while in time, late when its time is over",
        "E24, FLINK-7611",
        ("WIN-1", "WIN-11", "WIN-12"),
        WindowSetup(Sliding(2, 5), allowed_lateness=3),
        [
            _record(3, 1),
            _record(5, 2),
            _watermark(5),
            _record(3, 3),
            _watermark(6, _fire(5, 7, 2)),
            _late(3, 4),
            _record(4, 5),
        ],
    ),
    _window(
        "session-retracts-both",
        "A record joins two sessions that have fired: both results are taken back",
        "E3, E23",
        ("WIN-2", "WIN-9"),
        WindowSetup(Session(4), allowed_lateness=20, accumulation=_RETRACTING),
        [
            _record(8, 1),
            _record(0, 2),
            _watermark(11, _fire(0, 4, 2), _fire(8, 12, 1)),
            _record(4, 3, _retract(0, 4, 2), _retract(8, 12, 1), _fire(0, 12, 1, 2, 3)),
            _record(11, 4),
            _watermark(14, _retract(0, 12, 1, 2, 3), _fire(0, 15, 1, 2, 3, 4)),
        ],
    ),
    _window(
        "state-until-the-watermark",
        "Records far ahead pile up while the watermark stands still, and nothing of them is lost",
        "A2, A4, E21",
        ("WIN-3", "WIN-13"),
        WindowSetup(Tumbling(10)),
        [
            _watermark(1000),
            *(_record(1010 + 3600 * number, number) for number in range(1, 6)),
            _watermark(1010),
            _record(4612, 6),
            _watermark(
                19_020,
                *(_fire(4610, 4620, 1, 6), _fire(8210, 8220, 2), _fire(11_810, 11_820, 3)),
                *(_fire(15_410, 15_420, 4), _fire(19_010, 19_020, 5)),
            ),
            _NOTHING_EXPIRED,
        ],
    ),
    _window(
        "end-of-time",
        "Near the end of time the cleanup time is MAX: the window waits for the end of input",
        "E24, WindowOperatorTest#testCleanupTimeOverflow",
        ("TIME-1", "WIN-10", "WIN-13"),
        WindowSetup(Tumbling(1000), allowed_lateness=2000),
        [
            _record("9223372036854774057", 1),
            _watermark("9223372036854774307"),
            _watermark("9223372036854774999", _fire("9223372036854774000", "9223372036854775000", 1)),
            _record("9223372036854774998", 2, _fire("9223372036854774000", "9223372036854775000", 1, 2)),
            _watermark("MAX"),
            _NOTHING_EXPIRED,
            _late("9223372036854774998", 3),
        ],
        needs=("int64",),
    ),
    _window(
        "no-timestamp",
        "A record without a timestamp is refused and changes nothing",
        "E8",
        ("WIN-15",),
        WindowSetup(Tumbling(10)),
        [
            _record("MIN", 1, _NO_TIMESTAMP),
            _record(3, 2),
            _watermark(9, _fire(0, 10, 2)),
            _record("MIN", 3, _NO_TIMESTAMP),
        ],
    ),
)

_DEFECTS = (
    _window(
        "FLINK-4994",
        "Firing clears a session's records, not its borders: a late record joins the session",
        "FLINK-4994",
        ("WIN-2", "WIN-8"),
        WindowSetup(Session(5), allowed_lateness=10, accumulation="discarding"),
        [
            _record(1, 1),
            _record(3, 3),
            _watermark(8, _fire(1, 8, 1, 3)),
            _record(4, 4, _fire(1, 9, 4)),
        ],
    ),
    _window(
        "FLINK-5713",
        "A record too late for a session of its own belongs to one that is kept",
        "FLINK-5713",
        ("WIN-2", "WIN-10"),
        WindowSetup(Session(4)),
        [
            _record(2, 1),
            _watermark(4),
            _record(0, 2),
            _watermark(5, _fire(0, 6, 1, 2)),
            _late(1, 3),
        ],
    ),
    _window(
        "FLINK-21305",
        "Late for two of its windows, a record still counts in the third",
        "FLINK-21305",
        ("WIN-10",),
        WindowSetup(Sliding(3000, 1000)),
        [
            _watermark(2999),
            _record(1500, 1),
            _watermark(3999, _fire(1000, 4000, 1)),
            _late(1500, 2),
        ],
    ),
    _window(
        "FLINK-36663",
        "After a restore windows that have fired do not fire again",
        "FLINK-36663",
        ("WIN-16",),
        WindowSetup(Sliding(3000, 1000), allowed_lateness=5000),
        [
            _record(4500, 1),
            _watermark(5000, _fire(2000, 5000, 1)),
            Line(Snapshot(), ()),
            Line(Restore(), ()),
            _watermark(6000, _fire(3000, 6000, 1)),
        ],
        needs=("snapshot",),
    ),
    _window(
        "purging",
        "Discarding: a late record fires a result of its own, until the state is cleaned",
        "E3, E21, E24, WindowOperatorTest#testLateness",
        ("WIN-4", "WIN-8", "WIN-12", "WIN-13"),
        WindowSetup(Tumbling(2000), allowed_lateness=500, accumulation="discarding"),
        [
            _record(500, 1),
            _watermark(1500),
            _record(1300, 2),
            _watermark(2300, _fire(0, 2000, 1, 2)),
            _record(1997, 3, _fire(0, 2000, 3)),
            _watermark(6000),
            _late(1998, 4),
            _watermark(7000),
        ],
    ),
)

VECTORS = (*_ESSAY, *_WINDOWS, *_DEFECTS)
