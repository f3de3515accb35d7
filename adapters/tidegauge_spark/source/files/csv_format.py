"""CSV files as parts of a log. A block is about a megabyte of whole lines; see `text_lines`.

Columns are matched by position, as in Spark. If there is a header, its names must match those of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.event_time_column import EventTimeColumn
from tidegauge_spark.source.files.formats import (
    NO_TIMES,
    Block,
    BlockSummary,
    fitted,
    found_name,
    missing_event_time,
    parsing,
)
from tidegauge_spark.source.files.text_lines import lines_between, whole_lines
from tidegauge_spark.source.options.csv import CsvOptions
from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line
from tidegauge_spark.source.planning.event_times import event_times
from tidegauge_spark.source.planning.json_times import microseconds

NAME: Final = "CSV"

_BOM: Final = b"\xef\xbb\xbf"

_WHOLE: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|[+-]?Infinity", re.ASCII)


class CsvFormat:
    """The CSV format. An empty value without quotes is null. Types are not inferred from values."""

    keeps_statistics: ClassVar[bool] = False

    def __init__(self, options: CsvOptions, columns: pa.Schema | None, unit_given: bool) -> None:
        """Create the format.

        columns: the columns of the rows, partition columns last; None if they are not known yet. unit_given:
        whether `eventTimeUnit` is set; without a schema the event time column is then a number.
        """
        self._options, self._columns, self._unit_given = options, columns, unit_given
        border = re.escape(options.separator.encode()) + rb"\r\n"
        self._ambiguous = re.compile(rb'\\|[^%b]""|""[^%b]' % (border, border))
        """Text that is ambiguous: the result depends on whether the escape character is a backslash (Spark's
        default) or a quote (the common convention)."""

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns: strings, as in Spark, except the event time, a timestamp or a number."""
        with parsing(described, NAME):
            names = self._first_names(whole_lines(file, described, 0).text, described)
            event_time = found_name(names, event_time_column)
            time = LongType() if self._unit_given else TimestampType()
            return StructType(
                [StructField(name, time if name == event_time else StringType()) for name in names]
            )

    def block(
        self, file: Any, described: str, begin: int, event_time: EventTimeColumn, limit: int = MAX
    ) -> Block:
        """Return the event times of the block that begins at a position of the text."""
        with parsing(described, NAME):
            assert self._columns is not None
            lines = whole_lines(file, described, begin)
            table = self._parsed(lines.text, described, begin)
            if not table.num_rows:
                return Block(begin, lines.end, lines.last, NO_TIMES)
            place = self._columns.names.index(event_time.path[0])
            if place >= table.num_columns:
                raise missing_event_time(described, event_time.name, self._columns.names[: table.num_columns])
            column = _converted(table.column(place), event_time.type, valid_only=True)
            return Block(begin, lines.end, lines.last, event_times(column, event_time.unit, limit))

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Reject a header with other names, and partition columns that are not the last columns."""
        with parsing(described, NAME):
            assert self._columns is not None
            if self._columns.names[: len(schema.names)] != schema.names:
                raise BrokenLogError(
                    f"the partition columns of the file {described} are not the last columns: name them last "
                    "in schema(), because the other columns of CSV have their places"
                )
            text = whole_lines(file, described, 0).text
            if not text.strip():
                return
            names = self._first_names(text, described)
            same = [name.lower() for name in names] == [name.lower() for name in schema.names]
            if len(names) != len(schema.names) or (self._options.header and not same):
                raise BrokenLogError(
                    f"the file {described} has the columns {', '.join(names)}, not "
                    f"{', '.join(schema.names)}: give schema() with the columns of all files in their order, "
                    "and correct the option header"
                )

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return no summaries: event times are known only after reading."""
        return ()

    def rows(
        self, file: Any, described: str, begin: int, end: int, schema: pa.Schema, event_time: EventTimeColumn
    ) -> pa.Table:
        """Return the rows in the lines between two positions of the text."""
        with parsing(described, NAME):
            table = self._parsed(lines_between(file, described, begin, end), described, begin)
            if not table.num_rows:
                return schema.empty_table()
            if table.num_columns != len(schema):
                raise ValueError(f"there are lines of {table.num_columns} values, not {len(schema)}")
            columns = [
                _column(table.column(place), field, described, valid_only=field.name == event_time.path[0])
                for place, field in enumerate(schema)
            ]
            return pa.Table.from_arrays(columns, schema=schema)

    def _first_names(self, text: bytes, described: str) -> list[str]:
        """Return the names in the header, or the names that Spark assigns; none for an empty file."""
        first = text.removeprefix(_BOM).lstrip(b"\r\n").partition(b"\n")[0].rstrip(b"\r")
        if not first:
            return []
        values = self._table(first, described)
        if not self._options.header:
            return [f"_c{place}" for place in range(values.num_columns)]
        return [str(column[0].as_py() or f"_c{place}") for place, column in enumerate(values.columns)]

    def _parsed(self, text: bytes, described: str, begin: int) -> Any:
        """Return the values of the lines as strings, without the header."""
        if begin == 0:
            text = text.removeprefix(_BOM).lstrip(b"\r\n")
            if self._options.header:
                text = text.partition(b"\n")[2]
        return self._table(text, described)

    def _table(self, text: bytes, described: str) -> Any:
        text = text.lstrip(b"\r\n")  # the first line determines the number of columns
        if not text:
            return pa.table({})
        text = text if text.endswith(b"\n") else text + b"\n"
        options = self._options
        if not options.quotes_are_doubled and self._ambiguous.search(text):
            raise BrokenLogError(
                f"the file {described} has a backslash, or a quote in a quoted value: set the option "
                'escape to \'"\', so that a backslash is read as it is and "" as a quote, or write Parquet'
            )
        read = csv.ReadOptions(use_threads=False, autogenerate_column_names=True, block_size=len(text) + 1)
        parse = csv.ParseOptions(delimiter=options.separator, quote_char='"', double_quote=True)
        names = [f"f{place}" for place in range(self._width(text))]
        convert = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        table = csv.read_csv(pa.py_buffer(text), read, parse, convert)
        for column in table.columns:
            if b'"' in text and pc.any(pc.match_substring_regex(column, "[\r\n]")).as_py():
                raise BrokenLogError(
                    f"the file {described} has a value of several lines, not supported "
                    "(multiLine): write Parquet"
                )
        return table

    def _width(self, text: bytes) -> int:
        """Return an upper bound for the number of columns in the first line."""
        return text.partition(b"\n")[0].count(self._options.separator.encode()) + 1


def _column(column: Any, field: pa.Field, described: str, valid_only: bool) -> Any:
    try:
        return fitted(_converted(column, field.type, valid_only), field, described)
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise BrokenLogError(
            f"the column {field.name!r} of the file {described} has a value that cannot be read as "
            f"{field.type} ({first_line(error)}): give the columns by schema(), with a type that every file "
            "fits"
        ) from error


def _converted(column: Any, type_: pa.DataType, valid_only: bool) -> Any:
    """Convert strings to a type. valid_only: strings that are not valid values become null."""
    if pa.types.is_string(type_):
        return column
    convert = _conversion(type_)
    if valid_only and pa.types.is_integer(type_):
        convert = _in_64_bits
    return pa.array(_values(column.to_pylist(), convert, valid_only), type_)


def _conversion(type_: pa.DataType) -> Callable[[str], Any]:
    types = pa.types
    if types.is_timestamp(type_):
        return microseconds
    if types.is_date(type_):
        return date.fromisoformat
    if types.is_integer(type_):
        return lambda text: int(_matching(_WHOLE, text))
    if types.is_floating(type_):
        return lambda text: float(_matching(_NUMBER, text))
    if types.is_decimal(type_):
        return lambda text: Decimal(_matching(_NUMBER, text))
    if types.is_boolean(type_):
        return _truth
    raise TypeError("CSV has no values of this type")


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not such a number")
    return text


def _in_64_bits(text: str) -> int:
    number = int(_matching(_WHOLE, text))
    if not MIN <= number <= MAX:
        raise ValueError(f"{text!r} is too large")
    return number


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is not true or false")
    return text.lower() == "true"


def _values(texts: Sequence[str | None], convert: Callable[[str], Any], valid_only: bool) -> list[Any]:
    values = []
    for text in texts:
        try:
            values.append(None if text is None else convert(text))
        except (ValueError, ArithmeticError):
            if not valid_only:
                raise
            values.append(None)
    return values
