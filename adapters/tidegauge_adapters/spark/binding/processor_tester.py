"""The tester for stateful processors: PySpark's `TwsTester`, or `OwnTester` before PySpark 4.2.

`OwnTester` has the part of `TwsTester` that the kit needs: row-based processors, in the time modes "None" and
"EventTime". Like `TwsTester`, it ignores times to live.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.errors import PySparkValueError
from pyspark.errors.exceptions.base import IllegalArgumentException
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    ListState,
    MapState,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)

from ...required_pyspark import HAS_TESTER

Values = tuple[Any, ...]
_State = TypeVar("_State", bound="_OfKeys")


class OwnTester:
    """Runs a processor without Spark: `test` passes rows of a key, `setWatermark` lets timers expire."""

    def __init__(
        self,
        processor: StatefulProcessor,
        timeMode: str = "None",
        eventTimeExtractor: Callable[[Any], int] | None = None,
    ) -> None:
        self.processor = processor
        self._event_time = eventTimeExtractor
        self.handle = _Handle(is_timed=timeMode == "EventTime")
        processor.init(self.handle)

    def test(self, key: Any, rows: list[Row]) -> list[Row]:
        """Return the output of the processor for rows of a key. Late rows are dropped before the call."""
        handle = self.handle
        handle.setGroupingKey(key)
        if handle.is_timed and self._event_time is not None:
            rows = [row for row in rows if self._event_time(row) > handle.watermark]
        return list(self.processor.handleInputRows((key,), iter(rows), handle.times()))

    def setWatermark(self, watermark: int) -> list[Row]:
        """Raise the watermark (ms), and return the output of the timers that expire."""
        handle = self.handle
        if watermark <= handle.watermark:
            raise IllegalArgumentException(
                message=f"Watermark must move forward. Current: {handle.watermark} ms, "
                f"provided: {watermark} ms."
            )
        handle.watermark = watermark
        answers: list[Row] = []
        for key, timers in list(handle.timers.items()):
            handle.setGroupingKey(key)
            for timer in sorted(timer for timer in timers if timer <= watermark):
                expired = ExpiredTimerInfo(timer)
                answers += self.processor.handleExpiredTimer((key,), handle.times(), expired)
                handle.deleteTimer(timer)
        return answers


class _Handle(StatefulProcessorHandle):
    """Keeps states and timers for each grouping key. `key` is the current grouping key."""

    def __init__(self, is_timed: bool) -> None:
        self.is_timed = is_timed
        self.key: Any = None
        self.watermark = 0
        self.timers: dict[Any, set[int]] = {}
        self._states: dict[tuple[str, type], Any] = {}

    def setGroupingKey(self, key: Any) -> None:
        self.key = key

    def times(self) -> TimerValues:
        return TimerValues(0, self.watermark) if self.is_timed else TimerValues(-1, -1)

    def getValueState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> ValueState:
        return self._state(_Value, stateName)

    def getListState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> ListState:
        return self._state(_List, stateName)

    def getMapState(
        self, stateName: str, userKeySchema: Any, valueSchema: Any, ttlDurationMs: int | None = None
    ) -> MapState:
        return self._state(_Map, stateName)

    def _state(self, kind: type[_State], name: str) -> _State:
        state: _State = self._states.setdefault((name, kind), kind(self))
        return state

    def registerTimer(self, expiryTimestampMs: int) -> None:
        self._refuse_without_time()
        if expiryTimestampMs <= self.watermark:
            raise IllegalArgumentException(
                message=f"Cannot register timer with expiry {expiryTimestampMs} ms which is not later than "
                f"the current watermark {self.watermark} ms."
            )
        self.timers.setdefault(self.key, set()).add(expiryTimestampMs)

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        self._refuse_without_time()
        timers = self.timers.get(self.key, set())
        timers.discard(expiryTimestampMs)
        if not timers:
            self.timers.pop(self.key, None)

    def listTimers(self) -> Iterator[int]:
        self._refuse_without_time()
        return iter(sorted(self.timers.get(self.key, ())))

    def deleteIfExists(self, stateName: str) -> None:
        self._states = {place: state for place, state in self._states.items() if place[0] != stateName}

    def _refuse_without_time(self) -> None:
        if not self.is_timed:
            raise PySparkValueError(
                errorClass="UNSUPPORTED_OPERATION",
                messageParameters={"operation": "Timers with TimeMode.None"},
            )


class _OfKeys:
    """Base class of value, list and map state: stores the state of each grouping key."""

    def __init__(self, handle: _Handle) -> None:
        self._handle = handle
        self._states: dict[Any, Any] = {}

    def exists(self) -> bool:
        return self._handle.key in self._states

    def clear(self) -> None:
        self._states.pop(self._handle.key, None)


class _Value(_OfKeys, ValueState):
    def get(self) -> Values | None:
        return self._states.get(self._handle.key)

    def update(self, newValue: Values) -> None:
        self._states[self._handle.key] = newValue


class _List(_OfKeys, ListState):
    def get(self) -> Iterator[Values]:
        return iter(self._states.get(self._handle.key, ()))

    def put(self, newState: list[Values]) -> None:
        self._states[self._handle.key] = newState

    def appendValue(self, newState: Values) -> None:
        self.appendList([newState])

    def appendList(self, newState: Iterable[Values]) -> None:
        self._states.setdefault(self._handle.key, []).extend(newState)


class _Map(_OfKeys, MapState):
    def _entries(self) -> dict[Values, Values]:
        entries: dict[Values, Values] = self._states.get(self._handle.key, {})
        return entries

    def getValue(self, key: Values) -> Values | None:
        return self._entries().get(key)

    def containsKey(self, key: Values) -> bool:
        return key in self._entries()

    def updateValue(self, key: Values, value: Values) -> None:
        self._states.setdefault(self._handle.key, {})[key] = value

    def removeKey(self, key: Values) -> None:
        self._entries().pop(key, None)

    def iterator(self) -> Iterator[tuple[Values, Values]]:
        return iter(self._entries().items())

    def keys(self) -> Iterator[Values]:
        return iter(self._entries().keys())

    def values(self) -> Iterator[Values]:
        return iter(self._entries().values())


TESTER_NAME = "PySpark's TwsTester" if HAS_TESTER else "the kit's own tester (PySpark has none before 4.2)"
"""The description of `ProcessorTester` in reports."""

if TYPE_CHECKING or HAS_TESTER:
    from pyspark.sql.streaming.tws_tester import TwsTester as ProcessorTester
else:
    ProcessorTester = OwnTester

__all__ = ["TESTER_NAME", "OwnTester", "ProcessorTester"]
