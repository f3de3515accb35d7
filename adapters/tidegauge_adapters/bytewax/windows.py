"""Extract the logic of Bytewax's operator `window` from a dataflow and call it as the runtime does."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import bytewax.operators as operators
from bytewax.dataflow import Dataflow
from bytewax.operators.windowing import (
    UTC_MAX,
    UTC_MIN,
    Clock,
    ClockLogic,
    SessionWindower,
    SlidingWindower,
    TumblingWindower,
    WindowLogic,
    window,
)
from bytewax.testing import TestingSource

from tidegauge.wire.steps.window import Session, Sliding, WindowSetup
from tidegauge_reference import MAX

from .times import datetime_of, duration_of, milliseconds_of, watermark_of

Record = tuple[int, int]
"""Timestamp (ms) and value."""

Output = tuple[Any, ...]


class UpstreamClock(Clock):  # type: ignore[misc]
    """A clock that takes its watermark from upstream instead of from the records."""

    def __init__(self) -> None:
        self.watermark: datetime = UTC_MIN

    def build(self, resume_state: datetime | None) -> "UpstreamClockLogic":
        """Return the logic of the clock. If a dataflow resumes, the snapshot contains the watermark."""
        if resume_state is not None:
            self.watermark = resume_state
        return UpstreamClockLogic(self)


class UpstreamClockLogic(ClockLogic):  # type: ignore[misc]
    """The logic that returns the watermark of an `UpstreamClock`."""

    def __init__(self, clock: UpstreamClock) -> None:
        self._clock = clock

    def before_batch(self) -> None:
        """Do nothing: no time passes within a batch."""

    def on_item(self, value: Record) -> tuple[datetime, datetime]:
        """Return the timestamp of a record, and the watermark."""
        return datetime_of(value[0]), self._clock.watermark

    def on_notify(self) -> datetime:
        """Return the watermark of the last step."""
        return self._clock.watermark

    def on_eof(self) -> datetime:
        """Return the largest watermark, which closes all windows."""
        return UTC_MAX  # type: ignore[no-any-return]

    def to_system_utc(self, timestamp: datetime) -> None:
        """Return None: windows close when a watermark arrives, never at a system time."""

    def snapshot(self) -> datetime:
        """Return the watermark, which `build` restores."""
        return self._clock.watermark


class CollectedValues(WindowLogic):  # type: ignore[misc]
    """Collects the values of a window and emits them when it closes."""

    def __init__(self, values: list[int] | None) -> None:
        self._values = list(values or ())

    def on_value(self, value: Record) -> Iterable[list[int]]:
        """Add the value of a record, and emit nothing."""
        self._values.append(value[1])
        return ()

    def on_merge(self, original: "CollectedValues") -> Iterable[list[int]]:
        """Add the values of a window that is merged into this one, and emit nothing."""
        self._values += original._values
        return ()

    def on_close(self) -> Iterable[list[int]]:
        """Emit all values."""
        return (self._values,)

    def snapshot(self) -> list[int]:
        """Return the values, which the constructor restores."""
        return list(self._values)


class BytewaxWindows:
    """The windows of one key.

    Args:
        setup: the assigner of the windows.
        ordered: whether Bytewax applies records in timestamp order, which is its default.
    """

    def __init__(self, setup: WindowSetup, ordered: bool) -> None:
        assigner = setup.assigner
        self._gap = assigner.gap if isinstance(assigner, Session) else 0
        self._clock = UpstreamClock()
        self._build = _logic_builder(self._clock, _windower(setup), ordered)
        self._logic = self._build(None)

    def record(self, timestamp: int, value: int) -> list[Output]:
        """Pass a batch of one record to the operator."""
        return self._outputs(self._logic.on_batch([(timestamp, value)]))

    def watermark(self, timestamp: int) -> list[Output]:
        """Close the windows that a watermark reaches, then forward the watermark.

        The adapter forwards the watermark because Bytewax's dataflows carry no watermarks.
        """
        self._clock.watermark = watermark_of(timestamp)
        called = self._logic.on_eof if timestamp == MAX else self._logic.on_notify
        return [*self._outputs(called()), ("watermark", timestamp)]

    def expired_state(self) -> list[Output]:
        """Return the number of records kept for windows that can no longer receive records.

        A session accepts a record that is exactly one gap after its last record, so its end is part of it.
        """
        saved = self._logic.snapshot()
        state = saved.windower_state
        windows = state.sessions if self._gap else state.opened
        ends = {name: self._end(window.close_time) for name, window in windows.items()}
        last = 0 if self._gap else 1
        over = {name for name, end in ends.items() if watermark_of(end - last) <= self._clock.watermark}
        return [("state-size", sum(len(saved.logic_states[name]) for name in over))]

    def snapshot(self) -> Any:
        """Return the state that Bytewax stores for recovery."""
        return self._logic.snapshot()

    def restore(self, saved: Any) -> None:
        """Build the logic as Bytewax does when a dataflow resumes."""
        self._logic = self._build(saved)

    def _end(self, close_time: datetime) -> int:
        """Return the end of a window (ms). A session's close time is the timestamp of its last record."""
        return milliseconds_of(close_time) + self._gap

    def _outputs(self, answer: tuple[Iterable[tuple[int, str, Any]], bool]) -> list[Output]:
        """Convert the events of a call to outputs.

        A result consists of two events: the emitted values ("E"), then the metadata of the window ("M").
        Bytewax reports a late record ("L") once for each of its windows; the output contains it once.
        """
        events, is_discarded = answer
        outputs: list[Output] = []
        emitted: dict[int, list[int]] = {}
        for name, kind, content in events:
            if kind == "E":
                emitted[name] = content
            elif kind == "M":
                start, end = milliseconds_of(content.open_time), self._end(content.close_time)
                outputs.append(("fire", start, end, sorted(emitted.pop(name))))
            elif ("late", content[1]) not in outputs:
                outputs.append(("late", content[1]))
        if is_discarded:
            self._logic = self._build(None)
        return outputs


def _windower(setup: WindowSetup) -> SessionWindower | SlidingWindower | TumblingWindower:
    assigner = setup.assigner
    if isinstance(assigner, Session):
        return SessionWindower(gap=duration_of(assigner.gap))
    size, aligned = duration_of(assigner.size), datetime_of(assigner.offset)
    if isinstance(assigner, Sliding):
        return SlidingWindower(length=size, offset=duration_of(assigner.slide), align_to=aligned)
    return TumblingWindower(length=size, align_to=aligned)


def _logic_builder(clock: UpstreamClock, windower: Any, ordered: bool) -> Callable[[Any], Any]:
    """Return the function with which the runtime builds the logic of a key, from None or from a snapshot.

    The operator `window` of a dataflow consists of several operators. The one named `stateful_batch` holds
    the function.
    """
    flow = Dataflow("windows")
    records = operators.input("records", flow, TestingSource([]))
    keyed = operators.key_on("key", records, lambda record: "all")
    window("window", keyed, clock, windower, CollectedValues, ordered)
    (stateful,) = (step for step in flow.substeps[-1].substeps if step.step_name == "stateful_batch")
    build: Callable[[Any], Any] = stateful.builder
    return build
