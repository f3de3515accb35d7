"""What windows do with records: when they fire, what a result holds, how long they wait for late ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.decisions.windows.assigners import (
    Assigner,
    SessionWindows,
    SlidingWindows,
    TumblingWindows,
)

Trigger = Literal["event-time", "per-record"]
"""When a window fires. event-time: on the watermark that reaches its end - 1 ms, and from then on at every
record (WIN-3, WIN-4). per-record: at every record, and on no watermark (WIN-5)."""

Accumulation = Literal["discarding", "accumulating", "accumulating-and-retracting"]
"""How the results of the same window relate. discarding: each holds what came since the one before.
accumulating: each holds all (WIN-8). accumulating-and-retracting: also, and each that it replaces is taken
back right before it (WIN-9)."""


@dataclass(frozen=True)
class WindowSettings:
    """The windows of one operator.

    assigner: which windows a record belongs to. allowed_lateness: for so long (ms) after its end a window is
    kept for late records (WIN-13). late_output: a record that is too late for all its windows is sent to the
    late output; otherwise it is dropped, and only that is said (WIN-12).

    Raises `IllegalArgumentError` for another kind of assigner, a negative lateness, an unknown trigger or
    accumulation.
    """

    assigner: Assigner
    allowed_lateness: int = 0
    trigger: Trigger = "event-time"
    accumulation: Accumulation = "accumulating"
    late_output: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.assigner, TumblingWindows | SlidingWindows | SessionWindows):
            raise IllegalArgumentError(
                f"the assigner is TumblingWindows, SlidingWindows or SessionWindows, not {self.assigner!r}"
            )
        if not 0 <= self.allowed_lateness <= MAX:
            raise IllegalArgumentError(
                f"the allowed lateness is 0 to 2^63 - 1 ms, not {self.allowed_lateness}"
            )
        for name, value, known in (
            ("trigger", self.trigger, get_args(Trigger)),
            ("accumulation", self.accumulation, get_args(Accumulation)),
        ):
            if value not in known:
                raise IllegalArgumentError(f"the {name} is one of {', '.join(known)}, not {value!r}")
