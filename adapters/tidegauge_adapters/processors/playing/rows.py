"""Convert rows of a trace into the rows that Spark passes to a processor, and its output into columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Row

from ...required_pyspark import to_arrow_in_utc
from ...spark.tester.declared_schema import DeclaredSchema, RowDoesNotFit
from ..processor_under_test import ProcessorUnderTest
from ..watched.user_rows import time_of
from .trace import Arrival, Columns, Key


class RowsOfProcessor:
    """The rows of one processor, converted through Arrow by its input and output schemas as in a query."""

    def __init__(self, subject: ProcessorUnderTest) -> None:
        self._subject = subject
        self._input = DeclaredSchema(subject.inputs)
        self._output = DeclaredSchema(subject.outputs)
        self._output_arrow = to_arrow_in_utc(subject.outputs)

    def key(self, arrival: Arrival) -> Key:
        """Return the key of a row."""
        return tuple(arrival.row[name] for name in self._subject.keys)

    def time(self, arrival: Arrival) -> int:
        """Return the event time of a row (ms)."""
        time: int = arrival.row[self._subject.time]
        return time

    def rows(self, arrivals: Sequence[Arrival]) -> list[Row]:
        """Return rows for a row processor. Raises `RowDoesNotFit` for values that do not fit the schema."""
        return named(self._input, [self.typed(one.row) for one in arrivals])

    def frame(self, arrivals: Sequence[Arrival]) -> pd.DataFrame:
        """Return rows as a data frame for a pandas processor."""
        return frame(self._input, [self.typed(one.row) for one in arrivals])

    def typed(self, row: Columns) -> dict[str, Any]:
        """Return a row of a trace with its event time converted to the type of the column."""
        columns = {name: row.get(name) for name in self._subject.inputs.names}
        time = self._subject.time
        if time and (ms := columns[time]) is not None:
            columns[time] = time_of(self._subject.inputs[time].dataType, ms)
        return columns

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


def named(schema: DeclaredSchema, rows: Sequence[Columns]) -> list[Row]:
    """Return rows with the values that a Spark 4.3 worker passes to a processor.

    A struct becomes a dict, a map becomes a list of pairs, and a timestamp has the time zone UTC.
    """
    return [Row(**row) for row in schema.table([dict(row) for row in rows]).to_pylist()]


def frame(schema: DeclaredSchema, rows: Sequence[Columns]) -> pd.DataFrame:
    """Return a data frame of rows, with the column types that a query uses."""
    table = schema.table([dict(row) for row in rows])
    return table.to_pandas(timestamp_as_object=False).pipe(_without_zones)


def _without_zones(found: pd.DataFrame) -> pd.DataFrame:
    """Remove the time zones from timestamp columns: Spark passes pandas timestamps without a time zone."""
    for name, kind in found.dtypes.items():
        if isinstance(kind, pd.DatetimeTZDtype):
            found[name] = found[name].dt.tz_localize(None)
    return found
