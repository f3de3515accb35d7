"""A processor of the user with its state, its timers and its clock in the hands of the kit."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.streaming.stateful_processor import ListState, MapState, StatefulProcessorHandle, ValueState

from ..spark.tester.guarded_state import Entries, GuardedProcessor, Place, decoded
from .trace import Key


@dataclass
class StateOfKey:
    """What a checkpoint has of one key.

    Attributes:
        entries: the values of all states, as they are stored.
        timers: the times of its timers (ms).
        expiries: when Spark forgets an entry with a time to live (ms of processing time).
    """

    entries: Entries = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)
    expiries: dict[Place, int] = field(default_factory=dict)

    def copy(self) -> StateOfKey:
        """A copy that later batches do not change."""
        return StateOfKey(dict(self.entries), set(self.timers), dict(self.expiries))

    def forget_expired(self, now: int) -> None:
        """Remove entries whose time to live is over at the processing time `now` (ms)."""
        for place in [place for place, expiry in self.expiries.items() if expiry <= now]:
            del self.expiries[place]
            self.entries.pop(place, None)

    def values(self) -> dict[str, Any]:
        """The states that are left, by name, in readable form."""
        found: dict[str, Any] = {}
        for (name, where), entry in self.entries.items():
            value = decoded(entry)
            if where is None:
                found[name] = value
            else:
                found.setdefault(name, {})[where] = value
        return found


class RecordedProcessor(GuardedProcessor):
    """A processor whose states have a time to live on the clock of the kit."""

    def __init__(self, processor: Any, has_clock: bool) -> None:
        super().__init__(processor, at_once=True)
        self._has_clock = has_clock
        self.lifetimes: dict[str, int] = {}

    def forget_after(self, name: str, ttl: int | None) -> None:
        """Note the time to live of a state (ms). Raises `ValueError` where Spark refuses it."""
        if ttl is None:
            return
        if not self._has_clock:
            raise ValueError(
                f"state {name!r} has ttlDurationMs={ttl}: Spark takes it in time mode ProcessingTime only; "
                "clear the state by a timer, or change the time mode"
            )
        self.lifetimes[name] = ttl


class TimersOfKey(StatefulProcessorHandle):
    """The timers of the key at hand. States are those of `RecordedProcessor`.

    Attributes:
        timers: those of the key at hand (ms).
        now: the watermark or the processing time (ms).
        past: timers that were set at or before `now`, with it.

    With `keeps_timers` none is deleted, and with `one_timer` a new one replaces the others.
    """

    def __init__(self, mode: str, keeps_timers: bool = False, one_timer: bool = False) -> None:
        self._mode = mode
        self._keeps_timers = keeps_timers
        self._one_timer = one_timer
        self.timers: set[int] = set()
        self.now = 0
        self.past: list[tuple[int, int]] = []

    def getValueState(self, *_: Any, **__: Any) -> ValueState:
        """Not asked for: states are those of `RecordedProcessor`."""
        raise NotImplementedError

    def getListState(self, *_: Any, **__: Any) -> ListState:
        """As `getValueState`."""
        raise NotImplementedError

    def getMapState(self, *_: Any, **__: Any) -> MapState:
        """As `getValueState`."""
        raise NotImplementedError

    def registerTimer(self, expiryTimestampMs: int) -> None:
        """Set a timer of the key at hand (ms)."""
        self._refuse_without_time()
        if expiryTimestampMs <= self.now:
            self.past.append((expiryTimestampMs, self.now))
        if self._one_timer:
            self.timers.clear()
        self.timers.add(int(expiryTimestampMs))

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        """Delete a timer of the key at hand (ms)."""
        self._refuse_without_time()
        if not self._keeps_timers:
            self.timers.discard(int(expiryTimestampMs))

    def listTimers(self) -> Iterator[int]:
        """The timers of the key at hand, the earliest first."""
        self._refuse_without_time()
        return iter(sorted(self.timers))

    def _refuse_without_time(self) -> None:
        if self._mode == "None":
            raise ValueError("Spark has no timers in time mode None; take EventTime or ProcessingTime")


_HANDLES = (StatefulProcessorHandle, ValueState, ListState, MapState)


def attributes_of(processor: Any) -> dict[str, bytes]:
    """Return what a processor could remember beside its state, in a form that can be compared.

    That is its attributes, those of its class, and the containers of its module; for a function, the
    variables around it and those of its module.

    State handles and whatever else cannot be pickled are left out.
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
    """The keys of states in an order of their own."""
    return sorted(states, key=repr)
