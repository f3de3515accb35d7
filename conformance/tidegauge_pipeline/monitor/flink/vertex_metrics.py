"""The metrics of a vertex: which ones are requested, and the samples of its subtasks.

A metric of a task is named `SUBTASK.NAME`, one of an operator in it `SUBTASK.OPERATOR.NAME`. An operator's
name has `_` for each space, dot, colon and comma.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from tidegauge.wire.timestamps import MIN

from .answers import Vertex

MOST_SPLITS: Final = 256
"""The splits of a vertex with more are not sampled: each split costs two metrics in every poll."""

_MOST_CHARACTERS: Final = 3_500
"""The maximum length of the names in a request: Flink's server accepts request lines of 4,096 characters."""

_FILTERED: Final = str.maketrans(" .:,", "____")
_OUTPUT: Final = ".currentOutputWatermark"
_LATE: Final = ".numLateRecordsDropped"
_DRIFT: Final = ".watermarkAlignmentDrift"
_SPLIT: Final = re.compile(r".+?\.split\.(.+)\.watermark\.(currentWatermark|idleTimeMsPerSecond)")


class SplitSample(Struct, frozen=True):
    """The metrics of a split. watermark: in ms, None if the split has none yet. idle: the idle time, in ms
    per second over the last five seconds."""

    watermark: int | None
    idle: float


class SubtaskSample(Struct, frozen=True):
    """The metrics of a subtask in a poll; None if unknown.

    records: the counter of records. late: the counter of dropped late records. watermark: the last output
    watermark (ms). drift: how far the subtask is ahead of its alignment bound (ms).
    """

    records: int | None = None
    late: int | None = None
    watermark: int | None = None
    drift: int | None = None
    splits: dict[str, SplitSample] = {}


class VertexMetrics:
    """The metrics of a vertex that the monitor reads.

    In a source, the records that left the first operator are counted; in any other vertex, the records that
    came in. The last operator gives the output watermark. Late records of all operators are summed.
    """

    def __init__(self, vertex: Vertex, is_source: bool, names: Iterable[str]) -> None:
        operators, late, drifts, splits = set(), set(), set(), []
        for name in names:
            subtask, _, rest = name.partition(".")
            if rest.endswith(_OUTPUT):
                operators.add(rest.removesuffix(_OUTPUT))
            elif rest.endswith(_LATE):
                late.add(rest)
            elif rest.endswith(_DRIFT):
                drifts.add(rest)
            elif subtask.isdecimal() and (split := _SPLIT.fullmatch(rest)):
                splits.append((int(subtask), split[1], split[2], name))
        first, last = _ends(vertex.name, operators)
        self._records = f"{first}.numRecordsOut" if is_source else "numRecordsIn"
        self._watermark = f"{last}{_OUTPUT}"
        self._late, self._drifts = sorted(late), sorted(drifts)
        self._splits = splits if len(splits) <= 2 * MOST_SPLITS else []
        self._parallelism = vertex.parallelism
        self._operators = operators

    @property
    def is_known(self) -> bool:
        """Whether the names of the operators are known. They arrive with the first metrics."""
        return bool(self._operators)

    def covers(self, other: "VertexMetrics") -> bool:
        """Whether these are metrics of all operators of `other`. Some lists of names are incomplete."""
        return self._operators >= other._operators

    def queries(self) -> Iterator[str]:
        """Yield the values of the parameter `get` that together request all metrics."""
        names = [
            f"{subtask}.{name}"
            for subtask in range(self._parallelism)
            for name in (self._records, self._watermark, *self._late, *self._drifts)
        ]
        names += [name for _, _, _, name in self._splits]
        chunk: list[str] = []
        length = 0
        for name in map(quote, names):
            if chunk and length + len(name) + 1 > _MOST_CHARACTERS:
                yield ",".join(chunk)
                chunk, length = [], 0
            chunk.append(name)
            length += len(name) + 1
        yield ",".join(chunk)

    def samples(self, values: Mapping[str, str]) -> list[SubtaskSample]:
        """Return the sample of each subtask from the values of its metrics by name."""
        splits: list[dict[str, SplitSample]] = [{} for _ in range(self._parallelism)]
        for subtask, split, what, name in self._splits:
            if what == "currentWatermark" and name in values and subtask < self._parallelism:
                idle = values.get(f"{name.removesuffix(what)}idleTimeMsPerSecond", "0")
                splits[subtask][split] = SplitSample(_watermark(values[name]), float(idle))
        return [
            SubtaskSample(
                records=_number(values.get(f"{subtask}.{self._records}")),
                late=_sum(values.get(f"{subtask}.{name}") for name in self._late),
                watermark=_watermark(values.get(f"{subtask}.{self._watermark}")),
                drift=_sum(values.get(f"{subtask}.{name}") for name in self._drifts),
                splits=splits[subtask],
            )
            for subtask in range(self._parallelism)
        ]


def _ends(vertex: str, operators: Iterable[str]) -> tuple[str, str]:
    """Return the first and the last operator of a vertex, by their places in its name, such as
    "Source: orders -> Map -> (Sink: Writer, Filter)"."""
    filtered = vertex.translate(_FILTERED)
    named = sorted(each for each in operators if each in filtered) or sorted(operators)
    if not named:
        return "", ""
    first = min(named, key=lambda name: (filtered.find(name), -len(name)))
    return first, max(named, key=lambda name: (filtered.rfind(name) + len(name), len(name)))


def _number(value: str | None) -> int | None:
    try:
        return None if value is None else int(value)
    except ValueError:  # a gauge that failed
        return None


def _watermark(value: str | None) -> int | None:
    watermark = _number(value)
    return None if watermark == MIN else watermark


def _sum(values: Iterable[str | None]) -> int | None:
    numbers = [number for number in map(_number, values) if number is not None]
    return sum(numbers) if numbers else None
