"""These checks test single calls of a processor: it accepts valid rows, and sets no timer in the past."""

from __future__ import annotations

from ..playing.player import Player
from ..playing.trace import Trace
from ..words import key_text, time_text
from .check import Wrong


def accepts(player: Player, trace: Trace) -> Wrong | None:
    """Return the exception that the processor raises, or the row or state that does not fit its schema."""
    played = player.as_spark(trace)
    if (problem := played.problem) is None:
        return None
    if problem.kind == "misfit":
        return Wrong(f"a row or a state {problem.text}", tuple(played.outputs))
    where = f" for {key_text(player.subject, problem.key)}" if problem.key else ""
    return Wrong(f"the processor raises{where}: {problem.text}", tuple(played.outputs))


def timers_ahead(player: Player, trace: Trace) -> Wrong | None:
    """Return the first timer that is set at or before the watermark."""
    played = player.as_spark(player.separated(trace))
    if not played.past_timers:
        return None
    subject = player.subject
    _, key, timer, now = played.past_timers[0]
    return Wrong(
        f"a timer of {key_text(subject, key)} is set at {time_text(subject, timer)} when the "
        f"{subject.clock} is {time_text(subject, now)} already: "
        "Spark fires it at once, at the end of that micro-batch or, if a timer handler sets it, of the next",
        tuple(played.outputs),
    )
