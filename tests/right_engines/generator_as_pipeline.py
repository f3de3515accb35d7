"""An input with a watermark strategy as a pipeline of stages: signals go in at one end, outputs come out at the other.

A stage is a function of its state and of a signal to its next state and to the signals that it passes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1

Signal = tuple[Any, ...]
Stage = Callable[[Any, Signal], tuple[Any, list[Signal]]]

OUTPUTS = ("record", "watermark", "active", "idle")


class Strategy(NamedTuple):
    """A description; durations in ms."""

    kind: str
    bound: int = 0
    assigner: str = "record-time"
    timeout: int | None = None
    alignment: tuple[str, int, int] | None = None


def assign(assigner: str, now: int, signal: Signal) -> tuple[int, list[Signal]]:
    """Gives records their timestamp, and ticks the processing time (ms), which is the state."""
    match signal:
        case ("advance", milliseconds):
            return now + milliseconds, [signal]
        case ("record", _) if assigner == "ingestion-time":
            return now, [("record", now)]
        case ("tick",):
            return now, [("tick", now)]
    return now, [signal]


class Watch(NamedTuple):
    """Whether a record came since the last tick, how long (ms) the countdown has run, whether the input is idle."""

    heard: bool = False
    waited: int | None = None
    idle: bool = False


def watch(timeout: int, state: Watch, signal: Signal) -> tuple[Watch, list[Signal]]:
    """Says when the input is idle and active again; an idle input's ticks end here."""
    match signal:
        case ("record", _):
            return Watch(heard=True), [("active",), signal] if state.idle else [signal]
        case ("advance", milliseconds) if state.waited is not None:
            return state._replace(waited=state.waited + milliseconds), [signal]
        case ("tick", _):
            if state.idle:
                return state, []
            if state.heard:
                return Watch(), [signal]
            if state.waited is None:
                return Watch(waited=0), [signal]
            if state.waited > timeout:
                return Watch(idle=True), [("idle",)]
    return state, [signal]


def punctuated(state: None, signal: Signal) -> tuple[None, list[Signal]]:
    """A watermark behind each record."""
    return state, [signal, ("watermark", signal[1])] if signal[0] == "record" else [signal]


def bounded(bound: int, largest: int, signal: Signal) -> tuple[int, list[Signal]]:
    """A watermark at each tick, so far behind the largest timestamp (ms)."""
    match signal:
        case ("record", timestamp):
            return max(largest, timestamp), [signal]
        case ("tick", _):
            return largest, [("watermark", max(largest - bound - 1, MIN))]
    return largest, [signal]


def by_processing_time(state: None, signal: Signal) -> tuple[None, list[Signal]]:
    """A watermark at each tick, from the time that the tick brings."""
    return state, [("watermark", max(signal[1] - 1, MIN))] if signal[0] == "tick" else [signal]


def end_only(state: None, signal: Signal) -> tuple[None, list[Signal]]:
    """What upstream says of time ends here, but for its end."""
    match signal:
        case ("from-upstream", "watermark", timestamp) if timestamp == MAX:
            return state, [("watermark", MAX)]
    return state, [signal] if signal[0] in OUTPUTS else []


class Told(NamedTuple):
    """The watermark (ms) and the status that went downstream last."""

    watermark: int = MIN
    idle: bool = False


def rising(told: Told, signal: Signal) -> tuple[Told, list[Signal]]:
    """Lets through only watermarks that rise and statuses that change."""
    match signal:
        case ("watermark", timestamp):
            news = [("active",)] if told.idle else []
            if timestamp > told.watermark:
                news.append(signal)
            return Told(max(timestamp, told.watermark)), news
        case ("active",) | ("idle",):
            idle = signal == ("idle",)
            return told._replace(idle=idle), [signal] if idle != told.idle else []
    return told, [signal]


class PipelinedGenerator:
    """The strategy as it is built, the one that runs, its stages and their states."""

    def __init__(self, place: str, strategy: Strategy, processing_time: int) -> None:
        self._place = place
        self._built = self._runs = strategy
        self._stages: list[Stage] = []
        self._states: list[Any] = [processing_time]
        self.start()

    def start(self) -> list[Signal]:
        """New stages, of which only the first keeps its state: the processing time."""
        self._runs = self._built
        self._states = [self._states[0]]
        self._stages = self._lay(self._runs)
        return []

    def _lay(self, strategy: Strategy) -> list[Stage]:
        """The stages of a strategy; states that do not exist yet are added."""
        stages: list[tuple[Stage, Any]] = [(partial(assign, strategy.assigner), self._states[0])]
        if strategy.timeout is not None:
            stages.append((partial(watch, strategy.timeout), Watch()))
        match strategy.kind:
            case "punctuated":
                stages.append((punctuated, None))
            case "bounded-out-of-orderness":
                stages.append((partial(bounded, strategy.bound), MIN))
            case "processing-time":
                stages.append((by_processing_time, None))
        stages.append((end_only, None))
        if self._place == "mid-pipeline":
            stages.append((rising, Told()))
        self._states += [state for _, state in stages[len(self._states) :]]
        return [stage for stage, _ in stages]

    def _through(self, *signal: Any) -> list[Signal]:
        """What comes out when a signal goes in."""
        signals = [signal]
        for number, stage in enumerate(self._stages):
            passed: list[Signal] = []
            for one in signals:
                self._states[number], further = stage(self._states[number], one)
                passed += further
            signals = passed
        return signals

    def record(self, timestamp: int) -> list[Signal]:
        """A record with its timestamp (ms)."""
        return self._through("record", timestamp)

    def tick(self) -> list[Signal]:
        """The periodic tick."""
        return self._through("tick")

    def finish(self) -> list[Signal]:
        """One more tick."""
        return self._through("tick")

    def advance(self, milliseconds: int) -> list[Signal]:
        """Processing time passes."""
        return self._through("advance", _duration(milliseconds))

    def watermark(self, timestamp: int) -> list[Signal]:
        """A watermark (ms) from upstream."""
        return self._through("from-upstream", "watermark", timestamp)

    def idle(self) -> list[Signal]:
        """A status from upstream."""
        return self._through("from-upstream", "idle")

    def active(self) -> list[Signal]:
        """A status from upstream."""
        return self._through("from-upstream", "active")

    def alignment(self) -> list[Signal]:
        """The alignment of the strategy that is built."""
        return [] if self._built.alignment is None else [("alignment", *self._built.alignment)]

    def _build(self, strategy: Strategy) -> list[Signal]:
        """The strategy of the next start; nothing goes out."""
        self._built = strategy
        return []

    def no_watermarks(self) -> list[Signal]:
        """A strategy of nothing."""
        return self._build(Strategy("no-watermarks"))

    def for_monotonous_timestamps(self) -> list[Signal]:
        """A strategy for data in order."""
        return self._build(Strategy("bounded-out-of-orderness"))

    def for_bounded_out_of_orderness(self, max_out_of_orderness: int | None) -> list[Signal]:
        """A strategy for data that are so far (ms) out of order."""
        return self._build(Strategy("bounded-out-of-orderness", _duration(max_out_of_orderness)))

    def for_generator(self, supplier: str | None) -> list[Signal]:
        """A strategy with a generator of the user's."""
        return self._build(Strategy(_given(supplier)))

    def with_timestamp_assigner(self, assigner: str | None) -> list[Signal]:
        """The strategy with another assigner."""
        return self._build(self._built._replace(assigner=_given(assigner)))

    def with_idleness(self, timeout: int | None) -> list[Signal]:
        """The strategy with another idle timeout (ms)."""
        return self._build(self._built._replace(timeout=_duration(timeout, least=1)))

    def with_watermark_alignment(
        self,
        watermark_group: str | None,
        max_allowed_watermark_drift: int | None,
        update_interval: int | None,
    ) -> list[Signal]:
        """The strategy with another alignment (ms)."""
        group, drift = _given(watermark_group), _duration(max_allowed_watermark_drift)
        interval = 1000 if update_interval is None else _duration(update_interval, least=1)
        return self._build(self._built._replace(alignment=(group, drift, interval)))

    def snapshot(self) -> Any:
        """Both strategies and the states; the stages follow from the strategy that runs."""
        return self._built, self._runs, self._states

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._built, self._runs, self._states = saved
        self._stages = self._lay(self._runs)


def _duration(milliseconds: int | None, least: int = 0) -> int:
    if milliseconds is None or not least <= milliseconds <= MAX:
        raise ValueError(f"{milliseconds} ms is no duration from {least} ms")
    return milliseconds


def _given(name: str | None) -> str:
    if name is None:
        raise ValueError("a name is missing")
    return name
