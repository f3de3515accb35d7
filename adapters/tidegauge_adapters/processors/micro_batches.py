"""Plays a trace as Spark calls a processor: micro-batches of several rows and keys, timers after the rows,
and a new instance in each batch that has nothing but the state."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pyspark import cloudpickle
from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues

from tidegauge.engine.foreign_text import message_of
from tidegauge.engine.interruption import from_outside

from ..spark.tester.declared_schema import RowDoesNotFit
from .group_state import GroupStateProcessor
from .processor_under_test import ProcessorUnderTest
from .recorded_processor import RecordedProcessor, StateOfKey, TimersOfKey, attributes_of, keys_in_order
from .rows import RowsOfProcessor, frame, named
from .trace import Arrival, Batch, Key, Output, Passage, Trace, in_batches

_TRACES_KNOWN = 3
_MOST_ROUNDS_OF_TIMERS = 8

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


class _Ended(Exception):
    """A processor ended its query."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


class Player:
    """Plays traces through new copies of one processor.

    Attributes:
        subject: what is said of it.
        rows: its rows.
        name: how reports call it.
    """

    def __init__(self, subject: ProcessorUnderTest) -> None:
        self.subject = subject
        self.rows = RowsOfProcessor(subject)
        self._ended: tuple[Trace, Trace] | None = None
        self._latest: dict[int, tuple[Trace, Played]] = {}
        made = subject.make()
        self.name = subject.name or getattr(made, "__name__", type(made).__name__)
        self._shipped = cloudpickle.dumps(made)  # type: ignore[no-untyped-call]

    def played(self, batches: Sequence[Batch], one_instance: bool = False, again: bool = False) -> Played:
        """Play micro-batches.

        Args:
            batches: the micro-batches.
            one_instance: whether one instance handles all of them, which Spark never does.
            again: whether each batch fails after the processor is done and runs again from the state before.
        """
        playing = _Playing(self, one_instance)
        try:
            for batch in batches:
                if again:
                    playing.rehearse(batch)
                playing.play(batch)
        except _Ended as ended:
            playing.played.problem = ended.problem
        return playing.played

    def batches(self, trace: Trace) -> list[Batch]:
        """The micro-batches of Spark: all rows between two passages of time together."""
        return in_batches(trace, rows_first=self.subject.mode == "ProcessingTime")

    def as_spark(self, trace: Trace) -> Played:
        """Play a trace in the micro-batches of Spark; what the last few traces came to is known."""
        known = self._latest.get(id(trace))
        if known is not None and known[0] is trace:
            return known[1]
        played = self.played(self.batches(trace))
        self._latest = {**dict(list(self._latest.items())[-_TRACES_KNOWN:]), id(trace): (trace, played)}
        return played

    def ended(self, trace: Trace) -> Trace:
        """Return a trace after which time has passed beyond all rows, timers and times to live."""
        if self.subject.mode == "None":
            return trace
        known = self._ended
        if known is None or known[0] is not trace:
            self._ended = known = trace, self._with_end(trace)
        return known[1]

    def _with_end(self, trace: Trace) -> Trace:
        subject = self.subject
        times = [
            event.to
            if isinstance(event, Passage)
            else self.rows.time(event)
            if subject.time
            else subject.start
            for event in trace
        ]
        whole, end = trace, max(times, default=subject.start)
        for _ in range(_MOST_ROUNDS_OF_TIMERS):
            states = self.as_spark(whole).states.values()
            timers = [timer for state in states for timer in state.timers]
            expiries = [expiry for state in states for expiry in state.expiries.values()]
            if len(whole) > len(trace) and not timers and not expiries:
                break
            # State with a time to live is not to expire before the timer that would use it.
            end = max(end + 1, min(timers)) if timers and expiries else max([end, *timers, *expiries]) + 1
            whole = (*whole, Passage(end))
        return whole

    def instance(self) -> Any:
        """A new instance, as a worker of Spark unpickles it."""
        return pickle.loads(self._shipped)


class _Playing:
    """One trace under way."""

    def __init__(self, player: Player, one_instance: bool) -> None:
        self._player = player
        self._subject = player.subject
        self._one_instance = one_instance
        self._processor: RecordedProcessor | None = None
        self._inner: Any = None
        self._is_first = True
        self._segment = 0
        self._now = self._subject.start if self._subject.mode == "ProcessingTime" else 0
        self._timers = TimersOfKey(self._subject.mode)
        self.played = Played()

    def rehearse(self, batch: Batch) -> None:
        """Run a batch whose outputs and states are lost."""
        before = self.played, self._now, self._is_first
        self.played = Played(states={key: state.copy() for key, state in before[0].states.items()})
        self.play(batch)
        self.played, self._now, self._is_first = before

    def play(self, batch: Batch) -> None:
        """Run a batch."""
        self._segment = batch.segment
        self._now = self._now if batch.to is None else max(self._now, batch.to)
        self._timers.now = self.played.times[batch.segment] = self._now
        self._renew()
        before = attributes_of(self._inner)
        if self._is_first:
            self._take_initial_state()
        for chunks in self._by_key(batch).items():
            self._handle_rows(*chunks)
        self._handle_timers()
        after = attributes_of(self._inner)
        self.played.attributes |= {name for name, value in after.items() if before.get(name, value) != value}
        self._is_first = False

    def _renew(self) -> None:
        if self._processor is not None and self._one_instance:
            return
        self._inner = self._player.instance()
        if self._subject.form == "group-state":
            self._inner = GroupStateProcessor(self._inner, self._subject)
        self._processor = RecordedProcessor(self._inner, has_clock=self._subject.mode == "ProcessingTime")
        self._guarded((), lambda: self._processor.init(self._timers))  # type: ignore[union-attr]

    def _by_key(self, batch: Batch) -> dict[Key, list[list[Arrival]]]:
        found: dict[Key, list[list[Arrival]]] = {}
        for chunk in batch.chunks:
            of_chunk: dict[Key, list[Arrival]] = {}
            for arrival in chunk:
                self.played.times_at_arrival[id(arrival)] = self._now
                if self._is_dropped(arrival):
                    self.played.dropped.add(id(arrival))
                else:
                    of_chunk.setdefault(self._player.rows.key(arrival), []).append(arrival)
            for key, arrivals in of_chunk.items():
                found.setdefault(key, []).append(arrivals)
        return found

    def _is_dropped(self, arrival: Arrival) -> bool:
        """Spark drops rows at or before the watermark in front of the processor."""
        subject = self._subject
        if subject.mode != "EventTime" or subject.late_rows != "dropped":
            return False
        return self._player.rows.time(arrival) <= self._now

    def _take_initial_state(self) -> None:
        for row in self._subject.initial_rows:
            key = tuple(row[name] for name in self._subject.keys)
            self._at(key)
            schema = self._subject.initial_states
            if self._subject.form == "pandas":
                value: Any = frame(schema, [row])
            else:
                (value,) = named(schema, [row])
            assert self._processor is not None
            handle = self._processor.handleInitialState
            self._guarded(key, lambda: handle(key, value, self._timer_values()))  # noqa: B023
            self._leave(key)

    def _handle_rows(self, key: Key, chunks: list[list[Arrival]]) -> None:
        processor, rows = self._processor, self._player.rows
        assert processor is not None
        if self._subject.form == "rows":
            given: Iterable[Any] = [row for chunk in chunks for row in rows.rows(chunk)]
        else:
            given = [rows.frame(chunk) for chunk in chunks]
        self._at(key)
        answer = self._guarded(
            key, lambda: list(processor.handleInputRows(key, iter(given), self._timer_values()))
        )
        self._keep(key, answer, by_timer=False)
        self._leave(key)

    def _handle_timers(self) -> None:
        """Spark hands out timers that are due in the order of their times, after all rows."""
        if self._subject.mode == "None":
            return
        states = self.played.states
        due = sorted(
            (timer, repr(key), key)
            for key in keys_in_order(states)
            for timer in states[key].timers
            if self._is_due(timer)
        )
        processor = self._processor
        assert processor is not None
        for timer, _, key in due:
            if timer not in states[key].timers:
                continue  # a handler of this batch deleted it
            self._at(key)
            info = ExpiredTimerInfo(timer)
            answer = self._guarded(
                key,
                lambda: list(processor.handleExpiredTimer(key, self._timer_values(), info)),  # noqa: B023
            )
            self._timers.timers.discard(timer)
            self._keep(key, answer, by_timer=True)
            self._leave(key)

    def _is_due(self, timer: int) -> bool:
        """The timeouts of `applyInPandasWithState` are over when the watermark is beyond them, timers of
        `transformWithState` when it is at them."""
        if self._subject.form == "group-state" and self._subject.mode == "EventTime":
            return timer < self._now
        return timer <= self._now

    def _at(self, key: Key) -> None:
        """Hand the states and timers of a key to the processor."""
        state = self.played.states.setdefault(key, StateOfKey())
        if self._subject.mode == "ProcessingTime":
            state.forget_expired(self._now)
        assert self._processor is not None
        self._processor.entries = dict(state.entries)
        self._timers.timers = set(state.timers)
        self._timers.past = []

    def _leave(self, key: Key) -> None:
        """Take the states and timers of a key back."""
        processor, state = self._processor, self.played.states[key]
        assert processor is not None
        for place, entry in processor.entries.items():
            lifetime = processor.lifetimes.get(place[0])
            if lifetime is not None and state.entries.get(place) is not entry:
                state.expiries[place] = self._now + lifetime
        state.entries = dict(processor.entries)
        state.timers = set(self._timers.timers)
        self.played.past_timers += [(self._segment, key, timer, now) for timer, now in self._timers.past]
        if not state.entries and not state.timers:
            del self.played.states[key]

    def _keep(self, key: Key, answer: list[Any], by_timer: bool) -> None:
        rows = self._guarded(key, lambda: self._player.rows.returned(answer))
        self.played.outputs += [Output(self._segment, key, row, by_timer) for row in rows]

    def _timer_values(self) -> TimerValues:
        mode, now = self._subject.mode, self._now
        return TimerValues(now if mode == "ProcessingTime" else 0, now if mode == "EventTime" else -1)

    def _guarded(self, key: Key, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except RowDoesNotFit as misfit:
            raise _Ended(Problem("misfit", self._segment, key, message_of(misfit))) from misfit
        except BaseException as error:
            if from_outside(error):
                raise
            text = f"{type(error).__name__}: {message_of(error)}"
            raise _Ended(Problem("raised", self._segment, key, text)) from error
