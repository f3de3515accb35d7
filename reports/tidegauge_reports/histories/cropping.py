"""How much of a history is drawn: the steps up to the first difference, on the lanes that matter there."""

from dataclasses import replace
from typing import TypeVar

from tidegauge.words.numbers import counted

from .history import Answer, History, Lane, Mark

LONGEST_DRAWN = 40
"""The number of steps that are drawn of a history."""

MOST_LANES = 16
"""The number of lanes that are drawn of a history."""

_AFTER_THE_DIFFERENCE = 3

Value = TypeVar("Value")


def crop(history: History) -> History:
    """The history with no more steps and lanes than have room, and a note on those that are left out."""
    return _fewer_lanes(_fewer_steps(history))


def _fewer_steps(history: History) -> History:
    if history.steps <= LONGEST_DRAWN:
        return history
    differs = 0 if history.differs is None else history.differs
    last = min(history.steps, max(LONGEST_DRAWN, differs + 1 + _AFTER_THE_DIFFERENCE))
    first = last - LONGEST_DRAWN
    note = f"steps {first + 1} to {last} of {history.steps:,}; the table has all"
    return replace(
        history,
        steps=last - first,
        first=first,
        lanes=[_lane(lane, first, last) for lane in history.lanes],
        moments=_moved(history.moments, first, last),
        passed=_moved(history.passed, first, last),
        expected=_answer(history.expected, first, last),
        got=_answer(history.got, first, last),
        together=[
            (max(start, first) - first, min(end, last - 1) - first)
            for start, end in history.together
            if end >= first and start < last
        ],
        differs=None if history.differs is None else history.differs - first,
        notes=[*history.notes, note],
    )


def _fewer_lanes(history: History) -> History:
    if len(history.lanes) <= MOST_LANES:
        return history
    until = history.steps if history.differs is None else history.differs

    def distance(lane: Lane) -> int:
        """How far before the difference the lane was last heard of."""
        return min((abs(until - mark.column) for mark in lane.marks), default=history.steps + 1)

    nearest = {id(lane) for lane in sorted(history.lanes, key=distance)[:MOST_LANES]}
    lanes = [lane for lane in history.lanes if id(lane) in nearest]
    left_out = counted(len(history.lanes) - len(lanes), "lane is", "lanes are")
    return replace(history, lanes=lanes, notes=[*history.notes, f"{left_out} left out"])


def _lane(lane: Lane, first: int, last: int) -> Lane:
    return Lane(
        names=lane.names,
        exists=lane.exists,
        marks=[Mark(mark.column - first, mark.kind, mark.timestamp, mark.label)
         for mark in lane.marks if first <= mark.column < last],
        levels=lane.levels[first : last + 1],
        during={kind: lasted[first : last + 1] for kind, lasted in lane.during.items()},
        told={side: [(column - first, value) for column, value in told if first <= column < last]
         for side, told in lane.told.items()},
        paused={side: lasted[first : last + 1] for side, lasted in lane.paused.items()},
    )  # fmt: skip


def _answer(answer: Answer, first: int, last: int) -> Answer:
    silent = answer.silent_from
    return Answer(
        answer.labels[first:last],
        answer.points[first:last],
        answer.windows[first:last],
        {name: levels[first : last + 1] for name, levels in answer.levels.items()},
        {kind: lasted[first : last + 1] for kind, lasted in answer.during.items()},
        None if silent is None or silent >= last else max(0, silent - first),
    )


def _moved(entries: dict[int, Value], first: int, last: int) -> dict[int, Value]:
    return {column - first: entry for column, entry in entries.items() if first <= column < last}
