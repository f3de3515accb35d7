"""SOURCE: a source subtask that reads numbers and obeys its bound."""

from .citation import cite
from .timestamps import MAX

SubtaskState = tuple[int, int]


class SourceSubtask:
    """Reads the numbers from `first` to `end - 1` in order; the timestamp of a number is itself, in ms.

    Its watermark is that of monotonous timestamps: the last timestamp minus 1 ms. `bound` (ms) is the last
    one announced, `MAX` before the first.
    """

    def __init__(self, first: int, end: int, aligned: bool) -> None:
        self.first = first
        self.end = end
        self.aligned = aligned
        self.next = first
        self.bound = MAX

    def read(self, readable: int) -> tuple[int, int] | None:
        """Read on, up to the number `readable` (excluded) and no further than the bound allows: the record
        that crosses it is read, no further one. Returns the first and the last number read, or None."""
        limit = min(readable, self.end)
        if not cite("SOURCE-4", not self.aligned):
            crossing = self.bound + 2
            if cite("SOURCE-1", crossing < limit - 1):
                limit = max(crossing + 1, self.next)
        if self.next >= limit:
            return None
        first, self.next = self.next, limit
        return first, limit - 1

    @property
    def watermark(self) -> int | None:
        """The watermark emitted last (ms); None before the first record."""
        return None if self.next == self.first else self.next - 2

    @property
    def finished(self) -> bool:
        """Whether all records are read."""
        return self.next >= self.end

    def announcement(self, bound: int) -> None:
        """A new bound (ms); what it admits is read from now on."""
        cite("SOURCE-3", bound > self.bound)
        cite("SOURCE-2", self.watermark is not None and self.watermark <= bound)
        self.bound = bound

    def state(self) -> SubtaskState:
        """All of the state, hashable."""
        return self.next, self.bound

    def restore(self, saved: SubtaskState) -> None:
        """Become the subtask that `saved` was taken from."""
        self.next, self.bound = saved
