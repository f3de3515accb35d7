"""The low-watermark service of FLINK-4576: what its sentences say in situations that they do not name."""

from functools import partial

from ..wire.steps.low_watermark import (
    JobVertex,
    JoinStep,
    LeaveStep,
    LowWatermarkScenario,
    LowWatermarkSetup,
    NotifyStep,
    PartitionsStep,
    ReplyStep,
    RetrieveStep,
    TriggerStep,
    WatermarkStep,
)
from ..wire.vocabulary import (
    AnyOutput,
    Error,
    LowWatermark,
    NotifyNewLowWatermark,
    ReplyLowWatermark,
    Restore,
    RetrieveLowWatermark,
    Snapshot,
)
from .written import Line, vector

_ORDERS = "shop/orders"
_vector = partial(vector, LowWatermarkScenario)


def _orders(tasks: int, partitions: int, listening: bool = True) -> LowWatermarkSetup:
    return LowWatermarkSetup((JobVertex(_ORDERS, tasks, partitions, listening=listening),))


def _trigger(timestamp: int, *asked: int | str) -> Line:
    """`asked` are tasks of the orders, or addresses."""
    addresses = [f"{_ORDERS}/{task}" if isinstance(task, int) else task for task in asked]
    return Line(TriggerStep(timestamp), tuple(RetrieveLowWatermark(timestamp, to) for to in addresses))


def _told(result: int, triggered: int, *tasks: int, vertex: str = _ORDERS) -> tuple[AnyOutput, ...]:
    return tuple(NotifyNewLowWatermark(result, triggered, f"{vertex}/{task}") for task in tasks)


def _reply(task: int, value: int | str, outputs: tuple[AnyOutput, ...] = (), vertex: str = _ORDERS) -> Line:
    return Line(ReplyStep(vertex, task, value), outputs)


def _asked(task: int, answer: int | str | None, vertex: str = _ORDERS) -> Line:
    """The question of some round arrives at the task; without an answer it is ignored."""
    outputs = () if answer is None else (ReplyLowWatermark(f"{vertex}/{task}", answer),)
    return Line(RetrieveStep(vertex, task, 1000), outputs)


def _emitted(task: int, emitted: int | None, vertex: str) -> tuple[AnyOutput, ...]:
    return () if emitted is None else (LowWatermark(emitted, f"downstream of {vertex}/{task}"),)


def _notify(task: int, value: int | str, emitted: int | None = None, vertex: str = _ORDERS) -> Line:
    return Line(NotifyStep(vertex, task, value, 1000), _emitted(task, emitted, vertex))


def _partitions(task: int, count: int, emitted: int | None = None) -> Line:
    return Line(PartitionsStep(_ORDERS, task, count), _emitted(task, emitted, _ORDERS))


def _watermark(task: int, timestamp: int | str) -> Line:
    return Line(WatermarkStep(_ORDERS, task, timestamp), ())


def _join() -> Line:
    return Line(JoinStep(_ORDERS), ())


def _leave(task: int, outputs: tuple[AnyOutput, ...] = ()) -> Line:
    return Line(LeaveStep(_ORDERS, task), outputs)


_REFUSED = (Error("illegal-argument"),)

VECTORS = (
    _vector(
        "more-subtasks-than-partitions",
        "Three subtasks, two partitions: the empty one emits the lower of the other two, round after round",
        "C4, C10, C12, C13, C14, C15, C22, C23, C24",
        ("LOW-1", "LOW-3", "LOW-7", "LOW-9", "LOW-10", "LOW-11", "LOW-13", "LOW-14"),
        _orders(3, 2),
        [
            _watermark(0, 10),
            _watermark(1, 7),
            _trigger(1000, 0, 1, 2),
            _asked(0, 10),
            _asked(1, 7),
            _asked(2, "MIN"),
            _reply(0, 10),
            _reply(1, 7),
            _reply(2, "MIN", _told(7, 1000, 0, 1, 2)),
            _notify(0, 7),
            _notify(1, 7),
            _notify(2, 7, 7),
            _watermark(0, 20),
            _watermark(1, 15),
            _trigger(2000, 0, 1, 2),
            _asked(2, 7),
            _reply(2, 7),
            _reply(0, 20),
            _reply(1, 15, _told(15, 2000, 0, 1, 2)),
            _notify(2, 15, 15),
        ],
    ),
    _vector(
        "FLINK-4341",
        "An empty subtask has followed the others to 40; a partition that it is given at 50 is in time",
        "C2, C4, C5, FLINK-4341, FLINK-8001",
        ("LOW-11", "LOW-13", "LOW-14"),
        _orders(2, 1),
        [
            _partitions(1, 0),
            _notify(1, 40, 40),
            _asked(1, 40),
            _partitions(1, 1),
            _watermark(1, 50),
            _notify(1, 60),
            _asked(1, 50),
        ],
    ),
    _vector(
        "partition-moved-to-an-empty-subtask",
        "The only partition moves: the subtask that had it follows, the one that has it leads",
        "C3, C4, C14, C20",
        ("LOW-7", "LOW-9", "LOW-11", "LOW-13", "LOW-14"),
        _orders(2, 1),
        [
            _watermark(0, 45),
            _notify(0, 40),
            _notify(1, 40, 40),
            _partitions(0, 0),
            _partitions(1, 1),
            _watermark(1, 30),
            _asked(1, 40),
            _watermark(1, 50),
            _trigger(1000, 0, 1),
            _reply(0, 45),
            _reply(1, 50, _told(45, 1000, 0, 1)),
            _notify(0, 45),
            _notify(1, 45),
            _watermark(1, 60),
            _trigger(2000, 0, 1),
            _reply(1, 60),
            _reply(0, 45, _told(60, 2000, 0, 1)),
            _notify(0, 60, 60),
            _notify(1, 60),
        ],
    ),
    _vector(
        "all-partitions-gone",
        "All partitions are gone: time stops at the largest watermark, does not end, and goes on later",
        "C3, C4, C5, C14, C26",
        ("LOW-7", "LOW-9", "LOW-13"),
        _orders(2, 2),
        [
            _trigger(1000, 0, 1),
            _reply(0, 10),
            _reply(1, 20, _told(10, 1000, 0, 1)),
            _watermark(0, 10),
            _watermark(1, 20),
            _notify(0, 10),
            _notify(1, 10),
            _partitions(0, 0),
            _partitions(1, 0),
            _trigger(2000, 0, 1),
            _reply(0, 10),
            _reply(1, 20, _told(20, 2000, 0, 1)),
            _notify(0, 20, 20),
            _notify(1, 20),
            _trigger(3000, 0, 1),
            _reply(0, 20),
            _reply(1, 20),
            _partitions(0, 1),
            _trigger(4000, 0, 1),
            _reply(0, 25),
            _reply(1, 20, _told(25, 4000, 0, 1)),
            _notify(1, 25, 25),
        ],
    ),
    _vector(
        "told-before-it-was-empty",
        "A subtask at 12 was told 30; when its partitions are gone it emits 30 without waiting for a round",
        "C4, C20, C21",
        ("LOW-13", "LOW-14"),
        _orders(1, 1),
        [_watermark(0, 12), _notify(0, 30), _partitions(0, 2), _partitions(0, 0, 30), _partitions(0, 0)],
    ),
    _vector(
        "joined-in-mid-round",
        "A subtask that joins in mid-round is not awaited, its reply is ignored, and it is told the result",
        "C12, C15, C23",
        ("LOW-1", "LOW-3", "LOW-5", "LOW-10", "LOW-13"),
        _orders(2, 2),
        [
            _trigger(1000, 0, 1),
            _reply(0, 5),
            _join(),
            _reply(2, 1),
            _reply(1, 8, _told(5, 1000, 0, 1, 2)),
            _notify(2, 5, 5),
            _trigger(2000, 0, 1, 2),
        ],
    ),
    _vector(
        "late-replies",
        "A reply counts for the round that is open when it arrives, the last one of each task",
        "C10, C12, C23",
        ("LOW-3", "LOW-5", "LOW-6", "LOW-9"),
        _orders(2, 2),
        [
            _reply(0, 4),
            _trigger(1000, 0, 1),
            _reply(0, 5),
            _trigger(2000, 0, 1),
            _reply(1, 3),
            _reply(1, 9),
            _reply(0, 10, _told(9, 2000, 0, 1)),
            _reply(1, 11),
            _trigger(3000, 0, 1),
            _reply(0, 12),
            _reply(0, 14),
            _reply(1, 13, _told(13, 3000, 0, 1)),
        ],
    ),
    _vector(
        "missing-reply",
        "A reply is missing: the next trigger ends the round without a result and asks everybody again",
        "C7, C12, C23",
        ("LOW-1", "LOW-3", "LOW-5"),
        _orders(2, 2),
        [
            _trigger(1000, 0, 1),
            _reply(0, 5),
            _trigger(2000, 0, 1),
            _reply(1, 8),
            _reply(0, 6, _told(6, 2000, 0, 1)),
        ],
    ),
    _vector(
        "left-before-its-reply",
        "The last subtask that was awaited leaves: the round ends, and its late reply is ignored",
        "C3, C12, C15",
        ("LOW-3", "LOW-4", "LOW-5", "LOW-10"),
        _orders(3, 3),
        [
            _trigger(1000, 0, 1, 2),
            _reply(0, 5),
            _leave(2),
            _leave(1, _told(5, 1000, 0)),
            _reply(1, 3),
            _trigger(2000, 0),
            _leave(0),
            _trigger(3000),
        ],
    ),
    _vector(
        "left-after-its-reply",
        "What a subtask replied before it left still counts in that round",
        "C12, C13",
        ("LOW-9", "LOW-10"),
        _orders(2, 2),
        [_trigger(1000, 0, 1), _reply(1, 3), _leave(1), _reply(0, 5, _told(3, 1000, 0)), _trigger(2000, 0)],
    ),
    _vector(
        "hazard-of-larger",
        "A stalled subtask equals the last result and is left out; its partition is late where it moves to",
        "C14",
        ("LOW-7", "LOW-9", "LOW-11", "LOW-13"),
        _orders(3, 2),
        [
            _watermark(0, 40),
            _trigger(1000, 0, 1, 2),
            _reply(0, 40),
            _reply(1, 50),
            _reply(2, "MIN", _told(40, 1000, 0, 1, 2)),
            _notify(2, 40, 40),
            _trigger(2000, 0, 1, 2),
            _reply(0, 40),
            _reply(1, 90),
            _reply(2, 40, _told(90, 2000, 0, 1, 2)),
            _notify(2, 90, 90),
            _partitions(0, 0),
            _partitions(2, 1),
            _watermark(2, 41),
            _asked(2, 90),
            _notify(0, 90, 90),
        ],
    ),
    _vector(
        "nothing-larger",
        "Rounds in which no reply is larger than the last result end silently, and the result never falls",
        "C14, C26",
        ("LOW-7", "LOW-10"),
        _orders(2, 2),
        [
            _trigger(1000, 0, 1),
            _reply(0, 9),
            _reply(1, 7, _told(7, 1000, 0, 1)),
            _trigger(2000, 0, 1),
            _reply(0, 7),
            _reply(1, 3),
            _trigger(3000, 0, 1),
            _reply(0, "MIN"),
            _reply(1, 8, _told(8, 3000, 0, 1)),
        ],
    ),
    _vector(
        "end-of-input",
        "Subtasks that have read everything reply MAX: the others decide, and MAX is nobody's low watermark",
        "C5, FLINK-8001",
        ("LOW-8", "LOW-10"),
        _orders(3, 2),
        [
            _watermark(0, "MAX"),
            _asked(0, "MAX"),
            _trigger(1000, 0, 1, 2),
            _reply(0, "MAX"),
            _reply(1, 50),
            _reply(2, "MIN", _told(50, 1000, 0, 1, 2)),
            _notify(2, 50, 50),
            _trigger(2000, 0, 1, 2),
            _reply(0, "MAX"),
            _reply(1, "MAX"),
            _reply(2, 50),
            _notify(2, "MAX"),
            _partitions(2, 1),
            _watermark(2, 60),
            _trigger(3000, 0, 1, 2),
            _reply(0, "MAX"),
            _reply(1, "MAX"),
            _reply(2, 60, _told(60, 3000, 0, 1, 2)),
        ],
    ),
    _vector(
        "several-vertices",
        "Each source vertex has a round of its own; operators and sources that do not cooperate have none",
        "C8, C12, C15, C16, C18",
        ("LOW-1", "LOW-2", "LOW-3", "LOW-10"),
        LowWatermarkSetup(
            (
                JobVertex(_ORDERS, 1, 1),
                JobVertex("shop/payments", 2, 2),
                JobVertex("shop/files", 1, 0, cooperating=False),
                JobVertex("shop/join", 1, 0, source=False),
            )
        ),
        [
            _trigger(1000, "shop/orders/0", "shop/payments/0", "shop/payments/1"),
            _reply(0, 3, vertex="shop/payments"),
            _reply(0, 5, _told(5, 1000, 0)),
            _reply(0, 4, vertex="shop/files"),
            _reply(1, 2, _told(2, 1000, 0, 1, vertex="shop/payments"), vertex="shop/payments"),
            _asked(0, None, vertex="shop/files"),
            _notify(0, 5, vertex="shop/files"),
            _notify(0, 5),
        ],
    ),
    _vector(
        "nobody-listens",
        "A source without a listener is asked and told like any other, and emits nothing",
        "C19, C20",
        ("LOW-1", "LOW-10", "LOW-11", "LOW-12"),
        _orders(2, 1, listening=False),
        [
            _trigger(1000, 0, 1),
            _reply(0, 5),
            _asked(1, "MIN"),
            _reply(1, "MIN", _told(5, 1000, 0, 1)),
            _notify(1, 5),
            _partitions(1, 0),
            _asked(1, "MIN"),
        ],
    ),
    _vector(
        "current-low-watermark",
        "A subtask replies with the greatest watermark it has emitted, MIN before the first",
        "C10, C23, C25",
        ("LOW-11",),
        _orders(1, 1),
        [_asked(0, "MIN"), _watermark(0, 8), _watermark(0, 6), _asked(0, 8), _watermark(0, 9), _asked(0, 9)],
    ),
    _vector(
        "notifications-out-of-order",
        "An older or repeated notification makes an empty subtask emit nothing",
        "C4, C26",
        ("LOW-13",),
        _orders(2, 1),
        [_notify(1, 50, 50), _notify(1, 40), _notify(1, 50), _asked(1, 50), _notify(1, 51, 51)],
    ),
    _vector(
        "who-is-not-there",
        "Unknown vertices and tasks are refused, and tasks that have left; their numbers are not used again",
        "C22, C23, C24",
        ("LOW-15",),
        _orders(2, 1),
        [
            _notify(1, 10, 10),
            _leave(1),
            Line(NotifyStep(_ORDERS, 1, 20, 1000), _REFUSED),
            Line(RetrieveStep(_ORDERS, 1, 1000), _REFUSED),
            Line(LeaveStep(_ORDERS, 1), _REFUSED),
            Line(WatermarkStep(_ORDERS, -1, 30), _REFUSED),
            Line(PartitionsStep("shop/nowhere", 0, 1), _REFUSED),
            Line(ReplyStep("shop/nowhere", 0, 30), _REFUSED),
            _join(),
            _asked(2, "MIN"),
            _notify(2, 20, 20),
            _asked(0, "MIN"),
        ],
    ),
    _vector(
        "restored-in-mid-round",
        "A service that is restored in mid-round ends the round as it would have",
        "C12, C14",
        ("LOW-3", "LOW-7", "LOW-9", "LOW-16"),
        _orders(2, 1),
        [
            _trigger(1000, 0, 1),
            _reply(1, "MIN"),
            _reply(0, 5, _told(5, 1000, 0, 1)),
            _notify(1, 5, 5),
            _trigger(2000, 0, 1),
            _reply(0, 7),
            Line(Snapshot(), ()),
            Line(Restore(), ()),
            _reply(1, 5, _told(7, 2000, 0, 1)),
            _notify(1, 7, 7),
        ],
        needs=("snapshot",),
    ),
)
