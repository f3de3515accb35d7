"""This module calls a processor as Spark does.

A micro-batch has rows of several keys. Timers expire after the rows. Each micro-batch has a new instance of
the processor, and only state carries over.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues

from tidegauge.engine.foreign_text import message_of
from tidegauge.engine.interruption import from_outside

from ...spark.tester.declared_schema import DeclaredSchema, RowDoesNotFit
from ..processor_under_test import ProcessorUnderTest
from .alteration import Alteration
from .group_state import GroupStateProcessor
from .played import Played, Problem, TimerChange
from .recorded_processor import RecordedProcessor, StateOfKey, TimersOfKey, attributes_of, keys_in_order
from .rows import RowsOfProcessor, frame, named
from .trace import Arrival, Batch, Key, Output

_KIT = Path(__file__).parents[2]


class QueryEnded(Exception):
    """A processor caused its query to fail."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


class MicroBatches:
    """The execution of one trace, one micro-batch after the other.

    Attributes:
        played: the outcome so far.
    """

    def __init__(
        self,
        subject: ProcessorUnderTest,
        rows: RowsOfProcessor,
        instance: Callable[[], Any],
        alteration: Alteration,
        one_instance: bool,
    ) -> None:
        self._subject = subject
        self._rows = rows
        self._instance = instance
        self._alteration = alteration
        self._one_instance = one_instance
        self._processor: RecordedProcessor | None = None
        self._inner: Any = None
        self._is_first = True
        self._segment = 0
        self._is_passage = False
        self._now = self._subject.start if self._subject.mode == "ProcessingTime" else 0
        self._watermark_before = self._now
        self._timers = TimersOfKey(self._subject.mode, alteration.keeps_timers, alteration.one_timer)
        self.played = Played()

    def rehearse(self, batch: Batch) -> None:
        """Run a micro-batch and discard its outputs and state changes, as if its commit had failed."""
        before = self.played, self._now, self._is_first
        self.played = Played(states={key: state.copy() for key, state in before[0].states.items()})
        self.play(batch)
        self.played, self._now, self._is_first = before

    def play(self, batch: Batch) -> None:
        """Run a micro-batch."""
        self._segment = batch.segment
        self._is_passage = not batch.chunks
        self._watermark_before = self._now
        self._now = self._now if batch.to is None else max(self._now, batch.to)
        self._timers.now = self.played.times[batch.segment] = self._now
        self._renew()
        before = attributes_of(self._inner) if self._one_instance else {}
        if self._is_first:
            self._take_initial_state()
        for chunks in self._by_key(batch).items():
            self._handle_rows(*chunks)
        self._handle_timers()
        if self._one_instance:
            after = attributes_of(self._inner)
            self.played.attributes |= {name for name in before if after.get(name) != before[name]}
        if self._subject.mode == "ProcessingTime":
            self._forget_expired_states()
        self._is_first = False

    def _renew(self) -> None:
        if self._processor is not None and self._one_instance:
            return
        self._inner = self._instance()
        if self._subject.form == "group-state":
            self._inner = GroupStateProcessor(self._inner, self._subject)
        self._processor = RecordedProcessor(self._inner, has_clock=self._subject.mode == "ProcessingTime")
        self._guarded((), lambda: self._processor.init(self._timers))  # type: ignore[union-attr]
        self._alter_between_batches()

    def _by_key(self, batch: Batch) -> dict[Key, list[list[Arrival]]]:
        found: dict[Key, list[list[Arrival]]] = {}
        for chunk in batch.chunks:
            of_chunk: dict[Key, list[Arrival]] = {}
            for arrival in chunk:
                self.played.times_at_arrival[id(arrival)] = self._now
                if self._is_dropped(arrival):
                    self.played.dropped.add(id(arrival))
                else:
                    of_chunk.setdefault(self._rows.key(arrival), []).append(arrival)
            for key, arrivals in of_chunk.items():
                found.setdefault(key, []).append(arrivals)
        return found

    def _is_dropped(self, arrival: Arrival) -> bool:
        """Return whether Spark drops a row before the processor.

        Its time is at or before the watermark of the micro-batch before: that of the micro-batch itself only
        decides which timers fire.
        """
        subject, drops = self._subject, self._alteration.drops_late_rows
        drops = subject.late_rows == "dropped" if drops is None else drops
        if subject.mode != "EventTime" or not drops:
            return False
        return self._rows.time(arrival) <= self._watermark_before

    def _take_initial_state(self) -> None:
        for row in self._subject.initial_rows:
            key = tuple(row[name] for name in self._subject.keys)
            self._at(key)
            schema = DeclaredSchema(self._subject.initial_states)
            if self._subject.form == "pandas":
                value: Any = frame(schema, [row])
            else:
                (value,) = named(schema, [row])
            assert self._processor is not None
            handle = self._processor.handleInitialState
            self._guarded(key, lambda: handle(key, value, self._timer_values()))  # noqa: B023
            self._leave(key)

    def _handle_rows(self, key: Key, chunks: list[list[Arrival]]) -> None:
        processor, rows = self._processor, self._rows
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
        """Call the timer handler as Spark does: after all rows, in the order of the expiry times."""
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
            self._note_timers(key, "expired", {timer})
            self._timers.timers.discard(timer)
            states[key].timers.discard(timer)
            if self._alteration.loses_state_at_expiry:
                processor.entries = {}
            self._keep(key, answer, by_timer=True)
            self._leave(key)

    def _is_due(self, timer: int) -> bool:
        """Return whether a timer has expired.

        A timer of `transformWithState` expires when the watermark reaches it. An event-time timeout of
        `applyInPandasWithState` expires when the watermark has passed it.
        """
        timer += self._alteration.timer_shift
        if self._subject.form == "group-state" and self._subject.mode == "EventTime":
            return timer < self._now
        return timer <= self._now

    def _at(self, key: Key) -> None:
        """Load the states and timers of a key into the processor."""
        state = self.played.states.setdefault(key, StateOfKey())
        if self._subject.mode == "ProcessingTime":
            # Remove state whose time to live has ended since the previous micro-batch. At the end of that
            # micro-batch `_forget_expired_states` ran with an earlier time.
            state.forget_expired(self._now)
        assert self._processor is not None
        self._processor.entries = dict(state.entries)
        self._timers.timers = set(state.timers)
        self._timers.past = []

    def _forget_expired_states(self) -> None:
        """Remove all states whose time to live has expired, as Spark does at the end of a micro-batch."""
        states = self.played.states
        for key, state in list(states.items()):
            state.forget_expired(self._now)
            if not state.entries and not state.timers:
                del states[key]

    def _leave(self, key: Key) -> None:
        """Store the states and timers of a key after a call of the processor."""
        processor, state = self._processor, self.played.states[key]
        assert processor is not None
        for place, entry in processor.entries.items():
            lifetime = self._lifetime(place[0])
            if lifetime is not None and state.entries.get(place) is not entry:
                state.expiries[place] = self._now + lifetime
        removed = state.entries if self._alteration.keeps_state else {}
        state.entries = {**removed, **processor.entries}
        if self._alteration.clears_without_timers and not self._timers.timers:
            state.entries = {}
        self._note_timers(key, "deleted", state.timers - self._timers.timers)
        self._note_timers(key, "set", self._timers.timers - state.timers)
        self.played.timers_set += len(self._timers.timers - state.timers)
        state.timers = set(self._timers.timers)
        self.played.past_timers += [(self._segment, key, timer, now) for timer, now in self._timers.past]
        if not state.entries and not state.timers:
            del self.played.states[key]

    def _note_timers(self, key: Key, what: Literal["set", "deleted", "expired"], timers: set[int]) -> None:
        changes = (TimerChange(self._segment, self._is_passage, key, what, one) for one in sorted(timers))
        self.played.timer_changes += changes

    def _lifetime(self, name: str) -> int | None:
        assert self._processor is not None
        lifetime, share = self._processor.lifetimes.get(name), self._alteration.lifetime_share
        return None if lifetime is None or share is None else max(1, int(lifetime * share))

    def _alter_between_batches(self) -> None:
        """Apply the alterations that lose or duplicate state when a new instance starts."""
        for state in self.played.states.values():
            if self._alteration.loses_state_between:
                state.entries = {}
            if self._alteration.appends_twice:
                lists = [place for place in state.entries if isinstance(place[1], int)]
                last = {name: max(at for other, at in lists if other == name) for name, _ in lists}
                state.entries |= {(name, at + 1): state.entries[name, at] for name, at in last.items()}

    def _keep(self, key: Key, answer: list[Any], by_timer: bool) -> None:
        rows = self._guarded(key, lambda: self._rows.returned(answer))
        self.played.outputs += [Output(self._segment, key, row, by_timer, self._is_passage) for row in rows]

    def _timer_values(self) -> TimerValues:
        mode, now = self._subject.mode, self._now
        if mode == "EventTime":
            return TimerValues(0, max(0, now + self._alteration.watermark_shift))
        return TimerValues(now if mode == "ProcessingTime" else 0, -1)

    def _guarded(self, key: Key, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except RowDoesNotFit as misfit:
            raise QueryEnded(Problem("misfit", self._segment, key, str(misfit))) from misfit
        except BaseException as error:
            if from_outside(error):
                raise
            raise QueryEnded(
                Problem("raised", self._segment, key, message_of(error) + _place(error))
            ) from error


def _place(error: BaseException) -> str:
    """Where the code of the user raised: the last place outside of the kit and of installed packages."""
    places = [
        (Path(frame.filename).name, frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
        if "site-packages" not in frame.filename and _KIT not in Path(frame.filename).parents
    ]
    return f" ({places[-1][0]}:{places[-1][1]})" if places else ""
