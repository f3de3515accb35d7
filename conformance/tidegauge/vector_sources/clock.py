"""The input activity clock: what the FLIP says of it, and known defects. Times are ns."""

from typing import Any

from ..vectors import Vector
from ..wire.steps.clock import AdvanceStep, ClockScenario, ClockSetup, PauseStep, ReadStep, Reason, ResumeStep
from ..wire.vocabulary import Error, Reading, Restore, Snapshot
from .written import Line, vector

SECOND = 1_000_000_000


def advance(nanoseconds: int, *outputs: Any) -> Line:
    """So much time passes."""
    return Line(AdvanceStep(nanoseconds), outputs)


def pause(reason: Reason = "backpressure") -> Line:
    """The input is not polled from now on."""
    return Line(PauseStep(reason), ())


def resume(reason: Reason = "backpressure", *outputs: Any) -> Line:
    """The input is polled again."""
    return Line(ResumeStep(reason), outputs)


def reads(nanoseconds: int) -> Line:
    """The clock is read, and this is what it shows."""
    return Line(ReadStep(), (Reading(nanoseconds),))


SAVED, RESTORED = Line(Snapshot(), ()), Line(Restore(), ())
WITHOUT_PAUSE, BACKWARDS = Error("illegal-state"), Error("illegal-argument")


def _clock(
    name: str, title: str, source: str, rules: tuple[str, ...], lines: list[Line], **setup: Any
) -> Vector:
    needs = ("snapshot",) if SAVED in lines else ()
    return vector(ClockScenario, name, title, source, rules, ClockSetup(**setup), lines, needs)


VECTORS = (
    _clock(
        "elapsed-time",
        "A clock of elapsed time, in ns, while nothing blocks the input",
        "B19, B24, B25",
        ("CLOCK-1",),
        [
            reads(0),
            advance(14),
            reads(14),
            advance(0),
            reads(14),
            advance(3 * SECOND),
            reads(3 * SECOND + 14),
        ],
    ),
    _clock(
        "any-origin",
        "Like nanoTime: the origin is arbitrary, the reading may be negative and pass 0",
        "B24",
        ("CLOCK-1",),
        [reads(-3), advance(2), reads(-1), advance(4), reads(3)],
        nanoseconds=-3,
    ),
    _clock(
        "blocked-for-29900-ms",
        "0.1 s after backpressure of 29.9 s the clock has shown 0.1 s",
        "B19, B40",
        ("CLOCK-1",),
        [
            pause(),
            advance(29_900_000_000),
            reads(0),
            resume(),
            reads(0),
            advance(100_000_000),
            reads(100_000_000),
        ],
    ),
    _clock(
        "blocked-by-alignment",
        "Time before, between and after two blocks counts, time in them does not",
        "B19, B30",
        ("CLOCK-1",),
        [
            advance(1),
            pause("alignment"),
            advance(10),
            resume("alignment"),
            advance(2),
            pause("alignment"),
            advance(20),
            resume("alignment"),
            advance(3),
            reads(6),
        ],
    ),
    _clock(
        "backpressure-and-alignment",
        "Backpressure ends while alignment still blocks: the input is blocked",
        "B30, FLINK-35886",
        ("CLOCK-2",),
        [
            advance(10),
            pause("backpressure"),
            advance(10),
            pause("alignment"),
            advance(10),
            resume("backpressure"),
            advance(10),
            reads(10),
            resume("alignment"),
            advance(10),
            reads(20),
        ],
    ),
    _clock(
        "paused-three-times",
        "The same reason may begin more than once; as many ends are needed",
        "B19, PausableRelativeClockTest#pausedTest",
        ("CLOCK-2",),
        [
            advance(14),
            pause(),
            advance(14),
            pause(),
            advance(14),
            resume(),
            advance(14),
            resume(),
            advance(14),
            pause(),
            advance(14),
            reads(28),
        ],
    ),
    _clock(
        "no-data",
        "An input that is polled and has nothing is not blocked",
        "B4, B29",
        ("CLOCK-3",),
        [advance(5), pause("no-data"), advance(7), reads(12), resume("no-data"), advance(1), reads(13)],
    ),
    _clock(
        "busy-downstream",
        "Time in which operators downstream are busy with a record is time in which nobody polls",
        "B4, B29, FLINK-40234",
        ("CLOCK-3",),
        [advance(5), pause("busy-downstream"), advance(15), resume("busy-downstream"), reads(5)],
    ),
    _clock(
        "resume-without-pause",
        "A resumption without a pause is refused, and the next pause is a pause",
        "B19",
        ("CLOCK-4",),
        [
            resume("backpressure", WITHOUT_PAUSE),
            pause(),
            advance(4),
            reads(0),
            resume(),
            resume("alignment", WITHOUT_PAUSE),
            advance(4),
            reads(4),
        ],
    ),
    _clock(
        "time-goes-back",
        "A wall clock that is set back does not set the activity clock back, paused or not",
        "B24",
        ("CLOCK-5",),
        [advance(9), advance(-1, BACKWARDS), reads(9), pause(), advance(-9, BACKWARDS), resume(), reads(9)],
    ),
    _clock(
        "restored-while-blocked",
        "A restored clock reads what it read and is still blocked",
        "B19",
        ("CLOCK-6",),
        [
            advance(3),
            pause("alignment"),
            advance(8),
            SAVED,
            resume("alignment"),
            advance(5),
            reads(8),
            RESTORED,
            reads(3),
            advance(5),
            reads(3),
            resume("alignment"),
            advance(1),
            reads(4),
        ],
    ),
)
