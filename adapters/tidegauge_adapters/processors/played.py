"""What became of a trace that was played through a processor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .recorded_processor import StateOfKey
from .trace import Key, Output

ProblemKind = Literal["raised", "misfit"]


@dataclass(frozen=True)
class Problem:
    """What ends a query: an exception, or a row or a state that does not fit its schema."""

    kind: ProblemKind
    segment: int
    key: Key
    text: str


@dataclass
class Played:
    """What became of a trace.

    Attributes:
        outputs: the rows that the processor returned.
        problem: what ended the query, if anything did.
        past_timers: timers that were set at or before the watermark: segment, key, timer, watermark.
        times: the watermark or the time of the clock in each segment (ms).
        dropped: the rows that Spark drops in front of the processor, by `id`.
        times_at_arrival: the same when each row arrived, by `id` of the row.
        states: what is left of each key.
        attributes: attributes that changed while rows and timers were handled.
    """

    outputs: list[Output] = field(default_factory=list)
    problem: Problem | None = None
    past_timers: list[tuple[int, Key, int, int]] = field(default_factory=list)
    times: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    times_at_arrival: dict[int, int] = field(default_factory=dict)
    states: dict[Key, StateOfKey] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
