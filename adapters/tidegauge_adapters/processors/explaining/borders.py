"""Name the border in a counterexample: a row at the end of a window, or equal values of a key."""

from __future__ import annotations

from collections import Counter

from ..batch_results import compared_results
from ..playing.player import Player
from ..playing.trace import Arrival, Trace
from ..searching.search import Counterexample
from ..words import time_text, value_text
from .altered_traces import border_of


def tie_text(player: Player, counterexample: Counterexample, column: str) -> str:
    """Return a sentence about rows of a key with equal values in a column, which cause a counterexample."""
    subject, trace = player.subject, counterexample.trace
    rows = [event for event in trace if isinstance(event, Arrival)]
    values = Counter((player.rows.key(row), row.row[column]) for row in rows)
    (_, value), _ = values.most_common(1)[0]
    text = time_text(subject, value) if column == subject.time else value_text(value)
    what = f"two rows of the key have {column}={text}"
    expected, actual = _results(player, trace) if counterexample.check.name == "batch" else ([], [])
    lost = ", and one of them is lost" if len(actual) < len(expected) else ""
    return f"It would hold if no two rows of a key had the same {column}: {what}{lost}."


def border_text(player: Player, counterexample: Counterexample) -> str:
    """Return a sentence about a row exactly at the end of a window, which causes a counterexample.

    The batch function says whether the end belongs to the window: its results with the row at the end are
    those with the row 1 ms before, or those with the row 1 ms after.
    """
    trace = counterexample.trace
    for number, event in enumerate(trace):
        if isinstance(event, Arrival):
            border = border_of(player, trace[:number], event)
            if border is not None:
                break
    else:
        return ""
    at = f"a row's time equals the end of a window, {time_text(player.subject, border)}"
    text = f"It would hold if no row were exactly at the end of a window: {at}"
    if counterexample.check.name != "batch":
        return f"{text}."
    # The row that sets a timer at an earlier row comes closer to that row when it moves ahead.
    inward = -1 if player.rows.time(event) == border else 1
    inside = _numbers(player, _moved(player, trace, number, inward))
    outside = _numbers(player, _moved(player, trace, number, -inward))
    expected, actual = _numbers(player, trace)
    if inside[0] != outside[0]:
        if (expected, actual) == (inside[0], outside[1]):
            return f"{text}. It belongs to the window, and the processor leaves it out: `<` stands for `<=`."
        if (expected, actual) == (outside[0], inside[1]):
            return f"{text}. It is after the window, and the processor includes it: `<=` stands for `<`."
    return f"{text}."


def _moved(player: Player, trace: Trace, number: int, way: int) -> Trace:
    event = trace[number]
    assert isinstance(event, Arrival)
    row = Arrival({**event.row, player.subject.time: player.rows.time(event) + way})
    return player.ended((*trace[:number], row, *trace[number + 1 :]))


def _numbers(player: Player, trace: Trace) -> tuple[int, int]:
    """Return how many results the batch function has for a trace, and how many the processor."""
    expected, actual = _results(player, trace)
    return len(expected), len(actual)


def _results(player: Player, trace: Trace) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    return compared_results(player, trace, player.as_spark(trace))
