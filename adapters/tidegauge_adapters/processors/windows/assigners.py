"""Window assigners, with durations as in Spark's `window` and `session_window`."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidegauge.wire.steps import window as kit

from .durations import Duration, duration_ms

KitAssigner = kit.Tumbling | kit.Sliding | kit.Session


@dataclass(frozen=True)
class Tumbling:
    """Consecutive windows of `size`. One of them starts `offset` after 1970-01-01 00:00:00 UTC."""

    size: Duration
    offset: Duration = 0
    kit: KitAssigner = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = _length(self.size, "Tumbling: size")
        object.__setattr__(self, "kit", kit.Tumbling(size, duration_ms(self.offset, "Tumbling: offset")))


@dataclass(frozen=True)
class Sliding:
    """Windows of `size`, one every `slide`. One of them starts `offset` after 1970-01-01 00:00:00 UTC."""

    size: Duration
    slide: Duration
    offset: Duration = 0
    kit: KitAssigner = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size, slide = _length(self.size, "Sliding: size"), _length(self.slide, "Sliding: slide")
        offset = duration_ms(self.offset, "Sliding: offset")
        object.__setattr__(self, "kit", kit.Sliding(size, slide, offset))


@dataclass(frozen=True)
class Session:
    """Session windows that end `gap` after their last record. Sessions that overlap or touch are merged."""

    gap: Duration
    kit: KitAssigner = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kit", kit.Session(_length(self.gap, "Session: gap")))


Assigner = Tumbling | Sliding | Session


def _length(duration: Duration, name: str) -> int:
    length = duration_ms(duration, name)
    if length < 1:
        raise ValueError(f"{name} is {duration!r}; it has to be 1 ms at least")
    return length
