"""The input channels of a subtask: the subtasks of other vertices that it reads from."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from .answers import Edge

_POINTWISE: Final = ("FORWARD", "RESCALE")


class Channel(Struct, frozen=True):
    """An input channel. `vertex`, `subtask`: the upstream subtask."""

    number: int
    vertex: str
    subtask: int


def channels_of(
    edges: list[Edge], subtask: int, parallelism: int, others: Mapping[str, int]
) -> list[Channel]:
    """Return the channels of a subtask that the monitor reports.

    If every subtask reads from all subtasks of another vertex, all have the same inputs, and only the first
    subtask reports them. others: the parallelism of each vertex.
    """
    channels: list[Channel] = []
    begin = 0
    for edge in sorted(edges, key=lambda edge: edge.num):
        width = others.get(edge.id, 0)
        if edge.ship_strategy in _POINTWISE:
            sources = _pointwise(width, subtask, parallelism)
        else:
            sources = range(width if subtask == 0 else 0)
        channels += [Channel(begin + number, edge.id, number) for number in sources]
        begin += width
    return channels


def _pointwise(width: int, subtask: int, parallelism: int) -> range:
    """Return the subtasks that a subtask reads from: the larger side is spread over the smaller."""
    if width == 0 or width >= parallelism:
        return range(subtask * width // parallelism, (subtask + 1) * width // parallelism)
    source = next(
        (number for number in range(width) if subtask < -(-(number + 1) * parallelism // width)), width - 1
    )
    return range(source, source + 1)
