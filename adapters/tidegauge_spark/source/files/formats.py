"""File formats: blocks with event times for the driver, rows for the executors."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol

import pyarrow as pa
from pyspark.sql.types import DataType, StructType

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line
from tidegauge_spark.source.planning.event_times import EventTimes, rounded_down
from tidegauge_spark.spark_version import from_arrow

if TYPE_CHECKING:
    from tidegauge_spark.source.files.event_time_column import EventTimeColumn

_KINDS: Final[dict[str, Callable[[pa.DataType], bool]]] = {
    "whole number": pa.types.is_integer,
    "number": lambda type_: pa.types.is_floating(type_) or pa.types.is_decimal(type_),
    "text": lambda type_: pa.types.is_string(type_) or pa.types.is_large_string(type_),
    "timestamp": pa.types.is_timestamp,
    "date": pa.types.is_date,
    "boolean": pa.types.is_boolean,
}


NO_TIMES: Final = EventTimes(memoryview(b"").cast("q"), None)
"""The event times of a file without blocks."""


class Block(NamedTuple):
    """Rows of a file that are read together: a row group of Parquet, a stripe of ORC, some lines of JSON.

    begin, end: row groups, stripes or bytes, `end` excluded. last: whether no more blocks follow in the file.
    times: the progress of event time, from the beginning of the block, at each row of a window of it:
    `before` rows come before the window, `behind` after it.
    """

    begin: int
    end: int
    last: bool
    times: EventTimes
    before: int = 0
    behind: int = 0

    @property
    def until(self) -> int:
        """The end of the window: the number of rows up to and including its last."""
        return self.before + len(self.times.latest)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.until + self.behind

    def shows(self, row: int) -> bool:
        """Return whether a row is in the window, or after the block."""
        return self.before <= row < self.until or row >= self.rows

    def latest(self, row: int) -> int:
        """Return the greatest event time up to a row of the window (ms)."""
        return self.times.latest[row - self.before]

    def first_time(self) -> int:
        """Return the first event time in the window (ms), `MIN` if there is none."""
        first = bisect_right(self.times.latest, MIN)
        return self.times.latest[first] if first < len(self.times.latest) else MIN

    def admitted(self, time: int, row: int, end: int) -> int:
        """Return the row, from this one to `end`, before which no event time of the window is later (ms)."""
        found = bisect_right(self.times.latest, time, row - self.before, end - self.before)
        return found + self.before

    def late(self, first: int, end: int, watermark: int) -> int:
        """Return how many of these rows of the window are not after a watermark (ms)."""
        return self.times.late(first - self.before, end - self.before, watermark)

    def window(self, row: int, rows: int) -> Block:
        """Return this block with a window of this number of rows from a row on, if the block is larger."""
        if self.rows <= rows:
            return self
        shown = _copied(self.times.latest[row : row + rows])
        single = None if self.times.single is None else _copied(self.times.single[row : row + rows])
        times = self.times._replace(latest=shown, single=single)
        return self._replace(times=times, before=row, behind=self.rows - row - len(shown))


def _copied(numbers: memoryview) -> memoryview:
    return memoryview(array("q", numbers.tobytes()))


class BlockSummary(NamedTuple):
    """A summary of a block that was not read: where it is, the number of its rows, all with valid event
    times, and the greatest and the smallest of these (ms)."""

    begin: int
    end: int
    last: bool
    rows: int
    greatest: int
    smallest: int

    def late(self, first: int, end: int, watermark: int) -> int:
        """Return how many of all rows are not after a watermark (ms): all of them, or none."""
        assert (first, end) == (0, self.rows)
        assert not self.smallest <= watermark < self.greatest
        return self.rows if self.greatest <= watermark else 0

    def latest(self, row: int) -> int:
        """Return the greatest event time up to the last row (ms); other rows are not supported."""
        assert row == self.rows - 1
        return self.greatest


class FileFormat(Protocol):
    """A file format. `file` is an open file (`pyarrow.NativeFile`), `described` its name in messages.

    Every method raises `BrokenLogError` for a file of another format or with other columns.
    """

    keeps_statistics: ClassVar[bool]
    """Whether `summaries` returns anything for some files."""

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns of a file, all of them nullable."""

    def block(
        self, file: Any, described: str, begin: int, event_time: EventTimeColumn, limit: int = MAX
    ) -> Block:
        """Return the block that begins there. limit: later event times (ms) do not advance event time."""

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Reject a file with a column of a type that `rows` could never convert to these columns, if the file
        declares the types of its columns."""

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return summaries of the blocks, by their begin; empty if the format keeps no statistics."""

    def rows(
        self, file: Any, described: str, begin: int, end: int, schema: pa.Schema, event_time: EventTimeColumn
    ) -> pa.Table:
        """Return the rows between two borders of blocks, in the types that the columns have in Spark.

        Columns that the file does not have are null, and invalid event times may be null.
        """


@contextmanager
def parsing(described: str, format_name: str) -> Iterator[None]:
    """Convert the error of a parser about a bad file into a `BrokenLogError`."""
    try:
        yield
    except BrokenLogError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        raise BrokenLogError(
            f"the file {described} is not {format_name}, or is damaged or cut off ({first_line(error)}): "
            "replace it by a whole one, or move it away"
        ) from error


def spark_type(field: pa.Field, described: str) -> DataType:
    """Return the Spark type of a column. Raises `BrokenLogError` if Spark has none."""
    try:
        return from_arrow(field.type)
    except TypeError as error:
        raise BrokenLogError(
            f"the column {field.name!r} of the file {described} is {field.type}, which Spark does not have: "
            "give the columns by schema(), that one with another type or not at all"
        ) from error


def found_name(names: Sequence[str], wanted: str) -> str | None:
    """Return the spelling of a column in a file, None if it does not exist. Case matters only if two names
    differ in nothing else."""
    if wanted in names:
        return wanted
    alike = [name for name in names if name.lower() == wanted.lower()]
    return alike[0] if len(alike) == 1 else None


def missing_event_time(described: str, wanted: str, names: Sequence[str]) -> BrokenLogError:
    """Return the error of a file without the event time column."""
    return BrokenLogError(
        f"the file {described} has no column {wanted!r}, which eventTimeColumn names; it has "
        f"{', '.join(names)}"
    )


def no_event_time(described: str, column: str, type_: pa.DataType) -> BrokenLogError:
    """Return the error for an event time column whose type cannot be an event time."""
    return BrokenLogError(
        f"the column {column!r} of the file {described} is {type_}, no timestamp, date or number: it "
        "cannot be the event time"
    )


def fitted(column: Any, field: pa.Field, described: str) -> Any:
    """Return a column in its Spark type.

    A timestamp between two microseconds is rounded down. Values of another kind are not converted.
    """
    try:
        if _kind(column.type) != _kind(field.type):
            raise pa.ArrowInvalid("it is of another kind")
        if _is_narrower(field.type, column.type):
            raise pa.ArrowInvalid("digits would be lost")
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
            column = rounded_down(column.cast(pa.int64()), 1000).cast(pa.timestamp("us", column.type.tz))
        cast = column.cast(field.type)
    except (pa.ArrowException, NotImplementedError) as error:
        raise BrokenLogError(
            f"the column {field.name!r} of the file {described} is {column.type}, and cannot be read as "
            f"{field.type} ({first_line(error)}); give the schema that the file has"
        ) from error
    if cast.null_count and not field.nullable:
        raise BrokenLogError(
            f"the column {field.name!r} of the file {described} has nulls, and the schema says that it has "
            "none"
        )
    return cast


def _is_narrower(wanted: pa.DataType, given: pa.DataType) -> bool:
    """Return whether values would silently lose digits in the type `wanted`, because Arrow drops them."""
    types = pa.types
    if types.is_dictionary(given):
        return _is_narrower(wanted, given.value_type)
    if types.is_struct(wanted) and types.is_struct(given):
        fields = ((field.type, given.get_field_index(field.name)) for field in wanted)
        return any(_is_narrower(type_, given.field(place).type) for type_, place in fields if place >= 0)
    if types.is_map(wanted) and types.is_map(given):
        return _is_narrower(wanted.key_type, given.key_type) or _is_narrower(
            wanted.item_type, given.item_type
        )
    if _is_list(wanted) and _is_list(given):
        return _is_narrower(wanted.value_type, given.value_type)
    if types.is_decimal(wanted):
        return bool(types.is_floating(given))
    wider = types.is_floating(given) and given.bit_width > wanted.bit_width
    return bool(types.is_floating(wanted) and (wider or types.is_decimal(given)))


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _kind(type_: pa.DataType) -> str:
    """Return the kind of a type, whatever its size."""
    if pa.types.is_dictionary(type_):
        return _kind(type_.value_type)
    for kind, is_of_kind in _KINDS.items():
        if is_of_kind(type_):
            return kind
    return "other"
