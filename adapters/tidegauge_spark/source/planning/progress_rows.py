"""The column that says what a row is and where it came from: a record, or an in-band signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import pyarrow as pa
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.spark_version import to_arrow_in_utc

PROGRESS_SCHEMA: Final = StructType(
    [
        StructField("source", StringType()),
        StructField("subtask", IntegerType()),
        StructField("split", StringType()),
        StructField("kind", StringType()),
        StructField("timestamp", LongType()),
        StructField("backlog", BooleanType()),
        StructField("planned_at", LongType()),
    ]
)
"""The fields of the column that the option progressColumn names: what a row is, where it came from, and when.

source: the option sourceName, or else the identity of the source. subtask: counted from 0. split: the name of
the record's split, null for in-band rows. kind: "record", or with the option inBandWatermarks also
"watermark", "idle", "active" and "record-attributes": rows in which all other columns are null. timestamp:
the event time of the record (ms), null if it has no valid one; or the watermark (ms). backlog: the latest
backlog flag of the subtask, null if there was none; for "record-attributes" the new flag. planned_at: the
processing time at which the batch was planned, in ms since the source started, by the source's own clock.
"""

RECORD: Final = "record"

_FIELDS: Final = list(to_arrow_in_utc(PROGRESS_SCHEMA))


@dataclass
class PlannedPartition(InputPartition):
    """The part of one subtask in one batch, beside its records.

    said: the in-band signals, in order. backlog: the backlog flag before them. watermark: the watermark of
    the whole source (ms), set in one partition of the batch. late_until: records up to this event time are
    late (ms).
    """

    source: str
    subtask: int
    planned_at: int
    said: list[BacklogOutput] = field(default_factory=list, kw_only=True)
    backlog: bool | None = field(default=None, kw_only=True)
    watermark: int | None = field(default=None, kw_only=True)
    late_until: int = field(default=MIN, kw_only=True)


AnySlice = TypeVar("AnySlice")


@dataclass
class SplitsPartition(PlannedPartition, Generic[AnySlice]):
    """The records of one subtask in one batch, split by split."""

    slices: list[tuple[str, AnySlice]] = field(default_factory=list)


def record_progress(partition: PlannedPartition, split: str, timestamps: Any) -> pa.StructArray:
    """Return the progress column for records of a split with these event times (an Arrow array, ms)."""
    count = len(timestamps)
    return pa.StructArray.from_arrays(
        [
            pa.repeat(pa.scalar(partition.source, pa.string()), count),
            pa.repeat(pa.scalar(partition.subtask, pa.int32()), count),
            pa.repeat(pa.scalar(split, pa.string()), count),
            pa.repeat(pa.scalar(RECORD, pa.string()), count),
            timestamps,
            pa.repeat(pa.scalar(partition.backlog, pa.bool_()), count),
            pa.repeat(pa.scalar(partition.planned_at, pa.int64()), count),
        ],
        fields=_FIELDS,
    )


def in_band_batch(partition: PlannedPartition, column: str, schema: pa.Schema) -> pa.RecordBatch:
    """Return the in-band signals of a subtask as rows of this schema, in which `column` is the progress
    column."""
    progress = [
        {
            "source": partition.source,
            "subtask": partition.subtask,
            "kind": each.kind,
            "timestamp": each.timestamp,
            "backlog": backlog,
            "planned_at": partition.planned_at,
        }
        for each, backlog in zip(partition.said, _backlog(partition), strict=True)
    ]
    told = pa.array(progress, pa.struct(_FIELDS))
    count = len(told)
    arrays = [told if each.name == column else pa.nulls(count, each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _backlog(partition: PlannedPartition) -> Sequence[bool | None]:
    """Return the backlog flag that holds after each in-band signal."""
    flags, last = [], partition.backlog
    for each in partition.said:
        last = last if each.backlog is None else each.backlog
        flags.append(last)
    return flags
