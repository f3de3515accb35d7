"""A state handle for a processor under test detects changes of states and counts their entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from ...ddl import UnreadableSchema, schema_of
from ..playing.alteration import NONE, Alteration


class WatchedHandle(StatefulProcessorHandle):
    """This handle wraps each state of `handle` in a watched state.

    With an alteration, timers expire at other times than registered, or the state of a key is cleared.

    Attributes:
        watermark: the watermark (ms) while a record is handled; None while a timer is handled.
        changed: whether a state outside of `keeps` has changed since the attribute was set to False. Writing
            the value that the state already has is not a change.
    """

    def __init__(
        self, handle: StatefulProcessorHandle, keeps: Collection[str], alteration: Alteration = NONE
    ) -> None:
        self._handle = handle
        self._keeps = keeps
        self._alteration = alteration
        self._states: dict[str, _WatchedValue | _WatchedList | _WatchedMap] = {}
        self._overdue: set[int] = set()
        self.watermark: int | None = None
        self.changed = False

    def entries(self) -> int:
        """Return the number of entries in the states of the current key outside of `keeps`.

        Each element of a list and each key of a map is an entry. A value state is an entry unless it holds
        only zeros and empty lists.
        """
        return sum(state.entries() for name, state in self._states.items() if name not in self._keeps)

    def note(self, name: str) -> None:
        """Record a change of a state."""
        if name not in self._keeps:
            self.changed = True

    def getValueState(self, stateName: str, schema: Any, *more: Any, **named: Any) -> Any:
        """Return a watched value state."""
        state = self._handle.getValueState(stateName, _readable(schema), *more, **named)
        return self._watched(stateName, _WatchedValue(stateName, state, self))

    def getListState(self, stateName: str, schema: Any, *more: Any, **named: Any) -> Any:
        """Return a watched list state."""
        state = self._handle.getListState(stateName, _readable(schema), *more, **named)
        return self._watched(stateName, _WatchedList(stateName, state, self))

    def getMapState(
        self, stateName: str, userKeySchema: Any, valueSchema: Any, *more: Any, **named: Any
    ) -> Any:
        """Return a watched map state."""
        schemas = _readable(userKeySchema), _readable(valueSchema)
        state = self._handle.getMapState(stateName, *schemas, *more, **named)
        return self._watched(stateName, _WatchedMap(stateName, state, self))

    def registerTimer(self, expiryTimestampMs: int) -> None:
        """Register a timer of the current key.

        In Spark, a timer at or before the watermark expires at the end of the micro-batch. Here
        `next_overdue` returns such a timer, so that its rows belong to the record that registered it.
        """
        if self._alteration.one_timer:
            for timer in list(self.listTimers()):
                self.deleteTimer(timer)
        expiry = expiryTimestampMs + self._alteration.timer_shift
        if self.watermark is not None and expiry <= self.watermark:
            self._overdue.add(expiry)
        else:
            self._handle.registerTimer(expiry)

    def next_overdue(self) -> int | None:
        """Remove and return the earliest timer at or before the watermark; None if there is none."""
        if not self._overdue:
            return None
        earliest = min(self._overdue)
        self._overdue.remove(earliest)
        return earliest - self._alteration.timer_shift

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        """Delete a timer of the current key."""
        expiry = expiryTimestampMs + self._alteration.timer_shift
        if expiry in self._overdue:
            self._overdue.remove(expiry)
        else:
            self._handle.deleteTimer(expiry)

    def listTimers(self) -> Iterator[int]:
        """Return the timers of the current key."""
        shift = self._alteration.timer_shift
        return iter(sorted(timer - shift for timer in {*self._overdue, *self._handle.listTimers()}))

    def called(self, expired: int | None = None) -> None:
        """Note the end of a call for the current key. `expired` is the timer of the call, if it was one."""
        if self._alteration.clears_without_timers and not {*self.listTimers()} - {expired}:
            for name, state in self._states.items():
                if name not in self._keeps:
                    state.clear()

    def deleteIfExists(self, stateName: str) -> None:
        """Delete a state."""
        if stateName in self._states and self._states[stateName].entries():
            self.note(stateName)
        self._handle.deleteIfExists(stateName)

    def _watched(self, name: str, state: Any) -> Any:
        self._states[name] = state
        return state


class _Watched:
    """The base class of the three watched states. Other methods are delegated to the wrapped state."""

    def __init__(self, name: str, state: Any, owner: WatchedHandle) -> None:
        self._name = name
        self._state = state
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def exists(self) -> bool:
        return bool(self._state.exists())

    def clear(self) -> None:
        self._note_if(self.exists())
        self._state.clear()

    def entries(self) -> int:
        raise NotImplementedError

    def _note_if(self, changes: bool) -> None:
        if changes:
            self._owner.note(self._name)


class _WatchedValue(_Watched):
    def update(self, newValue: Iterable[Any]) -> None:
        value = tuple(newValue)
        self._note_if(plain(self._state.get()) != plain(value))
        self._state.update(value)

    def entries(self) -> int:
        value = self._state.get()
        return 0 if value is None or _is_empty(value) else 1


class _WatchedList(_Watched):
    def put(self, newState: Iterable[Iterable[Any]]) -> None:
        values = [tuple(value) for value in newState]
        self._note_if(plain(list(self._state.get())) != plain(values))
        self._state.put(values)

    def appendValue(self, newState: Iterable[Any]) -> None:
        self._note_if(True)
        self._state.appendValue(newState)

    def appendList(self, newState: Iterable[Iterable[Any]]) -> None:
        values = [tuple(value) for value in newState]
        self._note_if(bool(values))
        self._state.appendList(values)

    def entries(self) -> int:
        return sum(1 for _ in self._state.get())


class _WatchedMap(_Watched):
    def updateValue(self, key: Iterable[Any], value: Iterable[Any]) -> None:
        key, value = tuple(key), tuple(value)
        before = self._state.getValue(key) if self._state.containsKey(key) else None
        self._note_if(plain(before) != plain(value))
        self._state.updateValue(key, value)

    def removeKey(self, key: Iterable[Any]) -> None:
        key = tuple(key)
        self._note_if(self._state.containsKey(key))
        self._state.removeKey(key)

    def entries(self) -> int:
        return len(list(self._state.keys()))


def plain(value: Any) -> Any:
    """Return a value with rows and tuples as lists, because a state may return a tuple as a row."""
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return value


def _is_empty(value: Any) -> bool:
    """Return whether a value holds no data. A processor that writes back an empty list has kept no record."""
    if isinstance(value, list | tuple):
        return all(map(_is_empty, value))
    return not value


def _readable(schema: Any) -> Any:
    """Return a schema as a `StructType` if it can be parsed without a Spark session; else unchanged."""
    try:
        return schema_of(schema)
    except UnreadableSchema:
        return schema
