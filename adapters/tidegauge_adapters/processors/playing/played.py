"""These types describe the outcome of a trace that was played through a processor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .recorded_processor import StateOfKey
from .trace import Key, Output

ProblemKind = Literal["raised", "misfit"]


@dataclass(frozen=True)
class Problem:
    """The reason for which a query fails: an exception, or a row or a state that does not fit its schema."""

    kind: ProblemKind
    segment: int
    key: Key
    text: str


@dataclass(frozen=True)
class TimerChange:
    """A timer of a key that was set or deleted, or that expired.

    Attributes:
        segment: the segment of the trace.
        in_passage: whether the micro-batch has no rows, only a passage of time.
        key: the key.
        what: the kind of the change.
        timer: the time of the timer (ms).
    """

    segment: int
    in_passage: bool
    key: Key
    what: Literal["set", "deleted", "expired"]
    timer: int


@dataclass
class Played:
    """The outcome of a trace.

    Attributes:
        outputs: the rows that the processor returned.
        problem: the reason for which the query failed; None if it did not.
        past_timers: timers that were set at or before the watermark: segment, key, timer, watermark.
        times: the watermark or the processing time in each segment (ms).
        dropped: the `id` of each row that Spark drops before the processor.
        times_at_arrival: the watermark or the processing time when each row arrived (ms), by `id` of the row.
        states: the states and timers of each key after the trace.
        timers_set: how many timers were set.
        timer_changes: the timers that were set or deleted, or that expired, in order.
        attributes: the names of attributes that changed while one instance handled rows and timers; empty
            where each micro-batch had its own.
    """

    outputs: list[Output] = field(default_factory=list)
    problem: Problem | None = None
    past_timers: list[tuple[int, Key, int, int]] = field(default_factory=list)
    times: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    times_at_arrival: dict[int, int] = field(default_factory=dict)
    states: dict[Key, StateOfKey] = field(default_factory=dict)
    timers_set: int = 0
    timer_changes: list[TimerChange] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
