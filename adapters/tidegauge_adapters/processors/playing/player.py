"""A player plays traces through new instances of one processor."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from copy import copy
from typing import Any

from pyspark import cloudpickle
from pyspark.sql.types import DateType

from ..processor_under_test import ProcessorUnderTest
from .alteration import NONE, Alteration
from .micro_batches import MicroBatches, QueryEnded
from .played import Played
from .rows import RowsOfProcessor
from .trace import Batch, Passage, Trace, in_batches, separated

_MOST_ROUNDS_OF_TIMERS = 8


class Player:
    """A player plays traces through new instances of one processor.

    Attributes:
        subject: the description of the processor.
        rows: converts the rows of traces to and from the schemas of the processor.
        name: the name of the processor in reports.
        alteration: the changes to the state, timers and clock of the processor.
    """

    def __init__(self, subject: ProcessorUnderTest) -> None:
        if subject.time and isinstance(subject.inputs[subject.time].dataType, DateType):
            raise ValueError(
                f"time: column {subject.time!r} is a date; checks draw times of ms: take a timestamp"
            )
        self.subject = subject
        self.alteration: Alteration = NONE
        self.rows = RowsOfProcessor(subject)
        self._ended: tuple[Trace, Trace] | None = None
        self._separated: tuple[Trace, Trace] | None = None
        self._latest: tuple[Trace, Played] | None = None
        made = subject.make()
        self.name = subject.name or getattr(made, "__name__", type(made).__name__)
        self._shipped = cloudpickle.dumps(made)  # type: ignore[no-untyped-call]

    def played(self, batches: Sequence[Batch], one_instance: bool = False, again: bool = False) -> Played:
        """Play micro-batches and return the outcome.

        Args:
            batches: the micro-batches.
            one_instance: whether one instance handles all micro-batches, which Spark never does.
            again: whether each micro-batch fails after the last call of the processor and runs again from
                the state before it.
        """
        playing = MicroBatches(
            self.subject,
            self.rows,
            self.instance,
            self.alteration,
            one_instance or self.alteration.one_instance,
        )
        try:
            for batch in batches:
                if again:
                    playing.rehearse(batch)
                playing.play(batch)
        except QueryEnded as ended:
            playing.played.problem = ended.problem
        return playing.played

    def altered(self, alteration: Alteration) -> Player:
        """Return a player of the same processor with an alteration."""
        player = copy(self)
        player.alteration = alteration
        player._ended = player._separated = player._latest = None
        return player

    def batches(self, trace: Trace) -> list[Batch]:
        """Return the micro-batches of Spark: all rows between two passages of time share one."""
        return in_batches(trace, rows_first=self.subject.mode == "ProcessingTime")

    def as_spark(self, trace: Trace) -> Played:
        """Play a trace in the micro-batches of Spark. The outcome of the last trace is cached."""
        known = self._latest
        if known is None or known[0] is not trace:
            self._latest = known = trace, self.played(self.batches(trace))
        return known[1]

    def ended(self, trace: Trace) -> Trace:
        """Return the trace, followed by passages of time beyond all rows, timers and times to live."""
        if self.subject.mode == "None":
            return trace
        known = self._ended
        if known is None or known[0] is not trace:
            self._ended = known = trace, self._with_end(trace)
        return known[1]

    def separated(self, trace: Trace) -> Trace:
        """Return the trace with each passage of time in a micro-batch of its own.

        Several checks play this trace. All of them get the same object, so that `as_spark` plays it once.
        """
        known = self._separated
        if known is None or known[0] is not trace:
            self._separated = known = trace, separated(trace)
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
            # State with a time to live must not expire before the timer that uses it.
            end = max(end + 1, min(timers)) if timers and expiries else max([end, *timers, *expiries]) + 1
            whole = (*whole, Passage(end))
        return whole

    def instance(self) -> Any:
        """Return a new instance, unpickled as in a Spark worker."""
        return pickle.loads(self._shipped)
