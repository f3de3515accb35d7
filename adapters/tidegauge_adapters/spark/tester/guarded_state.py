"""The state of a processor in TwsTester, serialised at each access as in a real query.

An object that was handed out, or handed over, and is changed in place afterwards changes no state.
"""

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    ListState,
    MapState,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import Row, StructType

from ...ddl import UnreadableSchema, schema_of
from ..binding.time_to_live import refuse_ttl
from .declared_schema import DeclaredSchema

Place = tuple[str, Any]
"""Where an entry is: the name of a state, and of a map the key, of a list the index, of a value None."""

Entries = dict[Place, bytes]
"""All states of one grouping key."""


class GuardedProcessor(StatefulProcessor):
    """Does what `processor` does, with guarded states.

    `entries` are those of the key at hand, to be set before its rows come. `schemas` are those that were
    declared, by the name of the state: of a map, that of its keys and that of its values. `at_once`: values
    go through Arrow as they are written, not at the end of the batch; with timers the processor is called
    several times in a batch, and may read what it wrote.
    """

    def __init__(self, processor: StatefulProcessor, at_once: bool = False) -> None:
        self._processor = processor
        self._fitting: dict[str, DeclaredSchema] = {}
        self._fitting_keys: dict[str, DeclaredSchema] = {}
        self._map_keys: dict[tuple[str, tuple[Any, ...]], tuple[Any, ...]] = {}
        self._at_once = at_once
        self.entries: Entries = {}
        self.schemas: dict[str, tuple[StructType, ...]] = {}

    def init(self, handle: StatefulProcessorHandle) -> None:
        """As the processor does, with states of ours."""
        self._processor.init(_GuardedHandle(handle, self))

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,
    ) -> Iterator[Row]:
        """As the processor does."""
        return self._processor.handleInputRows(key, rows, timerValues)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Row]:
        """As the processor does; by the names of the arguments, as Spark does and `TwsTester` not."""
        answers: Iterator[Row] = self._processor.handleExpiredTimer(
            key=key, timerValues=timerValues, expiredTimerInfo=expiredTimerInfo
        )
        return answers

    def handleInitialState(self, key: Any, initialState: Any, timerValues: TimerValues) -> None:
        """As the processor does."""
        self._processor.handleInitialState(key, initialState, timerValues)

    def close(self) -> None:
        """As the processor does."""
        self._processor.close()

    def declare(self, name: str, *schemas: StructType | str, ttl: int | None) -> None:
        """Note a state. Raises `ValueError` for one that cannot be tested here, or with an unreadable
        schema."""
        self.forget_after(name, ttl)
        if name in self.schemas:
            raise ValueError(f"state {name!r} is declared twice")
        try:
            self.schemas[name] = tuple(map(schema_of, schemas))
        except UnreadableSchema as problem:
            raise ValueError(f"state {name!r}: {problem}") from None
        if self._at_once:
            self._fitting[name] = DeclaredSchema(self.schemas[name][-1])
            if len(schemas) > 1:
                self._fitting_keys[name] = DeclaredSchema(self.schemas[name][0])

    def map_key(self, name: str, key: Iterable[Any]) -> tuple[Any, ...]:
        """A key of a map as Spark hands it back: a timestamp without a zone. Raises `RowDoesNotFit` for a key
        that its schema cannot hold; Spark makes another number of it."""
        plain, fitting = tuple(key), self._fitting_keys.get(name)
        if fitting is None:
            return plain
        known = self._map_keys.get((name, plain))
        if known is None:
            known = self._map_keys[name, plain] = fitting.values([plain])[0]
        return known

    def forget_after(self, name: str, ttl: int | None) -> None:
        """Note the time to live of a state (ms). Raises `ValueError` where no clock of the kit moves it."""
        refuse_ttl(name, ttl)

    def stored(self, name: str, value: Iterable[Any]) -> tuple[Any, ...]:
        """A value of a state as it is kept."""
        return self.all_stored(name, [value])[0]

    def all_stored(self, name: str, values: Iterable[Iterable[Any]]) -> list[tuple[Any, ...]]:
        """Values of a state as they are kept; they go through Arrow all at once, for speed."""
        plain = [tuple(value) for value in values]
        fitting = self._fitting.get(name)
        return plain if fitting is None else fitting.values(plain)


class _GuardedHandle(StatefulProcessorHandle):
    """Hands out guarded states; timers are the tester's affair."""

    def __init__(self, handle: StatefulProcessorHandle, owner: GuardedProcessor) -> None:
        self._handle = handle
        self._owner = owner

    def getValueState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> ValueState:
        self._owner.declare(stateName, schema, ttl=ttlDurationMs)
        return _GuardedValue(stateName, self._owner)

    def getListState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> ListState:
        self._owner.declare(stateName, schema, ttl=ttlDurationMs)
        return _GuardedList(stateName, self._owner)

    def getMapState(
        self,
        stateName: str,
        userKeySchema: Any,
        valueSchema: Any,
        ttlDurationMs: int | None = None,
    ) -> MapState:
        self._owner.declare(stateName, userKeySchema, valueSchema, ttl=ttlDurationMs)
        return _GuardedMap(stateName, self._owner)

    def registerTimer(self, expiryTimestampMs: int) -> None:
        self._handle.registerTimer(expiryTimestampMs)

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        self._handle.deleteTimer(expiryTimestampMs)

    def listTimers(self) -> Iterator[int]:
        return self._handle.listTimers()

    def deleteIfExists(self, stateName: str) -> None:
        for place in _places(self._owner.entries, stateName):
            del self._owner.entries[place]


class _Guarded:
    """What the three kinds of state have in common."""

    def __init__(self, name: str, owner: GuardedProcessor) -> None:
        self._name = name
        self._owner = owner

    def exists(self) -> bool:
        return bool(_places(self._owner.entries, self._name))

    def clear(self) -> None:
        for place in _places(self._owner.entries, self._name):
            del self._owner.entries[place]

    def _get(self, where: Any) -> tuple[Any, ...] | None:
        entry = self._owner.entries.get((self._name, where))
        return None if entry is None else decoded(entry)

    def _put(self, where: Any, value: Iterable[Any]) -> None:
        self._owner.entries[self._name, where] = encoded(self._owner.stored(self._name, value))

    def _wheres(self) -> list[Any]:
        return [where for _, where in _places(self._owner.entries, self._name)]


class _GuardedValue(_Guarded, ValueState):
    def get(self) -> tuple[Any, ...] | None:
        return self._get(None)

    def update(self, newValue: Iterable[Any]) -> None:
        self._put(None, newValue)


class _GuardedList(_Guarded, ListState):
    def get(self) -> Iterator[tuple[Any, ...]]:
        return iter([decoded(self._owner.entries[self._name, where]) for where in sorted(self._wheres())])

    def put(self, newState: Iterable[Iterable[Any]]) -> None:
        self.clear()
        self.appendList(newState)

    def appendValue(self, newState: Iterable[Any]) -> None:
        self._put(len(self._wheres()), newState)

    def appendList(self, newState: Iterable[Iterable[Any]]) -> None:
        following = len(self._wheres())
        values = self._owner.all_stored(self._name, newState)
        for where, value in enumerate(values, start=following):
            self._owner.entries[self._name, where] = encoded(value)


class _GuardedMap(_Guarded, MapState):
    """Its keys come in no order that a processor could rely on."""

    def getValue(self, key: Iterable[Any]) -> tuple[Any, ...] | None:
        return self._get(self._owner.map_key(self._name, key))

    def containsKey(self, key: Iterable[Any]) -> bool:
        return (self._name, self._owner.map_key(self._name, key)) in self._owner.entries

    def updateValue(self, key: Iterable[Any], value: Iterable[Any]) -> None:
        self._put(self._owner.map_key(self._name, key), value)

    def removeKey(self, key: Iterable[Any]) -> None:
        self._owner.entries.pop((self._name, self._owner.map_key(self._name, key)), None)

    def iterator(self) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        entries = self._owner.entries
        return iter([(key, decoded(entries[self._name, key])) for key in self.keys()])

    def keys(self) -> Iterator[tuple[Any, ...]]:
        return iter(sorted(self._wheres(), key=repr, reverse=True))

    def values(self) -> Iterator[tuple[Any, ...]]:
        return iter([value for _, value in self.iterator()])


def encoded(value: Iterable[Any]) -> bytes:
    """A state as it is kept."""
    return pickle.dumps(tuple(value))


def decoded(entry: bytes) -> tuple[Any, ...]:
    """The state that is kept: a new object each time."""
    value: tuple[Any, ...] = pickle.loads(entry)
    return value


def _places(entries: Entries, name: str) -> list[Place]:
    return [place for place in entries if place[0] == name]
