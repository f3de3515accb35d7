"""The combination of splits and of inputs, by hand: the essay's minimum, FLIP-471's example, known defects.

Worked out from the sentences named; where Flink's own tests of its multiplexer have the case, their numbers.
"""

from typing import Any

from ..vectors import Vector
from ..wire.steps.splits import (
    AddSplitStep,
    InputActiveStep,
    InputIdleStep,
    InputWatermarkStep,
    OperatorInputsSetup,
    RemoveSplitStep,
    SplitActiveStep,
    SplitIdleStep,
    SplitOutputsSetup,
    SplitsScenario,
    SplitWatermarkStep,
    TickStep,
)
from ..wire.vocabulary import AnyOutput, Error, Restore, Snapshot, Step, Watermark
from .written import ACTIVE, IDLE, Line, vector

UNKNOWN = Error("illegal-argument")
DOUBLE = Error("illegal-state")


def _line(step: Step, outputs: tuple[Any, ...]) -> Line:
    wanted: tuple[AnyOutput, ...] = tuple(
        Watermark(output) if isinstance(output, int | str) else output for output in outputs
    )
    return Line(step, wanted)


def _add(split: str, *outputs: Any) -> Line:
    return _line(AddSplitStep(split), outputs)


def _remove(split: str, *outputs: Any) -> Line:
    return _line(RemoveSplitStep(split), outputs)


def _watermark(part: str | int, timestamp: int | str, *outputs: Any) -> Line:
    if isinstance(part, int):
        return _line(InputWatermarkStep(part, timestamp), outputs)
    return _line(SplitWatermarkStep(part, timestamp), outputs)


def _idle(part: str | int, *outputs: Any) -> Line:
    return _line(InputIdleStep(part) if isinstance(part, int) else SplitIdleStep(part), outputs)


def _active(part: str | int, *outputs: Any) -> Line:
    return _line(InputActiveStep(part) if isinstance(part, int) else SplitActiveStep(part), outputs)


def _later_watermark(split: str, timestamp: int | str) -> Line:
    return _line(SplitWatermarkStep(split, timestamp, deferred=True), ())


def _later_idle(split: str) -> Line:
    return _line(SplitIdleStep(split, deferred=True), ())


def _tick(*outputs: Any) -> Line:
    return _line(TickStep(), outputs)


def _splits(
    name: str, title: str, source: str, rules: tuple[str, ...], lines: list[Line], needs: tuple[str, ...] = ()
) -> Vector:
    return vector(SplitsScenario, name, title, source, rules, SplitOutputsSetup(), lines, needs)


def _inputs(
    name: str, title: str, source: str, rules: tuple[str, ...], inputs: int, lines: list[Line]
) -> Vector:
    return vector(SplitsScenario, name, title, source, rules, OperatorInputsSetup(inputs), lines)


def _seconds(seconds: int) -> int:
    return seconds * 1000


VECTORS = (
    _splits(
        "assigned-split-is-waited-for",
        "Two splits are assigned, one delivers 100: nothing goes out before the other's first word",
        "E29, E30, FLINK-26018",
        ("SPLIT-1", "SPLIT-2"),
        [_add("a"), _add("b"), _watermark("a", 100), _watermark("b", 5, 5)],
    ),
    _splits(
        "slowest-split-shows",
        "A split that is far ahead does not show in the subtask's watermark",
        "A10, E29",
        ("SPLIT-2", "SPLIT-3"),
        [
            _add("slow"),
            _add("fast"),
            _watermark("fast", _seconds(5000)),
            _watermark("slow", _seconds(10), _seconds(10)),
            _watermark("fast", _seconds(9000)),
            _watermark("slow", _seconds(9)),
            _watermark("slow", _seconds(11), _seconds(11)),
        ],
    ),
    _splits(
        "blocked-split-marked-idle",
        "A at 1042 s is marked idle while it is blocked, B jumps to 5000 s: so does time, A comes too late",
        "B5, B6, B8, B13, B14, B15",
        ("SPLIT-4", "SPLIT-9"),
        [
            _add("A"),
            _add("B"),
            _watermark("A", _seconds(1042)),
            _watermark("B", _seconds(1000), _seconds(1000)),
            _watermark("B", _seconds(1005), _seconds(1005)),
            _idle("A"),
            _watermark("B", _seconds(5000), _seconds(5000)),
            _active("A"),
            _watermark("A", _seconds(1043)),
            _watermark("B", _seconds(5001)),
        ],
    ),
    _splits(
        "idle-split-releases-the-rest",
        "The slowest split becomes idle: the next one's watermark goes out at once, and stays",
        "E42, E45",
        ("SPLIT-4", "SPLIT-9", "SPLIT-10"),
        [
            _add("a"),
            _add("b"),
            _watermark("a", 2),
            _watermark("b", 5, 2),
            _idle("a", 5),
            _watermark("a", 3),
            _watermark("b", 9),
            _watermark("a", 7, 7),
        ],
    ),
    _splits(
        "deferred-until-the-tick",
        "Deferred watermarks go out at the tick; one that is lower than its split's own changes nothing",
        "E28, E34",
        ("SPLIT-3", "SPLIT-10"),
        [
            _add("a"),
            _add("b"),
            _later_watermark("a", 5),
            _later_watermark("b", 1),
            _watermark("a", 2),
            _tick(1),
            _later_watermark("b", 3),
            _later_watermark("b", 2),
            _tick(3),
            _tick(),
        ],
    ),
    _splits(
        "immediate-takes-the-deferred-along",
        "An immediate watermark sends what another split has deferred",
        "E29, E34",
        ("SPLIT-2", "SPLIT-10"),
        [_add("i"), _add("d"), _later_watermark("d", 5), _watermark("i", 2, 2), _watermark("i", 8, 5)],
    ),
    _splits(
        "all-idle-slow-one-first",
        "Splits at 5 and 4, the slow one becomes idle first: 4, then 5, then IDLE",
        "E44, E45, FLINK-38454",
        ("SPLIT-4", "SPLIT-6"),
        [_add("a"), _add("b"), _watermark("a", 5), _watermark("b", 4, 4), _idle("b", 5), _idle("a", IDLE)],
    ),
    _splits(
        "all-idle-fast-one-first",
        "Splits at 5 and 4, the fast one becomes idle first: 4, then 5, then IDLE all the same",
        "E44, E45, FLINK-38454",
        ("SPLIT-5", "SPLIT-6"),
        [
            _add("a"),
            _add("b"),
            _watermark("a", 5),
            _watermark("b", 4, 4),
            _idle("a"),
            _idle("b", 5, IDLE),
            _idle("b"),
            _tick(),
        ],
    ),
    _splits(
        "resumed-without-rising",
        "All idle at 5, a split delivers 3: ACTIVE at once, and no watermark until one rises",
        "E46, E48, FLINK-40504",
        ("SPLIT-3", "SPLIT-8"),
        [
            _add("a"),
            _add("b"),
            _watermark("a", 5),
            _watermark("b", 2, 2),
            _idle("a"),
            _idle("b", 5, IDLE),
            _watermark("a", 3, ACTIVE),
            _watermark("a", 6, 6),
        ],
    ),
    _splits(
        "resumed-at-the-tick",
        "The same through deferred outputs: everything at the ticks",
        "E46, FLINK-40504",
        ("SPLIT-5", "SPLIT-8", "SPLIT-10"),
        [
            _add("a"),
            _add("b"),
            _later_watermark("a", 5),
            _later_watermark("b", 2),
            _later_idle("a"),
            _later_idle("b"),
            _tick(5, IDLE),
            _tick(),
            _later_watermark("a", 3),
            _tick(ACTIVE),
        ],
    ),
    _splits(
        "flush-after-idle",
        "All idle, then a new split delivers 9 and becomes idle before the tick: ACTIVE, 9, IDLE",
        "E44, E46",
        ("SPLIT-5", "SPLIT-6", "SPLIT-8"),
        [
            _add("a"),
            _watermark("a", 5, 5),
            _idle("a", IDLE),
            _add("b"),
            _later_watermark("b", 9),
            _later_idle("b"),
            _tick(ACTIVE, 9, IDLE),
        ],
    ),
    _splits(
        "subtask-without-splits",
        "No split: IDLE at the tick and never MAX; a split is assigned: ACTIVE; it goes: IDLE",
        "C5, FLINK-8001, FLINK-22926, FLINK-39586",
        ("SPLIT-7", "SPLIT-8", "SPLIT-1"),
        [
            _tick(IDLE),
            _tick(),
            _add("a"),
            _tick(ACTIVE),
            _watermark("a", 5, 5),
            _remove("a"),
            _tick(IDLE),
        ],
    ),
    _splits(
        "removed-slowest-split",
        "The slowest split is removed: the next tick sends the minimum of the rest",
        "E29, E34",
        ("SPLIT-10", "SPLIT-2"),
        [
            _add("lower"),
            _add("higher"),
            _watermark("lower", -4343),
            _watermark("higher", -4333, -4343),
            _remove("lower"),
            _remove("lower"),
            _tick(-4333),
        ],
    ),
    _splits(
        "new-split-behind",
        "A new split starts behind what has been sent: time waits for it and does not go back",
        "E29, E48",
        ("SPLIT-9", "SPLIT-2"),
        [
            _add("higher"),
            _watermark("higher", 2, 2),
            _remove("higher"),
            _add("lower"),
            _watermark("lower", 1),
            _tick(),
            _watermark("lower", 3, 3),
        ],
    ),
    _splits(
        "finished-split-and-idle-rest",
        "One split has ended, the other is idle: IDLE, not the end of time; MAX when both have ended",
        "E5, E45, FLINK-38477",
        ("SPLIT-11", "SPLIT-6"),
        [
            _add("a"),
            _add("b"),
            _watermark("a", "MAX"),
            _watermark("b", 5, 5),
            _idle("b", IDLE),
            _watermark("b", 6, ACTIVE, 6),
            _watermark("b", "MAX", "MAX"),
        ],
    ),
    _splits(
        "refused-splits",
        "Steps on a split that is not there, and a split added twice, are refused and change nothing",
        "E29",
        ("SPLIT-12",),
        [
            _add("a"),
            _watermark("a", 3, 3),
            _add("a", DOUBLE),
            _watermark("b", 9, UNKNOWN),
            _idle("b", UNKNOWN),
            _active("b", UNKNOWN),
            _remove("b"),
            _tick(),
            _idle("a", IDLE),
        ],
    ),
    _splits(
        "restored-with-deferred-changes",
        "What was deferred before a failure goes out after it, and who is idle is still known",
        "E48, FLINK-32828",
        ("SPLIT-13",),
        [
            _add("a"),
            _add("b"),
            _later_watermark("a", 5),
            _later_idle("b"),
            _line(Snapshot(), ()),
            _later_watermark("a", 6),
            _line(Restore(), ()),
            _tick(5),
            _idle("a", IDLE),
        ],
        needs=("snapshot",),
    ),
    _inputs(
        "inputs-minimum-of-maxima",
        "Three inputs: the maximum of each, then the minimum over them",
        "E28, E29, E30, E31",
        ("SPLIT-1", "SPLIT-2", "SPLIT-3"),
        3,
        [
            _watermark(0, 17),
            _watermark(1, 14),
            _watermark(2, 20, 14),
            _watermark(1, 12),
            _watermark(1, 19, 17),
            _watermark(0, 22, 19),
        ],
    ),
    _inputs(
        "inputs-are-no-valve",
        "An input comes back behind: it holds the output; a valve would leave it out (essay-resumed-lagging)",
        "E29, E45, E48",
        ("SPLIT-9", "SPLIT-4"),
        2,
        [
            _watermark(0, 5),
            _watermark(1, 4, 4),
            _idle(1, 5),
            _watermark(0, 10, 10),
            _active(1),
            _watermark(1, 7),
            _watermark(0, 12),
            _watermark(1, 12, 12),
            _watermark(0, 20),
            _watermark(1, 15, 15),
        ],
    ),
    _inputs(
        "inputs-idle-and-back",
        "All inputs idle: IDLE; a watermark on an idle input brings the operator back, also when it is old",
        "E42, E44, E45, E46",
        ("SPLIT-4", "SPLIT-6", "SPLIT-8"),
        2,
        [
            _watermark(0, 5),
            _idle(1, 5),
            _idle(0, IDLE),
            _active(0, ACTIVE),
            _idle(0, IDLE),
            _watermark(1, 3, ACTIVE),
            _watermark(1, 7, 7),
            _watermark(2, 9, UNKNOWN),
            _idle(-1, UNKNOWN),
        ],
    ),
)
