"""Run a function for `applyInPandasWithState` as a processor with one state and one timer per key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.state import GroupState
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from ...ddl import schema_of
from ...spark.tester.declared_schema import DeclaredSchema
from ..processor_under_test import ProcessorUnderTest
from .rows import frame

_TIMEOUTS = {
    "None": "NoTimeout",
    "EventTime": "EventTimeTimeout",
    "ProcessingTime": "ProcessingTimeTimeout",
}


class GroupStateProcessor(StatefulProcessor):
    """This processor calls `function(key, frames, state)`.

    Spark keeps one state and one timeout per key. Here the state is a value state, and the timeout is a
    timer. A call that does not set the timeout again removes the timer.
    """

    def __init__(self, function: Any, subject: ProcessorUnderTest) -> None:
        self.function = function
        self._mode = subject.mode
        assert subject.state_schema is not None
        self._schema = schema_of(subject.state_schema)
        self._inputs = DeclaredSchema(subject.inputs)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Create the value state."""
        self._handle = handle
        self._value = handle.getValueState("state", self._schema)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Any]:
        """Call the function with the data frames of a micro-batch."""
        return self._called(key, rows, timerValues, has_timed_out=False)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Any]:
        """Call the function with an empty data frame, because the timeout of the key has expired."""
        return self._called(key, iter([frame(self._inputs, [])]), timerValues, has_timed_out=True)

    def _called(self, key: Any, rows: Iterator[Any], now: TimerValues, has_timed_out: bool) -> Iterator[Any]:
        value = self._value.get()
        state = GroupState(
            optionalValue=Row(*value) if value is not None else None,  # type: ignore[arg-type]
            batchProcessingTimeMs=now.getCurrentProcessingTimeInMs(),
            eventTimeWatermarkMs=now.getCurrentWatermarkInMs(),
            timeoutConf=_TIMEOUTS[self._mode],
            hasTimedOut=has_timed_out,
            watermarkPresent=self._mode == "EventTime",
            defined=value is not None,
            updated=False,
            removed=False,
            timeoutTimestamp=GroupState.NO_TIMESTAMP,
            keyAsUnsafe=b"",
            valueSchema=self._schema,
        )
        yield from self.function(key, rows, state)
        for timer in list(self._handle.listTimers()) if self._mode != "None" else ():
            self._handle.deleteTimer(timer)
        if state._removed:
            self._value.clear()
        elif state._updated:
            self._value.update(tuple(state._value))
        timeout = state._timeout_timestamp
        if timeout != GroupState.NO_TIMESTAMP and self._mode != "None":
            self._handle.registerTimer(timeout)
