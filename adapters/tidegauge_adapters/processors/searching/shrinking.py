"""Shrink a trace on which a check fails to few events, simple values and round times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..playing.trace import Arrival, Passage, Trace
from ..processor_under_test import ProcessorUnderTest
from .drawing import Drawing

MOST_TRIES = 600
_ROUND = (86_400_000, 3_600_000, 60_000, 10_000, 1_000, 100, 10)

Event = Arrival | Passage


def shrunk(
    trace: Trace, fails: Callable[[Trace], bool], drawing: Drawing, subject: ProcessorUnderTest
) -> Trace:
    """Return the smallest trace that still fails, found within `MOST_TRIES` attempts."""
    tries = MOST_TRIES
    moves = (_without_events, _with_separate_passages, _plainer(drawing, subject), _rounder(subject))
    changed = True
    while changed and tries > 0:
        changed = False
        for move in moves:
            again = True
            while again and tries > 0:
                again = False
                for smaller in move(trace):
                    tries -= 1
                    if _is_possible(smaller) and fails(smaller):
                        trace, again, changed = smaller, True, True
                        break
                    if tries <= 0:
                        break
    return trace


def _is_possible(trace: Trace) -> bool:
    """Return whether a trace has events and its time only moves forward."""
    times = [event.to for event in trace if isinstance(event, Passage)]
    return bool(trace) and all(before < after for before, after in pairwise(times))


def _without_events(trace: Trace) -> Iterator[Trace]:
    half = len(trace) // 2
    if half > 1:
        yield trace[:half]
        yield trace[half:]
    for place in reversed(range(len(trace))):
        yield trace[:place] + trace[place + 1 :]


def _with_separate_passages(trace: Trace) -> Iterator[Trace]:
    for place, event in enumerate(trace):
        if isinstance(event, Passage) and event.with_rows:
            yield (*trace[:place], Passage(event.to), *trace[place + 1 :])


def _plainer(drawing: Drawing, subject: ProcessorUnderTest) -> Callable[[Trace], Iterator[Trace]]:
    first_key = dict(zip(subject.keys, drawing.values.keys[0], strict=True))

    def moves(trace: Trace) -> Iterator[Trace]:
        for place, event in enumerate(trace):
            if isinstance(event, Passage):
                continue
            candidates: list[dict[str, Any]] = []
            if any(event.row[name] != value for name, value in first_key.items()):
                candidates.append({**event.row, **first_key})
            for name in subject.values:
                simplest = drawing.values.simplest(name)
                if event.row[name] != simplest:
                    candidates.append({**event.row, name: simplest})
            for row in candidates:
                yield (*trace[:place], Arrival(row), *trace[place + 1 :])

    return moves


def _rounder(subject: ProcessorUnderTest) -> Callable[[Trace], Iterator[Trace]]:
    def moves(trace: Trace) -> Iterator[Trace]:
        times = sorted({time for event in trace if (time := _time(subject, event)) is not None})
        for place, event in enumerate(trace):
            time = _time(subject, event)
            if time is None:
                continue
            earlier = [other for other in times if other < time]
            rounder = [time // unit * unit for unit in _ROUND if time % unit and time // unit]
            for other in dict.fromkeys([*rounder, *earlier]):
                yield (*trace[:place], _moved(subject, event, other), *trace[place + 1 :])

    return moves


def _time(subject: ProcessorUnderTest, event: Event) -> int | None:
    if isinstance(event, Passage):
        return event.to
    return event.row[subject.time] if subject.time else None


def _moved(subject: ProcessorUnderTest, event: Event, time: int) -> Event:
    if isinstance(event, Passage):
        return replace(event, to=time)
    return Arrival({**event.row, subject.time: time})
