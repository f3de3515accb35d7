"""Convert rows of a trace into the rows that Spark passes to a processor, and its output into columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType, TimestampNTZType, TimestampType

from ..spark.tester.declared_schema import DeclaredSchema, RowDoesNotFit
from .processor_under_test import ProcessorUnderTest
from .trace import Arrival, Columns, Key

_EPOCH = datetime(1970, 1, 1)


class RowsOfProcessor:
    """The rows of one processor, converted through Arrow by its input and output schemas as in a query."""

    def __init__(self, subject: ProcessorUnderTest) -> None:
        self._subject = subject
        self._output = DeclaredSchema(subject.outputs)
        self._output_arrow = to_arrow_schema(subject.outputs, timezone="UTC")

    def key(self, arrival: Arrival) -> Key:
        """Return the key of a row."""
        return tuple(arrival.row[name] for name in self._subject.keys)

    def time(self, arrival: Arrival) -> int:
        """Return the event time of a row (ms)."""
        time: int = arrival.row[self._subject.time]
        return time

    def rows(self, arrivals: Sequence[Arrival]) -> list[Row]:
        """Return rows for a row processor. Raises `RowDoesNotFit` for values that do not fit the schema."""
        return named(self._subject.inputs, [self.typed(one.row) for one in arrivals])

    def frame(self, arrivals: Sequence[Arrival]) -> pd.DataFrame:
        """Return rows as a data frame for a pandas processor."""
        return frame(self._subject.inputs, [self.typed(one.row) for one in arrivals])

    def typed(self, row: Columns) -> dict[str, Any]:
        """Return a row of a trace with its event time converted to the type of the column."""
        columns = {name: row.get(name) for name in self._subject.inputs.names}
        if self._subject.time:
            columns[self._subject.time] = self.moment(columns[self._subject.time])
        return columns

    def moment(self, ms: int | None) -> Any:
        """Convert a number of ms to the type of the event-time column."""
        kind = self._subject.inputs[self._subject.time].dataType
        if ms is None or not isinstance(kind, TimestampType | TimestampNTZType):
            return ms
        if isinstance(kind, TimestampNTZType):
            return _EPOCH + timedelta(milliseconds=ms)
        return _EPOCH.replace(tzinfo=UTC) + timedelta(milliseconds=ms)

    def returned(self, answer: Any) -> list[dict[str, Any]]:
        """Return the output of a call as columns. Raises `RowDoesNotFit` if it does not fit the schema."""
        if self._subject.form == "rows":
            return self._output.rows(answer)
        found: list[dict[str, Any]] = []
        for one in answer:
            if not isinstance(one, pd.DataFrame):
                raise RowDoesNotFit(f"{one!r} is not a pandas DataFrame")
            found += self.columns_of_frame(one, self._subject.outputs.names)
        return found

    def columns_of_frame(self, answer: pd.DataFrame, names: Iterable[str]) -> list[dict[str, Any]]:
        """Return the rows of a data frame, with the given output columns only.

        Raises `RowDoesNotFit` if a column is missing or does not fit its type.
        """
        missing = [name for name in names if name not in answer.columns]
        if missing and len(answer):
            raise RowDoesNotFit(
                f"the data frame has no column {missing[0]!r}; it has {', '.join(map(str, answer.columns))}"
            )
        if not len(answer):
            return []
        schema = pa.schema([self._output_arrow.field(name) for name in names])
        try:
            return list(
                pa.Table.from_pandas(answer[list(names)], schema=schema, preserve_index=False).to_pylist()
            )
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise RowDoesNotFit(f"does not fit the declared schema: {error}") from None


def named(schema: StructType, rows: Sequence[Columns]) -> list[Row]:
    """Return rows with the values that a Spark 4.3 worker passes to a processor.

    A struct becomes a dict, a map becomes a list of pairs, and a timestamp has the time zone UTC.
    """
    return [Row(**row) for row in _table(schema, rows).to_pylist()]


def frame(schema: StructType, rows: Sequence[Columns]) -> pd.DataFrame:
    """Return a data frame of rows, with the column types that a query uses."""
    return _table(schema, rows).to_pandas(timestamp_as_object=False).pipe(_without_zones)


def _table(schema: StructType, rows: Sequence[Columns]) -> pa.Table:
    arrow = to_arrow_schema(schema, timezone="UTC")
    try:
        return pa.Table.from_pylist([dict(row) for row in rows], schema=arrow)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise RowDoesNotFit(f"does not fit the declared schema: {error}") from None


def _without_zones(found: pd.DataFrame) -> pd.DataFrame:
    """Remove the time zones from timestamp columns: Spark passes pandas timestamps without a time zone."""
    for name, kind in found.dtypes.items():
        if isinstance(kind, pd.DatetimeTZDtype):
            found[name] = found[name].dt.tz_localize(None)
    return found


def milliseconds(moment: Any) -> int | None:
    """Convert a time in a row to a number of ms; None stays None."""
    if isinstance(moment, datetime):
        return (moment.replace(tzinfo=None) - _EPOCH) // timedelta(milliseconds=1)
    return None if moment is None else int(moment)
