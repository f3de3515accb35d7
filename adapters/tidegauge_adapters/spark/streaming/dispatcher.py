"""A stateful processor that hands the rows of each key to one of several.

Python workers of Spark import this module: it knows nothing of the kit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

PROCESSOR = "_processor"
"""The last column of the grouping key of a dispatcher, INT: the number of the processor. The rows have it
too, behind the columns of the processor."""


class Dispatcher(StatefulProcessor):
    """Gives the rows and the timers of a key to that one of `processors` that its column `PROCESSOR` numbers.

    `columns` are the names of the columns that a processor gets, the first of each row. States of the same
    name are one state: each key uses those of its own processor only.
    """

    def __init__(self, processors: Sequence[StatefulProcessor], columns: Sequence[str]) -> None:
        self._processors = processors
        self._columns = columns

    def init(self, handle: StatefulProcessorHandle) -> None:
        """As all the processors do; a state can be declared to Spark only once, and only now."""
        shared = SharedHandle(handle)
        for processor in self._processors:
            processor.init(shared)

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,
    ) -> Iterator[Row]:
        """What the processor of this key does."""
        row = Row(*self._columns)
        plain = (row(*columns[: len(self._columns)]) for columns in rows)
        answers: Iterator[Row] = self._processors[key[-1]].handleInputRows(key[:-1], plain, timerValues)
        return answers

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Row]:
        """What the processor of this key does; like Spark, by the names of the arguments."""
        answers: Iterator[Row] = self._processors[key[-1]].handleExpiredTimer(
            key=key[:-1], timerValues=timerValues, expiredTimerInfo=expiredTimerInfo
        )
        return answers

    def close(self) -> None:
        """As all the processors do."""
        for processor in self._processors:
            processor.close()


class SharedHandle(StatefulProcessorHandle):
    """Hands out the same state whoever asks for it by its name; all else is as of `handle`.

    Raises `ValueError` for a state that another processor has declared otherwise.
    """

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._states: dict[str, tuple[Any, Any]] = {}

    def getValueState(self, stateName: str, *declared: Any, **named: Any) -> Any:
        """The value state of this name."""
        return self._state("getValueState", stateName, declared, named)

    def getListState(self, stateName: str, *declared: Any, **named: Any) -> Any:
        """The list state of this name."""
        return self._state("getListState", stateName, declared, named)

    def getMapState(self, stateName: str, *declared: Any, **named: Any) -> Any:
        """The map state of this name."""
        return self._state("getMapState", stateName, declared, named)

    def registerTimer(self, expiryTimestampMs: int) -> None:
        """As the handle does."""
        self._handle.registerTimer(expiryTimestampMs)

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        """As the handle does."""
        self._handle.deleteTimer(expiryTimestampMs)

    def listTimers(self) -> Iterator[int]:
        """As the handle does."""
        return self._handle.listTimers()

    def deleteIfExists(self, stateName: str) -> None:
        """As the handle does."""
        self._handle.deleteIfExists(stateName)

    def _state(self, kind: str, name: str, declared: tuple[Any, ...], named: dict[str, Any]) -> Any:
        found = self._states.get(name)
        if found is None:
            state = getattr(self._handle, kind)(name, *declared, **named)
            self._states[name] = found = ((kind, declared, named), state)
        if found[0] != (kind, declared, named):
            raise ValueError(f"state {name!r} is declared by two processors, and not alike")
        return found[1]
