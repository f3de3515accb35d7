"""State that grows without end, and state that is left at the end of the input."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tidegauge.wire.timestamps import MAX, MIN
from tidegauge.words.log_times import span_text, time_text

from ..findings import OperatorFindings
from .finding import LEAST_STRETCHES, Finding, sources_of, span_of
from .stretches import common

_LEAST_ROWS: Final = 1000
"""The minimum number of rows in a state that is worth a finding."""

_PARTS: Final = 8
"""The number of parts of the log. The smallest state of each part must exceed that of the part before."""

_FACTOR: Final = 2
"""The minimum ratio of the smallest state in the last part to the largest state in the first part."""

_SECOND_HALF: Final = 0.3
"""The minimum share of the growth in the second half of the log. The state of windows levels off."""

_MORE_THAN_TRAFFIC: Final = 1.5
"""The minimum growth of the state as a multiple of the growth of the traffic. With twice as many records per
hour a bounded state has twice as many rows."""

_KEEPERS: Final = ("dedupe", "symmetricHashJoin", "globalLimit", "flatMapGroups", "transformWithState")
"""Operators of Spark whose state does not wait for a window to fire."""


def growing_state(operators: Sequence[OperatorFindings], explained: bool) -> Iterator[Finding]:
    """Yield the operators of one job whose state grows; none if another finding explains it (`explained`)."""
    if explained:
        return
    for operator in operators:
        courses = {
            str(number): subtask.state
            for number, subtask in operator.signs.subtasks.items()
            if subtask.state.values
        }
        width, stretches = common(courses)
        # A subtask without a row about its state in a stretch keeps the state of the stretch before.
        places = sorted({place for course in stretches.values() for place in course})
        rows = [
            sum(each)
            for each in zip(*(_filled(course, places) for course in stretches.values()), strict=True)
        ]
        if len(rows) < LEAST_STRETCHES or rows[-1] < _LEAST_ROWS:
            continue
        parts = [rows[len(rows) * at // _PARTS : len(rows) * (at + 1) // _PARTS] for at in range(_PARTS)]
        lows = [min(part) for part in parts]
        growth = lows[-1] - lows[0]
        if any(later <= before for before, later in pairwise(lows)) or lows[-1] < _FACTOR * max(parts[0]):
            continue
        if lows[-1] - lows[_PARTS // 2] < _SECOND_HALF * growth:
            continue
        begin, end = places[0] * width, (places[-1] + 1) * width
        if lows[-1] < _MORE_THAN_TRAFFIC * _traffic_growth(operators, begin, end) * max(parts[0]):
            continue
        duration = (places[-1] - places[0]) * width
        per_hour = (rows[-1] - rows[0]) * 3_600_000 / max(duration, 1)
        yield Finding(
            name="growing-state",
            severity="warning",
            job=operator.job,
            source=operator.source,
            begin=max(places[0] * width, operator.begin or 0),
            worst=places[-1] * width,
            sentence=f"the state grew through the whole log, from {rows[0]:,} to {rows[-1]:,} rows: "
            f"{per_hour:,.0f} rows per hour",
            remedy=_why(operator),
        )


def _traffic_growth(operators: Sequence[OperatorFindings], begin: int, end: int) -> float:
    """Return how many times more records the sources emit in the last eighth of a period than in the first.

    begin, end: the period (ms). Returns 0 if the log does not show records in the first eighth.
    """
    eighth = (end - begin) // _PARTS
    first = last = 0
    for source in sources_of(operators):
        for subtask in source.signs.subtasks.values():
            for stretch, number in subtask.counts.values.items():
                at = stretch << subtask.counts.exponent
                first += number if begin <= at < begin + eighth else 0
                last += number if end - eighth <= at < end else 0
    return last / first if first else 0.0


def _filled(course: Mapping[int, int], places: Iterable[int]) -> Iterator[int]:
    """Yield the value at each place: the last one up to there, 0 before the first."""
    value = 0
    for place in places:
        value = course.get(place, value)
        yield value


def _why(operator: OperatorFindings) -> str:
    if not any(subtask.lags.values for subtask in operator.signs.subtasks.values()):
        return "the operator has no watermark, so nothing expires: set a watermark on its input"
    fires = operator.kinds.get("fire", 0)
    if fires:
        return (
            f"{fires:,} windows fired, and the state grew: bound what is kept beside windows by a time to "
            "live, or expire it by the watermark"
        )
    begin, end = span_of([operator])
    return (
        f"the watermark moves, and no window fired in {span_text(end - begin)}: bound the state by a window, "
        "a time to live, or a join condition on event time that is shorter than that"
    )


def unfired_windows(operators: Sequence[OperatorFindings]) -> Iterator[Finding]:
    """Yield the operators of one job that keep rows after all input has finished."""
    sources = [subtask for each in sources_of(operators) for subtask in each.signs.subtasks.values()]
    reached = [each.signs.greatest for each in operators if each.signs.greatest is not None]
    for operator in operators:
        subtasks = operator.signs.subtasks
        kept = sum(max(subtask.rows_in_state or 0, 0) for subtask in subtasks.values())
        marks = [subtask.watermark for subtask in subtasks.values() if subtask.watermark is not None]
        has_ended = all(subtask.is_finished for subtask in subtasks.values())
        inputs_ended = bool(sources) and all(subtask.is_finished for subtask in sources)
        if not kept or not marks or not (has_ended or inputs_ended):
            continue
        if operator.source.startswith(_KEEPERS):
            continue
        mark = min(marks)
        holding = max(subtasks, key=lambda number: (subtasks[number].rows_in_state or 0, -number))
        at = subtasks[holding].end
        far = max(reached) - mark if reached and mark not in (MIN, MAX) else 0
        advance = (
            f" It must rise by more than {span_text(far)} and the length of a window." if far > 0 else ""
        )
        yield Finding(
            name="unfired-windows",
            severity="error",
            job=operator.job,
            source=operator.source,
            begin=at,
            worst=at,
            part=str(holding),
            sentence=f"the input has finished, and {kept:,} rows are in windows that have not fired; the "
            f"last watermark is {time_text(mark)}",
            remedy="send the watermark MAX at the end of the input, or a last record per input that is later "
            f"than all windows.{advance}",
        )
