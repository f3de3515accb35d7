"""What the subtasks of a simulated job are given to read, and when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...wire.steps.job import SubtaskSetup
from ...wire.timestamps import from_wire

_CATCHING_UP = 10
"""So many times faster than records come can those be read that have piled up."""


@dataclass(frozen=True)
class Segment:
    """`count` records with the timestamps `first`, `first + step`, ... (ms). The n-th, from 1, is readable
    from `readable_from` + n x `interval` (ms) on."""

    first: int
    count: int
    step: int
    readable_from: int
    interval: Fraction

    def readable(self, now: int) -> int:
        """How many of its records can be read by `now` (ms)."""
        return max(0, min(self.fitting(now - self.readable_from), self.count))

    def fitting(self, milliseconds: int | Fraction) -> int:
        """How many whole intervals fit."""
        # A run asks a million times: dividing fractions takes several times as long as this.
        return int(milliseconds * self.interval.denominator // self.interval.numerator)


class Feed:
    """The records of one subtask; `position` is how many have been read."""

    def __init__(self, segments: Sequence[Segment], backpressure: Sequence[tuple[int, int]]) -> None:
        self.segments = segments
        self.backpressure = backpressure
        self.position = 0

    def seek(self, position: int) -> None:
        """Go on from `position`."""
        self.position = position

    @property
    def finished(self) -> bool:
        """Whether all records have been read."""
        return self.position == sum(segment.count for segment in self.segments)

    def records(self, now: int, milliseconds: int) -> Iterator[int]:
        """The timestamps (ms) of the records that can be read by `now` (ms), each read as it is taken; as
        many as a reader that catches up gets through in `milliseconds`."""
        before, first = 0, self.position
        time: int | Fraction = _CATCHING_UP * milliseconds
        for segment in self.segments:
            if (read := self.position - before) < segment.count:
                in_time = max(int(self.position == first), segment.fitting(time))
                for number in range(read, min(segment.readable(now), read + in_time)):
                    self.position += 1
                    yield segment.first + number * segment.step
                if self.position < before + segment.count:
                    return
                time -= (self.position - before - read) * segment.interval
            before += segment.count

    def under_backpressure(self, now: int) -> bool:
        """Whether downstream takes no records at `now` (ms)."""
        return any(since <= now < until for since, until in self.backpressure)


def feed_of(subtask: SubtaskSetup) -> Feed:
    """The feed that a subtask's setup describes."""
    first, end = from_wire(subtask.first), from_wire(subtask.end)
    numbers = Segment(first, end - first, 1, 0, Fraction(1, subtask.records_per_millisecond))
    segments = [
        Segment(
            from_wire(given.first),
            given.count,
            given.step,
            given.readable_from,
            Fraction(given.milliseconds_per_record),
        )
        for given in subtask.segments
    ]
    return Feed(segments or [numbers], [(span.since, span.until) for span in subtask.backpressure])
