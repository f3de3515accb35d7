"""The offset of a source over files: all that its coordinator has to remember, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and hands it to a new reader after a crash.
What is not in here is lost with the process (JOB-4). It lists what is to be read, so that files that appear
later change nothing about a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.position import FilePosition, Slice
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError, sealed, unsealed
from tidegauge_spark.source.planning.signals import NO_SIGNALS, PlannedSignals

KIND: Final = "files"


@dataclass(frozen=True)
class FilesOffset:
    """How far a source over files is planned.

    source, started_at, now, bound: as in `SourceOffset`. path, format: what it reads. watermarks: what each
    subtask has emitted last (ms), `MIN` if nothing. splits: how far each split is planned, by name. slices:
    the rows of the last batch, by split. signals: what goes in band.
    """

    source: str
    started_at: int
    now: int
    bound: int | None
    path: str
    format: str
    watermarks: tuple[int, ...]
    splits: Mapping[str, FilePosition] = field(default_factory=dict)
    slices: Mapping[str, tuple[Slice, ...]] = field(default_factory=dict)
    signals: PlannedSignals = NO_SIGNALS

    @property
    def ended(self) -> bool:
        """Whether all that will ever be said has been said."""
        return all(watermark == MAX for watermark in self.watermarks)

    @classmethod
    def initial(cls, options: FileOptions, source: str, started_at: int) -> FilesOffset:
        """Return where a new source stands: nothing is known yet and no time has passed."""
        watermarks = (MIN,) * options.subtasks
        return cls(source, started_at, 0, None, options.path, options.format, watermarks)

    def at(self, now: int) -> FilesOffset:
        """Return this offset at another processing time (ms since the source started), nothing to read."""
        return replace(self, now=now, slices={}, signals=self.signals.silent())

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it; positions and slices are lists of their fields."""
        offset = {
            "kind": KIND,
            "source": self.source,
            "started_at": self.started_at,
            "now": self.now,
            "bound": self.bound,
            "path": self.path,
            "format": self.format,
            "watermarks": list(self.watermarks),
            "splits": {split: list(position) for split, position in self.splits.items()},
            "slices": {split: [list(each) for each in slices] for split, slices in self.slices.items()},
            "signals": self.signals.to_json(),
        }
        return sealed(offset)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> FilesOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: one of another source or version, or damaged.
        """
        unsealed(stored)
        try:
            if stored["kind"] != KIND or "checksum" not in stored:
                raise ValueError(f"it is of {stored['kind']!r}")
            offset = cls(
                source=str(stored["source"]),
                started_at=int(stored["started_at"]),
                now=int(stored["now"]),
                bound=None if stored["bound"] is None else int(stored["bound"]),
                path=str(stored["path"]),
                format=str(stored["format"]),
                watermarks=tuple(int(each) for each in stored["watermarks"]),
                splits={
                    split: FilePosition.from_json(position) for split, position in stored["splits"].items()
                },
                slices={
                    split: tuple(map(Slice.from_json, slices)) for split, slices in stored["slices"].items()
                },
                signals=PlannedSignals.from_json(stored.get("signals")),
            )
            offset._check_consistent()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset that is not one of a source over files ({error!r}): "
                "start with a new checkpoint folder"
            ) from error
        return offset

    def continued(self, options: FileOptions, in_band: bool) -> FilesOffset:
        """Return this offset for a source that goes on with these options.

        Raises `IllegalOffsetError` if it belongs to other files than the options say: going on then would
        lose records or repeat them (JOB-1). The number of subtasks may be another one, unless they speak in
        band: the operators behind them wait for as many as there were.
        """
        if self.format != options.format or (self.path != options.path and not options.path_moved):
            raise IllegalOffsetError(
                f"the checkpoint is of path {self.path!r}, fileFormat {self.format!r}, the options say "
                f"{options.path!r}, {options.format!r}: set them as before, set pathMoved to true if the "
                "same files are in another place now, or start with a new checkpoint folder"
            )
        moved = self if self.path == options.path else replace(self, path=options.path)
        count = len(self.watermarks)
        if count == options.subtasks:
            return moved
        if in_band:
            raise IllegalOffsetError(
                f"the checkpoint is of {count} subtasks, numSubtasks is {options.subtasks}: with "
                "inBandWatermarks it has to stay, since operators wait for each of them; set it as before, "
                "or start with a new checkpoint folder"
            )
        return moved._shared_out(options.subtasks)

    def _shared_out(self, count: int) -> FilesOffset:
        """Return this offset with another number of subtasks, which take the splits in turn."""
        unfinished = sorted(name for name, position in self.splits.items() if not position.finished)
        subtasks = {name: number % count for number, name in enumerate(unfinished)}
        return replace(
            self,
            watermarks=(MAX if self.ended else MIN,) * count,
            splits={
                name: position._replace(subtask=subtasks.get(name, 0))
                for name, position in self.splits.items()
            },
            signals=NO_SIGNALS,
        )

    def check_follows(self, start: FilesOffset) -> None:
        """Raise `IllegalOffsetError` if the rows of this offset do not begin where another one ends."""
        for split, slices in self.slices.items():
            before = start.splits.get(split)
            rows = sum(each.rows for each in slices)
            if self.splits[split].records - rows != (0 if before is None else before.records):
                raise IllegalOffsetError(
                    f"the checkpoint has two offsets that do not follow one another, in split {split!r}: "
                    "restore the folder offsets of the checkpoint from a copy, or start with a new one"
                )

    def _check_consistent(self) -> None:
        if any(position.subtask >= len(self.watermarks) for position in self.splits.values()):
            raise ValueError("a split belongs to a subtask that there is not")
        if not all(MIN <= watermark <= MAX for watermark in self.watermarks):
            raise ValueError("a watermark is out of range")
        if not self.slices.keys() <= self.splits.keys():
            raise ValueError("rows of an unknown split")
