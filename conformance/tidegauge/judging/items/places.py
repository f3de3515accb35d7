"""Which of many numbered things: runs of numbers, short where they follow one another."""

from collections.abc import Iterator

from msgspec import Struct


class Places(Struct):
    """Numbers in rising order, as pairs of a first number and how many follow from it on."""

    runs: list[tuple[int, int]] = []

    def add(self, place: int) -> None:
        """Add a number greater than all so far."""
        if self.runs and sum(self.runs[-1]) == place:
            first, length = self.runs[-1]
            self.runs[-1] = first, length + 1
        else:
            self.runs.append((place, 1))

    def are_below(self, end: int) -> bool:
        """Whether all are from 0 to `end`, which is excluded; numbers from a file may be any."""
        return all(first >= 0 and length > 0 and first + length <= end for first, length in self.runs)

    def __iter__(self) -> Iterator[int]:
        for first, length in self.runs:
            yield from range(first, first + length)

    def __len__(self) -> int:
        return sum(length for _, length in self.runs)
