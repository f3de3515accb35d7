"""A combination of splits or inputs that sorts its parts into three piles, each kept in the order of watermarks."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1


class Part(NamedTuple):
    """What is known of a part; its watermark is in ms."""

    watermark: int
    idle: bool

    @property
    def pile(self) -> str:
        """Where the part lies."""
        return "finished" if self.watermark == MAX else "idle" if self.idle else "active"


class PiledSplits:
    """`_piles` holds the watermarks of the active, idle and finished parts, each pile in ascending order. So the
    minimum is the first of one pile, and what a flush releases is the last of another one."""

    def __init__(self, inputs: int = 0) -> None:
        self._parts: dict[str | int, Part] = {number: Part(MIN, False) for number in range(inputs)}
        self._piles: dict[str, list[int]] = {"active": [MIN] * inputs, "idle": [], "finished": []}
        self._output = MIN
        self._told_idle = False

    def add_split(self, split: str) -> None:
        """A split is assigned; it is waited for at once."""
        if split in self._parts:
            raise RuntimeError(f"split {split!r} is there already")
        self._put(split, Part(MIN, False))

    def remove_split(self, split: str) -> None:
        """A split is gone, if it was there."""
        if split in self._parts:
            self._take(split)

    def watermark(self, split: str | int, timestamp: int, deferred: bool) -> list[tuple[Any, ...]]:
        """A part delivers a watermark (ms), which ends its idleness."""
        before = self._known(split)
        self._put(split, Part(max(before.watermark, timestamp), False))
        rises = timestamp > before.watermark and timestamp > self._output
        return self._update() if not deferred and (rises or before.idle) else []

    def idle(self, split: str | int, deferred: bool) -> list[tuple[Any, ...]]:
        """The part has no data for now."""
        return self._status(split, True, deferred)

    def active(self, split: str | int, deferred: bool) -> list[tuple[Any, ...]]:
        """The part has data again."""
        return self._status(split, False, deferred)

    def tick(self) -> list[tuple[Any, ...]]:
        """The periodic emit."""
        return self._update()

    def input_watermark(self, input: int, timestamp: int) -> list[tuple[Any, ...]]:
        """An input delivers a watermark (ms)."""
        return self.watermark(input, timestamp, False)

    def input_idle(self, input: int) -> list[tuple[Any, ...]]:
        """The input has no data for now."""
        return self.idle(input, False)

    def input_active(self, input: int) -> list[tuple[Any, ...]]:
        """The input has data again."""
        return self.active(input, False)

    def _status(self, name: str | int, idle: bool, deferred: bool) -> list[tuple[Any, ...]]:
        self._put(name, self._known(name)._replace(idle=idle))
        return [] if deferred else self._update()

    def _update(self) -> list[tuple[Any, ...]]:
        """What has changed since downstream was told."""
        reached, idle = self._combined()
        news: list[tuple[Any, ...]] = []
        if self._told_idle and (not idle or reached > self._output):
            news.append(("active",))
            self._told_idle = False
        if reached > self._output:
            news.append(("watermark", reached))
            self._output = reached
        if idle and not self._told_idle:
            news.append(("idle",))
            self._told_idle = True
        return news

    def _combined(self) -> tuple[int, bool]:
        """The timestamp (ms) up to which all is complete, and whether nothing is promised for now."""
        if active := self._piles["active"]:
            return active[0], False
        if idle := self._piles["idle"]:
            return idle[-1], True
        return (MAX, False) if self._piles["finished"] else (MIN, True)

    def _known(self, name: str | int) -> Part:
        if name not in self._parts:
            raise ValueError(f"there is no part {name!r}")
        return self._parts[name]

    def _take(self, name: str | int) -> None:
        part = self._parts.pop(name)
        pile = self._piles[part.pile]
        del pile[bisect_left(pile, part.watermark)]

    def _put(self, name: str | int, part: Part) -> None:
        if name in self._parts:
            self._take(name)
        self._parts[name] = part
        insort(self._piles[part.pile], part.watermark)

    def snapshot(self) -> Any:
        """The parts and what downstream was told; the piles follow from the parts."""
        return self._parts, self._output, self._told_idle

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        parts, self._output, self._told_idle = saved
        self._parts, self._piles = {}, {"active": [], "idle": [], "finished": []}
        for name, part in parts.items():
            self._put(name, part)
