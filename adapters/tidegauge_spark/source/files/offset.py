"""The offset of a source over files: all that its coordinator has to remember, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and hands it to a new reader after a crash.
What is not in here is lost with the process (JOB-4). It lists what is to be read, so that files that appear
later change nothing about a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.files.position import FilePosition, Slice
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.source.planning.splits_offset import SplitsOffset

KIND: Final = "files"


@dataclass(frozen=True)
class FilesOffset(SplitsOffset[FilePosition, Slice]):
    """How far a source over files is planned. path, format, layout: what it reads, in which order."""

    path: str = field(kw_only=True)
    format: str = field(kw_only=True)
    layout: str = field(kw_only=True)

    @classmethod
    def initial(cls, options: FileOptions, source: str, started_at: int) -> FilesOffset:
        """Return where a new source stands: nothing is known yet and no time has passed."""
        watermarks = (MIN,) * options.subtasks
        return cls(
            source,
            started_at,
            0,
            None,
            watermarks,
            path=options.path,
            format=options.format,
            layout=str(options.layout),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""
        return self.stored(KIND, path=self.path, format=self.format, layout=self.layout)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> FilesOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: one of another source or version, or damaged.
        """
        read = ("path", "format", "layout")
        return cls.read(stored, KIND, "files", FilePosition.from_json, Slice.from_json, *read)

    def continued(self, options: FileOptions, in_band: bool) -> FilesOffset:
        """Return this offset for a source that goes on with these options.

        Raises `IllegalOffsetError` if it belongs to other files than the options say: going on then would
        lose records or repeat them (JOB-1). The number of subtasks may be another one, unless they speak in
        band: the operators behind them wait for as many as there were.
        """
        same = (self.format, self.layout) == (options.format, str(options.layout))
        if not same or (self.path != options.path and not options.path_moved):
            raise IllegalOffsetError(
                f"the checkpoint is of path {self.path!r}, fileFormat {self.format!r}, {self.layout}, the "
                f"options say {options.path!r}, {options.format!r}, {options.layout}: set them as before, "
                "set pathMoved to true if the same files are in another place now, or start with a new "
                "checkpoint folder"
            )
        moved = self if self.path == options.path else replace(self, path=options.path)
        return moved.with_subtasks(options.subtasks, in_band)

    def _follows(self, before: FilePosition | None, split: str, slices: Sequence[Slice]) -> bool:
        rows = sum(each.rows for each in slices)
        return self.splits[split].records - rows == (0 if before is None else before.records)
