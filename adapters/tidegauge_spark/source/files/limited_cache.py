"""A cache of limited weight with random eviction."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LimitedCache(Generic[Key, Value]):
    """Values with a weight each, `most` in total.

    Splits are read in turn. Eviction of the least recently used value would evict exactly the value that is
    needed next, so that a cache that is slightly too small would never hit. Random eviction keeps most of the
    values.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._weight = 0
        self._values: dict[Key, tuple[Value, int, int]] = {}
        self._keys: list[Key] = []
        self._random = random.Random(0)  # the same victims in each run

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """Return a value, None if it is not cached."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def take(self, key: Key) -> Value | None:
        """Return a value and remove it, None if it is not cached."""
        found = self._values.pop(key, None)
        if found is None:
            return None
        value, weight, place = found
        self._weight -= weight
        last = self._keys.pop()
        if last != key:
            self._keys[place] = last
            moved = self._values[last]
            self._values[last] = (moved[0], moved[1], place)
        return value

    def keep(self, key: Key, value: Value, weight: int) -> None:
        """Cache a value, and evict others if the total weight is too large."""
        self.take(key)
        if weight > self._most:
            return
        while self._weight + weight > self._most:
            self.take(self._random.choice(self._keys))
        self._values[key] = (value, weight, len(self._keys))
        self._keys.append(key)
        self._weight += weight
