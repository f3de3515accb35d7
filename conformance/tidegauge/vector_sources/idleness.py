"""Idleness on the input activity clock: the FLIP's examples and the contract of its delay. Timeouts and
what passes are ns, timestamps ms."""

from typing import Any

from ..vectors import Vector
from ..wire.steps.idleness import IdlenessScenario, IdlenessSetup, RecordStep, TickStep
from ..wire.vocabulary import Watermark
from .clock import BACKWARDS, RESTORED, SAVED, SECOND, WITHOUT_PAUSE, advance, pause, resume
from .written import ACTIVE, IDLE, Line, vector


def record(timestamp: int | str, *outputs: Any) -> Line:
    """A record; `outputs` are numbers (watermarks) and `ACTIVE`."""
    return Line(RecordStep(timestamp), _outputs(outputs))


def tick(*outputs: Any) -> Line:
    """A probe and periodic emit."""
    return Line(TickStep(), _outputs(outputs))


def _outputs(outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Watermark(output) if isinstance(output, int | str) else output for output in outputs)


def _idleness(
    name: str, title: str, source: str, rules: tuple[str, ...], setup: IdlenessSetup, lines: list[Line]
) -> Vector:
    needs = ("snapshot",) if SAVED in lines else ()
    return vector(IdlenessScenario, name, title, source, rules, setup, lines, needs)


THIRTY_SECONDS = IdlenessSetup("none", 30 * SECOND, nanoseconds=SECOND)
TEN = IdlenessSetup("none", 10, nanoseconds=7)
PUNCTUATED = IdlenessSetup("punctuated", 10, nanoseconds=7)
MONOTONOUS = IdlenessSetup("bounded-out-of-orderness", 30 * SECOND, nanoseconds=SECOND)
USERS_OWN = IdlenessSetup("after-silence", 30 * SECOND, 10_000, SECOND)

VECTORS = (
    _idleness(
        "delay-at-most",
        "A record just after a probe, probes every 10 s: IDLE at the latest T + 3p = 60 s after the record",
        "B21, B22, FLINK-40503",
        ("IDLE-1", "IDLE-2", "IDLE-3"),
        THIRTY_SECONDS,
        [
            tick(),
            record(1),
            advance(10 * SECOND),
            tick(),
            advance(10 * SECOND),
            tick(),
            advance(10 * SECOND),
            tick(),
            advance(10 * SECOND),
            tick(),
            advance(10 * SECOND),
            tick(),
            advance(10 * SECOND),
            tick(IDLE),
        ],
    ),
    _idleness(
        "delay-at-least",
        "Probed at once, an input is not idle when exactly the timeout has passed, and is 1 ns later",
        "B21, B22",
        ("IDLE-1",),
        TEN,
        [record(1), tick(), tick(), advance(10), tick(), advance(1), tick(IDLE)],
    ),
    _idleness(
        "late-countdown",
        "The countdown starts at the first quiet probe, however long ago the last record came",
        "B21",
        ("IDLE-2", "IDLE-3"),
        TEN,
        [record(1), tick(), advance(1000), tick(), advance(10), tick(), advance(1), tick(IDLE)],
    ),
    _idleness(
        "never-any-data",
        "An input that never had a record becomes idle, after one probe less",
        "B21, E44",
        ("IDLE-2",),
        TEN,
        [tick(), advance(11), tick(IDLE)],
    ),
    _idleness(
        "reading-zero",
        "A clock that reads 0 at the first quiet probe starts the countdown like any other",
        "B21",
        ("IDLE-2",),
        IdlenessSetup("none", 10),
        [tick(), advance(11), tick(IDLE)],
    ),
    _idleness(
        "silences-do-not-add-up",
        "Two silences of less than the timeout with a record between them",
        "B21",
        ("IDLE-3",),
        TEN,
        [tick(), advance(8), tick(), record(1), tick(), tick(), advance(8), tick(), advance(3), tick(IDLE)],
    ),
    _idleness(
        "backpressured-for-29900-ms",
        "Timeout 30 s, backpressured for 29.9 s after the last record: not idle 0.1 s later, but in the end",
        "B2, B37, B40, FLINK-35886",
        ("IDLE-1", "CLOCK-1"),
        THIRTY_SECONDS,
        [
            record(1),
            tick(),
            tick(),
            pause(),
            advance(29_900_000_000),
            tick(),
            resume(),
            advance(100_000_001),
            tick(),
            advance(29_900_000_000),
            tick(IDLE),
        ],
    ),
    _idleness(
        "idle-after-the-block",
        "Blocked for longer than the timeout, then really without data: IDLE is not lost with the block",
        "B37, B38, B39",
        ("IDLE-1", "CLOCK-1"),
        THIRTY_SECONDS,
        [
            record(1),
            tick(),
            tick(),
            pause("alignment"),
            advance(31 * SECOND),
            tick(),
            resume("alignment"),
            tick(),
            advance(31 * SECOND),
            tick(IDLE),
        ],
    ),
    _idleness(
        "partition-a-waits-for-b",
        "A at 1042 s is blocked by alignment while B works for the idle timeout; A was never idle",
        "B1, B3, B9, B12, B15, FLINK-35886",
        ("IDLE-1", "CLOCK-1"),
        MONOTONOUS,
        [
            record(1_042_001),
            tick(1_042_000),
            pause("alignment"),
            advance(20 * SECOND),
            tick(1_042_000),
            advance(20 * SECOND),
            tick(1_042_000),
            resume("alignment"),
            record(1_043_001),
            tick(1_043_000),
        ],
    ),
    _idleness(
        "two-reasons",
        "Alignment ends, backpressure does not: still blocked, still not idle",
        "B2, B3, B30",
        ("CLOCK-2",),
        THIRTY_SECONDS,
        [
            tick(),
            pause("alignment"),
            advance(20 * SECOND),
            pause("backpressure"),
            resume("alignment"),
            advance(20 * SECOND),
            tick(),
            resume("backpressure"),
            advance(30 * SECOND + 1),
            tick(IDLE),
        ],
    ),
    _idleness(
        "no-data-is-quiet",
        "The reader says that there is nothing to poll: that is what idleness is about",
        "B4, B29",
        ("CLOCK-3", "IDLE-1"),
        TEN,
        [
            record(1),
            tick(),
            pause("no-data"),
            tick(),
            advance(11),
            tick(IDLE),
            resume("no-data"),
            record(2, ACTIVE),
        ],
    ),
    _idleness(
        "busy-downstream",
        "Timeout 10, a record keeps the operators downstream busy for 15: no IDLE until real silence",
        "B4, B29, FLINK-40234",
        ("CLOCK-3",),
        TEN,
        [
            record(1),
            tick(),
            tick(),
            pause("busy-downstream"),
            advance(15),
            resume("busy-downstream"),
            tick(),
            advance(11),
            tick(IDLE),
        ],
    ),
    _idleness(
        "idle-once",
        "IDLE is said once, and the wrapped generator's periodic watermarks stop until a record comes",
        "E44, FLINK-28975",
        ("IDLE-4", "IDLE-5"),
        IdlenessSetup("bounded-out-of-orderness", 10, nanoseconds=7),
        [
            record(5),
            tick(4),
            tick(4),
            advance(11),
            tick(IDLE),
            tick(),
            advance(11),
            tick(),
            record(6, ACTIVE),
            tick(5),
        ],
    ),
    _idleness(
        "active-before-the-watermark",
        "A record ends idleness: ACTIVE, then the watermark that the generator takes from the record",
        "E46",
        ("IDLE-5",),
        PUNCTUATED,
        [tick(), advance(11), tick(IDLE), record(7, ACTIVE, 7), record(8, 8)],
    ),
    _idleness(
        "active-with-an-old-record",
        "A record that advances no watermark ends idleness too",
        "E46, FLINK-40504",
        ("IDLE-5",),
        IdlenessSetup("bounded-out-of-orderness", 10, nanoseconds=7),
        [record(9), tick(8), tick(8), advance(11), tick(IDLE), record(3, ACTIVE), tick(8)],
    ),
    _idleness(
        "users-own-generator",
        "A user's generator waits for a silence of 10 s on the activity clock: a block of 20 s is none",
        "B20, B27, B28, B34, B43",
        ("IDLE-6",),
        USERS_OWN,
        [
            record(500),
            pause("backpressure"),
            advance(20 * SECOND),
            tick(),
            resume("backpressure"),
            advance(10 * SECOND),
            tick(),
            advance(1),
            tick(500),
            record(700),
            tick(),
        ],
    ),
    _idleness(
        "users-own-generator-idle",
        "While the input is idle a user's generator is not asked either; afterwards a record comes first",
        "B20, B34, E44",
        ("IDLE-4", "IDLE-6"),
        IdlenessSetup("after-silence", 5 * SECOND, 10_000, SECOND),
        [
            record(500),
            tick(),
            tick(),
            advance(6 * SECOND),
            tick(IDLE),
            advance(6 * SECOND),
            tick(),
            record(400, ACTIVE),
            advance(11 * SECOND),
            tick(500),
        ],
    ),
    _idleness(
        "refused-by-the-clock",
        "What the clock refuses leaves the countdown as it was",
        "B19, B24",
        ("CLOCK-4", "CLOCK-5"),
        TEN,
        [
            tick(),
            advance(6),
            resume("alignment", WITHOUT_PAUSE),
            advance(-6, BACKWARDS),
            advance(5),
            tick(IDLE),
        ],
    ),
    _idleness(
        "restored-in-the-countdown",
        "A restored input counts on from where it was, and knows later that it is idle",
        "B38",
        ("IDLE-7", "CLOCK-6"),
        TEN,
        [
            tick(),
            advance(6),
            SAVED,
            RESTORED,
            advance(5),
            tick(IDLE),
            SAVED,
            RESTORED,
            tick(),
            record(1, ACTIVE),
        ],
    ),
)
