"""The offset of a source over files: the complete state of its coordinator, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and passes it to a new reader after a crash.
State that is not in the offset is lost with the process (JOB-4). The offset lists the rows to read, so that
files that appear later do not change a batch.
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
    """The planned position of a source over files.

    path, format, layout: what it reads, in which order. event_time: the column of its watermarks, in words;
    empty in an offset of a version of this library that did not store it.
    """

    path: str = field(kw_only=True)
    format: str = field(kw_only=True)
    layout: str = field(kw_only=True)
    event_time: str = field(kw_only=True, default="")

    @classmethod
    def initial(cls, options: FileOptions, source: str, started_at: int) -> FilesOffset:
        """Return the offset of a new source: nothing is known yet and no time has passed."""
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
            event_time=_event_time_of(options),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""
        said = {"event_time": self.event_time} if self.event_time else {}
        return self.stored(KIND, path=self.path, format=self.format, layout=self.layout, **said)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> FilesOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: an offset of another source or version, or a damaged
        one.
        """
        read = dict.fromkeys(("path", "format", "layout", "event_time"), str)
        return cls.read(stored, KIND, "files", FilePosition.from_json, Slice.from_json, read)

    def continued(self, options: FileOptions, in_band: bool) -> FilesOffset:
        """Return this offset for a source that continues with these options.

        Raises `IllegalOffsetError` if it belongs to other files than the options: continuing would lose or
        repeat records (JOB-1). Raises it, too, if its watermarks belong to another event time column. The
        number of subtasks may change, unless there are in-band signals: the operators after the source wait
        for the former number of subtasks.
        """
        same = (self.format, self.layout) == (options.format, str(options.layout))
        if not same or (self.path != options.path and not options.path_moved):
            raise IllegalOffsetError(
                f"the checkpoint is of path {self.path!r}, fileFormat {self.format!r}, {self.layout}, the "
                f"options say {options.path!r}, {options.format!r}, {options.layout}: set them as before, "
                "set pathMoved to true if the same files are in another place now, or start with a new "
                "checkpoint folder"
            )
        event_time = _event_time_of(options)
        if self.event_time not in ("", event_time):
            raise IllegalOffsetError(
                f"the checkpoint has watermarks of {self.event_time}, the options name {event_time}: set "
                "eventTimeColumn and eventTimeUnit as before, or start with a new checkpoint folder"
            )
        moved = replace(self, path=options.path, event_time=event_time)
        return moved.with_subtasks(options.subtasks, in_band)

    def _follows(self, before: FilePosition | None, split: str, slices: Sequence[Slice]) -> bool:
        rows = sum(each.rows for each in slices)
        return self.splits[split].records - rows == (0 if before is None else before.records)


def _event_time_of(options: FileOptions) -> str:
    return f"the column {options.event_time_column!r} in {options.event_time_unit or 'ms'}"
