"""The kit runs a processor of the user with the kit's own state, timers and clock."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.streaming.stateful_processor import ListState, MapState, StatefulProcessorHandle, ValueState

from ...spark.tester.guarded_state import Entries, GuardedProcessor, Place, decoded
from .trace import Key


@dataclass
class StateOfKey:
    """The state and the timers of one key, as a checkpoint stores them.

    Attributes:
        entries: the values of all states, in their stored form.
        timers: the times of the timers (ms).
        expiries: the processing time at which each entry with a time to live expires (ms).
    """

    entries: Entries = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)
    expiries: dict[Place, int] = field(default_factory=dict)

    def copy(self) -> StateOfKey:
        """Return a copy that later micro-batches do not change."""
        return StateOfKey(dict(self.entries), set(self.timers), dict(self.expiries))

    def forget_expired(self, now: int) -> None:
        """Remove the entries whose time to live has expired at the processing time `now` (ms)."""
        for place in [place for place, expiry in self.expiries.items() if expiry <= now]:
            del self.expiries[place]
            self.entries.pop(place, None)

    def values(self) -> dict[str, Any]:
        """Return the remaining states by name, in readable form."""
        found: dict[str, Any] = {}
        for (name, where), entry in self.entries.items():
            value = decoded(entry)
            if where is None:
                found[name] = value
            else:
                found.setdefault(name, {})[where] = value
        return found


class RecordedProcessor(GuardedProcessor):
    """A processor whose states expire by the clock of the kit."""

    def __init__(self, processor: Any, has_clock: bool) -> None:
        super().__init__(processor, at_once=True)
        self._has_clock = has_clock
        self.lifetimes: dict[str, int] = {}

    def forget_after(self, name: str, ttl: int | None) -> None:
        """Record the time to live of a state (ms). Raises `ValueError` where Spark rejects it."""
        if ttl is None:
            return
        if not self._has_clock:
            raise ValueError(
                f"state {name!r} has ttlDurationMs={ttl}: Spark takes it in time mode ProcessingTime only; "
                "clear the state by a timer, or change the time mode"
            )
        self.lifetimes[name] = ttl


class TimersOfKey(StatefulProcessorHandle):
    """A state handle for the timers of the current key. `RecordedProcessor` handles the states.

    Attributes:
        timers: the timers of the current key (ms).
        now: the watermark or the processing time (ms).
        past: each timer that was set at or before `now`, together with `now`.

    With `keeps_timers`, deleting a timer has no effect. With `one_timer`, a new timer replaces all others.
    """

    def __init__(self, mode: str, keeps_timers: bool = False, one_timer: bool = False) -> None:
        self._mode = mode
        self._keeps_timers = keeps_timers
        self._one_timer = one_timer
        self.timers: set[int] = set()
        self.now = 0
        self.past: list[tuple[int, int]] = []

    def getValueState(self, *_: Any, **__: Any) -> ValueState:
        """Raise `NotImplementedError`: `RecordedProcessor` handles the states and never calls this method."""
        raise NotImplementedError

    def getListState(self, *_: Any, **__: Any) -> ListState:
        """Raise `NotImplementedError`, the same as `getValueState`."""
        raise NotImplementedError

    def getMapState(self, *_: Any, **__: Any) -> MapState:
        """Raise `NotImplementedError`, the same as `getValueState`."""
        raise NotImplementedError

    def registerTimer(self, expiryTimestampMs: int) -> None:
        """Set a timer of the current key (ms)."""
        self._refuse_without_time()
        if expiryTimestampMs <= self.now:
            self.past.append((expiryTimestampMs, self.now))
        if self._one_timer:
            self.timers.clear()
        self.timers.add(int(expiryTimestampMs))

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        """Delete a timer of the current key (ms)."""
        self._refuse_without_time()
        if not self._keeps_timers:
            self.timers.discard(int(expiryTimestampMs))

    def listTimers(self) -> Iterator[int]:
        """Return the timers of the current key, the earliest first."""
        self._refuse_without_time()
        return iter(sorted(self.timers))

    def _refuse_without_time(self) -> None:
        if self._mode == "None":
            raise ValueError("Spark has no timers in time mode None; take EventTime or ProcessingTime")


_HANDLES = (StatefulProcessorHandle, ValueState, ListState, MapState)


def attributes_of(processor: Any) -> dict[str, bytes]:
    """Return the variables in which a processor could keep data outside of its state, pickled for comparison.

    For a processor these are its attributes, the containers and numbers of its class, and the containers of
    its module. For a function these are its closure variables and the containers of its module.

    State handles, and values that cannot be pickled, are left out.
    """
    function = getattr(processor, "function", None)
    owner = processor if function is None else function
    kind = type(owner)
    places: list[tuple[str, Mapping[str, Any]]] = []
    if function is None:
        places.append(("self.", vars(processor)))
        places.append((f"{kind.__name__}.", _containers(vars(kind), int)))
    else:
        places.append(("", inspect.getclosurevars(function).nonlocals))
    module = sys.modules.get(owner.__module__)
    places.append(("", _containers(vars(module)) if module else {}))
    found: dict[str, bytes] = {}
    for prefix, attributes in places:
        for name, value in attributes.items():
            if isinstance(value, _HANDLES):
                continue
            try:
                found[prefix + name] = pickle.dumps(value)
            except Exception:  # a lock, a connection
                continue
    return found


def _containers(variables: Mapping[str, Any], *others: type) -> dict[str, Any]:
    kinds = (list, dict, set, *others)
    return {
        name: value
        for name, value in variables.items()
        if isinstance(value, kinds) and not name.startswith("__")
    }


def keys_in_order(states: dict[Key, StateOfKey]) -> list[Key]:
    """Return the keys of states in a fixed order, which does not depend on their arrival."""
    return sorted(states, key=repr)
