"""Alterations of a trace: rows that have nothing in common, or are not at the border of a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..playing.alteration import Alteration
from ..playing.player import Player
from ..playing.trace import Arrival, Batch, Key, Passage, Trace

_MOST_STEPS = 8
"""A row is moved away from that many timers that follow one another."""


def altered_trace(player: Player, alteration: Alteration, trace: Trace) -> Trace:
    """Return a trace whose rows are altered; the trace itself if nothing is."""
    if alteration.distinct:
        trace = _with_distinct(player, alteration.distinct, trace)
    if alteration.rows_off_timers:
        trace = _off_timers(player, alteration.rows_off_timers, trace)
    return trace


def _with_distinct(player: Player, column: str, trace: Trace) -> Trace:
    seen: dict[Key, set[Any]] = {}
    events: list[Arrival | Passage] = []
    for event in trace:
        if isinstance(event, Arrival) and event.row[column] is not None:
            of_key = seen.setdefault(player.rows.key(event), set())
            value = event.row[column]
            while value in of_key:
                value += 1
            of_key.add(value)
            if value != event.row[column]:
                event = Arrival({**event.row, column: value})
        events.append(event)
    return tuple(events) if any(a is not b for a, b in zip(events, trace, strict=True)) else trace


def _off_timers(player: Player, way: int, trace: Trace) -> Trace:
    events: list[Arrival | Passage] = []
    for event in trace:
        if isinstance(event, Arrival):
            for _ in range(_MOST_STEPS):
                if border_of(player, events, event) is None:
                    break
                time = player.rows.time(event) + way
                event = Arrival({**event.row, player.subject.time: time})
        events.append(event)
    return tuple(events) if any(a is not b for a, b in zip(events, trace, strict=True)) else trace


def border_of(player: Player, earlier: Sequence[Arrival | Passage], row: Arrival) -> int | None:
    """Return the time (ms) at which a row and a timer of its key meet; None if they do not.

    Either the time of the row equals a timer that is set, or the row sets a timer at the time of an earlier
    row.
    """
    key = player.rows.key(row)
    before = _timers(player, earlier, key)
    time = player.rows.time(row)
    if time in before:
        return time
    after = _timers(player, (*earlier, row), key)
    times = {
        player.rows.time(event)
        for event in earlier
        if isinstance(event, Arrival) and player.rows.key(event) == key
    }
    return min((after - before) & times, default=None)


def _timers(player: Player, events: Sequence[Arrival | Passage], key: Key) -> set[int]:
    batches = [
        Batch(number, to=event.to) if isinstance(event, Passage) else Batch(number, ((event,),))
        for number, event in enumerate(events)
    ]
    state = player.played(batches).states.get(key)
    return state.timers if state else set()
