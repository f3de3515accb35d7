"""What comes out of windows: packed between operator and unpacking, and as columns for their users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, timestamp_millis
from pyspark.sql.types import BinaryType, BooleanType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.windows.windows import WindowOutput
from tidegauge_spark.operators.named_aggregates import NamedAggregates
from tidegauge_spark.operators.record_columns import RecordColumns, arrow_schema, packed, unpacked
from tidegauge_spark.operators.record_keys import key_columns
from tidegauge_spark.operators.stepped_processor import answer_schema
from tidegauge_spark.worker_process import spare_collections

WINDOW_OUTPUT_SCHEMA: Final = answer_schema(
    timestamp=LongType(), records=LongType(), results=BinaryType(), late_records=BinaryType()
)
"""A row is what comes out of a step, or the refusal of one; columns that its kind does not use are null.

key: the operator subtask. sequence: that of the step which caused it. position: its place among the rows
of that step, from 0. kind and what goes with it:

* "results": so many results in `records`, packed in `results`.
* "late", "refused": so many records in `records`, packed in `late_records`, that came too late for all their
  windows, or without an event time. "drop": so many came too late, where there is no late output.
* "watermark" with timestamp (ms), "idle", "active": what the operator passes on.
* "state-size": so many `records` are kept, for nothing or at all.
* "error": the step was refused; error is "illegal-argument".
"""

_BEFORE: Final = StructType([StructField("kind", StringType()), StructField("subtask", StringType())])
_WINDOW: Final = StructType([StructField("window_start", LongType()), StructField("window_end", LongType())])
_AFTER_AGGREGATES: Final = StructType(
    [StructField("retraction", BooleanType()), StructField("position", LongType())]
)
_LAST: Final = StructType([StructField("watermark", LongType()), StructField("records", LongType())])


@dataclass(frozen=True)
class WindowResults:
    """The columns that `run_windows` returns. By the column `kind`, a row is

    * "result": the columns of the record key, `window_start` and `window_end` (timestamps; the end is
      excluded), and the aggregates by their names. `retraction`: whether it takes back an earlier result of
      the same window. `position`: the order of the results of an operator subtask in a micro-batch.
    * "late": a record that came too late for all its windows, with all its columns in the struct `record`;
      "refused": the same of a record without an event time. "drop": so many `records` came too late, where
      there is no late output.
    * "watermark": the `watermark` (ms) that the operator passes on; "idle", "active": its status.
    * "state-size": how many `records` are kept, where that was asked; "error": a step that cannot be.

    `subtask` is the operator subtask. Columns that a kind does not use are null.
    """

    records: RecordColumns
    aggregates: NamedAggregates

    def result_schema(self) -> StructType:
        """Return the schema of packed results, times in ms."""
        return StructType([*self.records.key_fields, *_WINDOW, *self.aggregates.fields, *_AFTER_AGGREGATES])

    @cached_property
    def packed_schema(self) -> pa.Schema:
        """The schema by which packed results are read."""
        return arrow_schema(self.result_schema())

    def schema(self) -> StructType:
        """Return the columns that come out, times in ms.

        Raises `IllegalArgumentError` for a name that is there twice, and for types that Arrow does not have.
        """
        record = StructField("record", self.records.columns)
        fields = [*_BEFORE, *self.result_schema(), *_LAST, record]
        names = [field.name.lower() for field in fields]
        for field in [*self.records.key_fields, *self.aggregates.fields]:
            if names.count(field.name.lower()) > 1:
                raise IllegalArgumentError(
                    f"the column {field.name!r} is there twice among the results; rename the column of the "
                    "record key, or the aggregate"
                )
        schema = StructType([StructField(field.name, field.dataType) for field in fields])
        arrow_schema(schema)
        return schema

    def pack_results(self, outputs: Sequence[WindowOutput], number: int) -> bytes:
        """Return results as bytes; the first one has the position `number`."""
        schema = self.packed_schema
        keys = [output.record_key for output in outputs]
        return packed(
            [
                *key_columns(keys, schema.types[: len(self.records.key)]),
                pa.array([output.start for output in outputs], pa.int64()),
                pa.array([output.end for output in outputs], pa.int64()),
                *self.aggregates.columns([output.result for output in outputs]),
                pa.array([output.kind == "retract" for output in outputs]),
                pa.array(range(number, number + len(outputs)), pa.int64()),
            ],
            schema,
        )

    def pack_records(self, records: pa.Table, places: Sequence[int | None]) -> bytes:
        """Return the records at these places as bytes, with all that they have."""
        taken = records.take(pa.array(places, pa.int64())).combine_chunks()
        return packed([_whole(column) for column in taken.columns], records.schema)

    def unpack(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns that come out, for rows of `WINDOW_OUTPUT_SCHEMA`."""
        spare_collections()
        schema = arrow_schema(self.schema())
        of_results, of_records = self.packed_schema, self.records.arrow_schema
        place = {name: schema.get_field_index(name) for name in ("watermark", "records", "record")}
        for batch in batches:
            for row in batch.to_pylist():
                columns: dict[int, Any] = {}
                count = 1
                if row["results"] is not None:
                    results = unpacked(row["results"], of_results)
                    count = results.num_rows
                    columns = {len(_BEFORE) + number: each for number, each in enumerate(results.columns)}
                elif row["late_records"] is not None:
                    late = unpacked(row["late_records"], of_records)
                    count = late.num_rows
                    record_type = schema.types[place["record"]]
                    own = pa.StructArray.from_arrays(late.columns[1:], fields=list(record_type))
                    columns = {place["record"]: own}
                else:
                    columns = {
                        place["watermark"]: pa.array([row["timestamp"]], pa.int64()),
                        place["records"]: pa.array([row["records"]], pa.int64()),
                    }
                kind = "result" if row["kind"] == "results" else row["kind"]
                columns |= {0: pa.array([kind] * count), 1: pa.array([row["key"]] * count)}
                yield pa.RecordBatch.from_arrays(
                    [
                        columns[number] if number in columns else pa.nulls(count, field.type)
                        for number, field in enumerate(schema)
                    ],
                    schema=schema,
                )

    def with_timestamps(self, rows: DataFrame) -> DataFrame:
        """Return rows of `schema()` with the borders of windows as timestamps.

        A border that is no timestamp of Spark ends the query with Spark's error: nothing is cut off.
        """
        borders = {name: timestamp_millis(col(name)) for name in _WINDOW.names}
        return rows.withColumns(borders)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
