"""The common part of the offsets of sources over splits of records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError, sealed, unsealed
from tidegauge_spark.source.planning.signals import NO_SIGNALS, PlannedSignals


class SplitPosition(Protocol):
    """The planned position of a split, a named tuple: see `FilePosition` and `LogPosition`."""

    @property
    def subtask(self) -> int:
        """Who reads it."""

    @property
    def records(self) -> int:
        """The number of records of the split that are planned."""

    @property
    def latest(self) -> int:
        """The greatest event time of the planned records (ms), `MIN` if there is none."""

    @property
    def finished(self) -> bool:
        """Whether the split is planned to its end."""

    def watermark(self, out_of_orderness: int) -> int:
        """Return the watermark (ms), for records that are out of order by at most this duration (ms)."""

    def _replace(self, *, subtask: int = ..., finished: bool = ...) -> Self: ...


AnyPosition = TypeVar("AnyPosition", bound=SplitPosition)
AnySlice = TypeVar("AnySlice")


@dataclass(frozen=True)
class SplitsOffset(ABC, Generic[AnyPosition, AnySlice]):
    """The planned position of a source that reads splits of records.

    source, started_at, now, bound: as in `SourceOffset`. watermarks: the watermark that each subtask has
    emitted last (ms), `MIN` if none. splits: the position of each split, by name. slices: the records of the
    last batch, by split. signals: the signals of the source.
    """

    source: str
    started_at: int
    now: int
    bound: int | None
    watermarks: tuple[int, ...]
    splits: Mapping[str, AnyPosition] = field(default_factory=dict)
    slices: Mapping[str, tuple[AnySlice, ...]] = field(default_factory=dict)
    signals: PlannedSignals = NO_SIGNALS

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""

    @abstractmethod
    def _follows(self, before: AnyPosition | None, split: str, slices: Sequence[AnySlice]) -> bool:
        """Return whether the slices of a split begin at its position before (None: the split is new)."""

    @property
    def ended(self) -> bool:
        """Whether the watermark of the end has been emitted."""
        return all(watermark == MAX for watermark in self.watermarks)

    def at(self, now: int) -> Self:
        """Return this offset at another processing time (ms since the source started), without records to
        read."""
        return replace(self, now=now, slices={}, signals=self.signals.silent())

    def stored(self, kind: str, **of_the_source: Any) -> dict[str, Any]:
        """Return the offset as Spark stores it; positions and slices are lists of their fields.

        kind: the kind of the source. of_the_source: further state of that kind of source.
        """
        offset = {
            "kind": kind,
            "source": self.source,
            "started_at": self.started_at,
            "now": self.now,
            "bound": self.bound,
            **of_the_source,
            "watermarks": list(self.watermarks),
            "splits": {split: _fields(position) for split, position in self.splits.items()},
            "slices": {split: [_fields(each) for each in slices] for split, slices in self.slices.items()},
            "signals": self.signals.to_json(),
        }
        return sealed(offset)

    def with_subtasks(self, count: int, in_band: bool) -> Self:
        """Return this offset for a source that continues with this number of subtasks, which take the splits
        in turn.

        Raises `IllegalOffsetError` if the number has changed and there are in-band signals: the operators
        after the source wait for the former number of subtasks.
        """
        if count == len(self.watermarks):
            return self
        if in_band:
            raise IllegalOffsetError(
                f"the checkpoint is of {len(self.watermarks)} subtasks, numSubtasks is {count}: with "
                "inBandWatermarks it has to stay, since operators wait for each of them; set it as before, "
                "or start with a new checkpoint folder"
            )
        unfinished = sorted(name for name, position in self.splits.items() if not position.finished)
        subtasks = {name: number % count for number, name in enumerate(unfinished)}
        return replace(
            self,
            watermarks=(MAX if self.ended else MIN,) * count,
            splits={
                name: position._replace(subtask=subtasks.get(name, 0))
                for name, position in self.splits.items()
            },
            signals=self.signals.forgotten(),
        )

    @classmethod
    def read(
        cls,
        stored: Any,
        kind: str,
        over: str,
        position: Callable[[Any], AnyPosition],
        slice_: Callable[[Any], AnySlice],
        of_the_source: Mapping[str, Callable[[Any], Any]],
    ) -> Self:
        """Return the offset from which the method `stored` made these values.

        kind: as there. over: what such a source reads, in words. position, slice_: make a position or slice
        from its list. of_the_source: makes each further state of that kind of source, by name. Raises
        `IllegalOffsetError` for anything else: an offset of another source or version, or a damaged one.
        """
        unsealed(stored)
        try:
            if stored["kind"] != kind or "checksum" not in stored:
                raise ValueError(f"it is of {stored['kind']!r}")
            offset = cls(
                source=str(stored["source"]),
                started_at=int(stored["started_at"]),
                now=int(stored["now"]),
                bound=None if stored["bound"] is None else int(stored["bound"]),
                watermarks=tuple(int(each) for each in stored["watermarks"]),
                splits={split: position(each) for split, each in stored["splits"].items()},
                slices={split: tuple(map(slice_, each)) for split, each in stored["slices"].items()},
                signals=PlannedSignals.from_json(stored.get("signals")),
                **{name: make(stored[name]) for name, make in of_the_source.items() if name in stored},
            )
            offset._check_consistent()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset that is not one of a source over {over} ({error!r}): "
                "start with a new checkpoint folder"
            ) from error
        return offset

    def check_follows(self, start: Self) -> None:
        """Raise `IllegalOffsetError` if the slices of this offset do not begin where another offset ends."""
        for split, slices in self.slices.items():
            if not self._follows(start.splits.get(split), split, slices):
                raise IllegalOffsetError(
                    f"the checkpoint has two offsets that do not follow one another, in split {split!r}: "
                    "restore the folder offsets of the checkpoint from a copy, or start with a new one"
                )

    def _check_consistent(self) -> None:
        """Raise `ValueError` for a state that no planning produces."""
        if any(position.subtask >= len(self.watermarks) for position in self.splits.values()):
            raise ValueError("a split belongs to a subtask that there is not")
        if not all(MIN <= watermark <= MAX for watermark in self.watermarks):
            raise ValueError("a watermark is out of range")
        if not self.slices.keys() <= self.splits.keys():
            raise ValueError("rows of an unknown split")


def _fields(value: Any) -> list[Any]:
    return list(value)
