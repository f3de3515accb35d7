"""Records of any columns inside one binary column: for operators that look at event time only.

Records are packed as Arrow record batches, many to a row. So no value is converted on its way to the windows,
and Spark handles a row for thousands of records. The type of the column says what is inside: its metadata has
the columns of the records and their key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.spark_version import to_arrow_in_utc

_METADATA: Final = "tidegauge.records"
EVENT_TIME: Final = "event_time"


@dataclass(frozen=True)
class RecordColumns:
    """What records consist of: an event time (ms, null: none), and the columns of the user.

    columns: theirs. key: the names of those that are the record key, none if all records have the same.
    operator_subtasks: to so many the keys are dealt out.
    """

    columns: StructType
    key: tuple[str, ...] = ()
    operator_subtasks: int = 1

    def field(self, name: str) -> StructField:
        """Return the type of a binary column with such records."""
        told = json.dumps(
            {"columns": self.columns.jsonValue(), "key": self.key, "subtasks": self.operator_subtasks}
        )
        return StructField(name, BinaryType(), True, {_METADATA: told})

    @classmethod
    def of(cls, schema: StructType, name: str) -> RecordColumns:
        """Return what the records in a binary column are, by its type.

        Raises `IllegalArgumentError` for a column that is missing or was not made by this library.
        """
        if name not in schema.names or _METADATA not in schema[name].metadata:
            raise IllegalArgumentError(
                f"the input has no column {name!r} with packed records; give what run_operator_input returns"
            )
        told = json.loads(schema[name].metadata[_METADATA])
        return cls(StructType.fromJson(told["columns"]), tuple(told["key"]), told["subtasks"])

    @property
    def key_fields(self) -> list[StructField]:
        """The columns of the record key."""
        return [self.columns[name] for name in self.key]

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The schema of a packed batch: the event time, then the columns."""
        return arrow_schema(StructType([StructField(EVENT_TIME, LongType()), *self.columns]))


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema of packed rows, which no setting of a session changes.

    Raises `IllegalArgumentError` for a column that Arrow has no type for.
    """
    for field in schema:
        try:
            to_arrow_in_utc(StructType([field]))
        except Exception as error:
            raise IllegalArgumentError(
                f"the column {field.name!r} is {field.dataType.simpleString()}, which Arrow has no type for; "
                "cast it or leave it out"
            ) from error
    return to_arrow_in_utc(schema)


def packed(columns: Sequence[pa.Array], schema: pa.Schema) -> bytes:
    """Return columns as bytes; their types may differ from those of the schema in width and time zone."""
    arrays = [
        column if column.type == field.type else column.cast(field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    # Without the schema, which is known where they are read: a batch of one record is as small as a row.
    batch: pa.RecordBatch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    return batch.serialize().to_pybytes()  # type: ignore[no-any-return]


def unpacked(data: bytes, schema: pa.Schema) -> pa.RecordBatch:
    """Return what `packed` was given."""
    return pa.ipc.read_record_batch(pa.py_buffer(data), schema)


def known_columns(schema: StructType, names: Iterable[str], what: str) -> list[StructField]:
    """Return the columns of these names. Raises `IllegalArgumentError` for one that is not there."""
    found: list[Any] = []
    for name in names:
        if name not in schema.names:
            raise IllegalArgumentError(
                f"{what} names the column {name!r}, which the records do not have; they have "
                f"{', '.join(schema.names)}"
            )
        found.append(schema[name])
    return found
