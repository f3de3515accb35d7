"""This module draws traces.

Most event times are near the times that decide the output of a processor: the times of its timers, the
distance from a row to its timers, and one ms before or after these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    MapType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from ..playing.player import Player
from ..playing.trace import Arrival, Batch, Passage, Trace
from ..processor_under_test import ProcessorUnderTest

MOST_EVENTS = 12
_DENSE = 0.15
"""The share of traces with many similar rows of one key, for rules about several results of a key."""

_EVENTS_OF_DENSE = 24
_KEYS = 3
_BESIDE = (0, 0, 1, -1)
_TICKS = (1, 100, 1_000, 10_000)
_FIRST_STEPS = (1, 7, 1_000, 10_000, 60_000, 3_600_000)


class Values:
    """The values for each column come from the examples of the user, or are a few values of its type."""

    def __init__(self, subject: ProcessorUnderTest) -> None:
        self._subject = subject
        self._known = {name: self._values(name) for name in subject.inputs.names if name != subject.time}
        self.keys = self._keys()

    def row(
        self, random: Random, time: int, earlier: Sequence[Arrival | Passage], dense: bool
    ) -> dict[str, Any]:
        """Draw a row with an event time (ms).

        Some rows repeat an earlier row at another time; in a dense trace most do, and all have one key.
        """
        rows = [event.row for event in earlier if isinstance(event, Arrival)]
        if rows and random.random() < (0.8 if dense else 0.4):
            again = dict(random.choice(rows))
            return {**again, self._subject.time: time} if self._subject.time else again
        key = self.keys[0] if dense or random.random() < 0.7 else random.choice(self.keys)
        chosen = {name: random.choice(self._known[name]) for name in self._subject.values}
        row = dict(zip(self._subject.keys, key, strict=True)) | chosen
        if self._subject.time:
            row[self._subject.time] = time
        return {name: row[name] for name in self._subject.inputs.names}

    def simplest(self, name: str) -> Any:
        """Return the first value of a column."""
        return self._known[name][0]

    def _keys(self) -> list[tuple[Any, ...]]:
        columns = [self._known[name] for name in self._subject.keys]
        return [tuple(values[number % len(values)] for values in columns) for number in range(_KEYS)]

    def _values(self, name: str) -> list[Any]:
        rows = [*self._subject.examples, *self._subject.initial_rows]
        given = [row[name] for row in rows if name in row]
        distinct = [value for number, value in enumerate(given) if value not in given[:number]]
        of_type = _of_type(self._subject.inputs[name].dataType)
        if name in self._subject.keys or _is_open(self._subject.inputs[name].dataType):
            return [*distinct, *(value for value in of_type if value not in distinct)]
        return distinct or of_type


def _is_open(kind: DataType) -> bool:
    """Return whether any value of a type is plausible input.

    Strings are not: a string column may accept only a few words.
    """
    return isinstance(kind, IntegralType | FractionalType | DecimalType | BooleanType)


def _of_type(kind: DataType) -> list[Any]:
    if isinstance(kind, BooleanType):
        return [True, False]
    if isinstance(kind, IntegralType):
        return [1, 2, 3, 5]
    if isinstance(kind, DecimalType):
        return [Decimal(number) for number in (1, 2, 3)]
    if isinstance(kind, FractionalType):
        return [1.0, 2.5, 4.0]
    if isinstance(kind, StringType):
        return ["a", "b", "c"]
    if isinstance(kind, TimestampType):
        return [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC)]
    if isinstance(kind, TimestampNTZType):
        return [datetime(2024, 1, 1), datetime(2024, 1, 2)]
    if isinstance(kind, DateType):
        return [date(2024, 1, 1), date(2024, 1, 2)]
    if isinstance(kind, ArrayType):
        return [[value] for value in _of_type(kind.elementType)]
    if isinstance(kind, MapType):
        return [{_of_type(kind.keyType)[0]: value} for value in _of_type(kind.valueType)]
    if isinstance(kind, StructType):
        return [
            {field.name: (values := _of_type(field.dataType))[number % len(values)] for field in kind}
            for number in range(3)
        ]
    return [None]


class Drawing:
    """Draws traces for one processor.

    Attributes:
        values: the values of columns.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self._subject = player.subject
        self.values = Values(player.subject)
        self._distances: list[int] = list(_FIRST_STEPS)

    def trace(self, random: Random) -> Trace:
        """Draw a trace. The processor handles each event as it is drawn, which reveals its timers."""
        events: list[Arrival | Passage] = []
        times = [self._subject.start + random.choice((0, 0, 1, 500))]
        now = self._subject.start if self._subject.mode == "ProcessingTime" else 0
        timers: list[int] = []
        dense = random.random() < _DENSE
        for _ in range(_EVENTS_OF_DENSE if dense else random.randint(2, MOST_EVENTS)):
            passes = self._subject.mode != "None" and events and random.random() < (0.15 if dense else 0.3)
            if passes:
                to = self._later(random, now, times, timers)
                if to is None:
                    continue
                now = to
                events.append(Passage(to))
            else:
                time = self._time(random, now, times, timers)
                times.append(time)
                events.append(Arrival(self.values.row(random, time, events, dense)))
            timers = self._timers(events)
            self._distances += [timer - times[-1] for timer in timers if not passes and timer > times[-1]]
            self._distances = self._distances[:6] + self._distances[6:][-60:]
        # In a query that always has data, rows share the micro-batch in which the watermark rises.
        busy = self._subject.mode == "EventTime" and random.random() < 0.3
        return tuple(
            replace(event, with_rows=busy) if isinstance(event, Passage) else event for event in events
        )

    def _timers(self, events: Sequence[Arrival | Passage]) -> list[int]:
        """Return the timers that are set after these events."""
        if self._subject.mode == "None":
            return []
        batches = [
            Batch(number, to=event.to) if isinstance(event, Passage) else Batch(number, ((event,),))
            for number, event in enumerate(events)
        ]
        states = self._player.played(batches).states
        return sorted({timer for state in states.values() for timer in state.timers})

    def _time(self, random: Random, now: int, times: list[int], timers: list[int]) -> int:
        near = [*times[-3:], *timers, *((now,) if now else ())]
        chosen: int = random.choice(near)
        if random.random() < 0.6:
            chosen += random.choice(self._distances) * random.choice((1, 1, -1))
        beside: int = random.choice(_BESIDE)
        return max(1, chosen + beside)

    def _later(self, random: Random, now: int, times: list[int], timers: list[int]) -> int | None:
        if self._subject.mode == "ProcessingTime":
            return self._tick(random, now, timers)
        places = [*timers, *timers, *times]
        later = [place + beside for place in places for beside in _BESIDE if place + beside > now]
        return random.choice(later) if later else None

    def _tick(self, random: Random, now: int, timers: list[int]) -> int:
        """Draw a later processing time.

        The clock does not jump past a timer, because state with a time to live would expire in the same step.
        """
        to: int = now + random.choice(_TICKS)
        ahead = [timer for timer in timers if timer > now]
        if ahead and (to > ahead[0] or random.random() < 0.5):
            to = ahead[0] + random.choice((0, 0, 1))
        return to
