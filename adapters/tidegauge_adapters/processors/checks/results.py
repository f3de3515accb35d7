"""These checks test the results of a processor, and what remains after them.

Each result comes once and when it is due, streaming equals batch, and no timer and no state is left.
"""

from __future__ import annotations

from typing import Any

from ..batch_results import columns_of, differs_from_batch
from ..playing.player import Player
from ..playing.trace import Output, Passage, Trace
from ..watched.user_rows import ms_of
from ..words import key_text, row_text, state_text, time_text
from .check import Wrong


def once(player: Player, trace: Trace) -> Wrong | None:
    """Return a result that a key gets twice."""
    subject = player.subject
    played = player.as_spark(trace)
    seen: dict[Any, Output] = {}
    for output in played.outputs:
        if not subject.counts_once(columns_of(output.row)):
            continue
        result = (output.key, repr([output.row[name] for name in subject.once]))
        if result in seen:
            what = ", ".join(f"{name}={output.row[name]!r}" for name in subject.once)
            return Wrong(
                f"{key_text(subject, output.key)} gets the result with {what} twice: "
                f"{row_text(seen[result].row)}, then {row_text(output.row)}",
                tuple(played.outputs),
            )
        seen[result] = output
    return None


def nothing_left(player: Player, trace: Trace) -> Wrong | None:
    """Return a timer or a state that remains after time has passed all rows and timers."""
    subject = player.subject
    played = player.as_spark(trace)
    for key, state in sorted(played.states.items(), key=lambda item: repr(item[0])):
        end = time_text(subject, max(event.to for event in trace if isinstance(event, Passage)))
        passed = f"when the {subject.clock} has passed everything ({end})"
        if state.timers:
            return Wrong(
                f"timers of {key_text(subject, key)} never end: that of "
                f"{time_text(subject, min(state.timers))} is still set {passed}",
                tuple(played.outputs),
            )
        left = {name: value for name, value in state.values().items() if name not in subject.keeps}
        if left:
            return Wrong(
                f"state of {key_text(subject, key)} is left {passed}, and no timer will clear it: "
                f"{state_text(left)}; if it is to stay, declare keeps=({', '.join(map(repr, left))},)",
                tuple(played.outputs),
            )
    return None


def equals_batch(player: Player, trace: Trace) -> Wrong | None:
    """Return how the results differ from those of the batch function."""
    trace = player.separated(trace)
    played = player.as_spark(trace)
    problem = differs_from_batch(player, trace, played)
    return None if problem is None else Wrong(problem, tuple(played.outputs))


def due_in_time(player: Player, trace: Trace) -> Wrong | None:
    """Return a result of a timer that is too early or too late.

    A result is in time if it comes with the first passage of time that reaches its due time.
    """
    subject = player.subject
    played = player.as_spark(trace)
    for output in played.outputs:
        moment = output.row[subject.due]
        if moment is None or not output.by_timer:
            continue
        due = ms_of(moment)
        now, before = played.times[output.segment], played.times.get(output.segment - 1, 0)
        what = (
            f"{key_text(subject, output.key)} gets {row_text(output.row)}, which is due at "
            f"{time_text(subject, due)}, when the {subject.clock} is {time_text(subject, now)}"
        )
        if now < due:
            return Wrong(f"{what}: too early", tuple(played.outputs))
        if due <= before:
            return Wrong(
                f"{what}: too late, as it was {time_text(subject, before)} before", tuple(played.outputs)
            )
    return None
