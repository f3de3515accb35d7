"""Rows of an aligned source with its own watermark under Spark's operators: the smallest over its splits.

`withWatermark` follows the largest event time that was seen. After a gap in one split the watermark jumps
ahead, and Spark drops the rows of all other splits from the time of the gap. The source knows the watermark
of each split. One row of each batch carries the watermark of the source, in a column of its own. Spark's
watermark is defined on that column, and the mark by which operators find their watermark is moved to the
event time column.
"""

from __future__ import annotations

from typing import Final, NoReturn

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, expr
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import (
    DateType,
    FractionalType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tidegauge_spark.source.aligned_source import EventTime
from tidegauge_spark.source.given_reader import given_reader, session_of
from tidegauge_spark.source.options.added_columns import AddedColumns
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.planning.added_columns import with_added_columns
from tidegauge_spark.source.watermark_check import checked_in

WATERMARK_COLUMN: Final = "__tidegauge_watermark"

FUNCTION: Final = "load"

POLICY_CONF: Final = "spark.sql.streaming.multipleWatermarkPolicy"

BARRIER: Final = "spark_partition_id() < 0"
"""Never true, and not deterministic: Spark moves no filter and no join condition past such a filter.

A deterministic filter is merged with the next filter of the query and pushed below the watermark with it,
where both remove the rows that carry the watermark. `rand() < 0` does not work: Spark 4.3 folds it to false.
"""

_FROM_WHOLE_NUMBERS: Final = {
    "s": "timestamp_seconds({0})",
    "ms": "timestamp_millis({0})",
    "us": "timestamp_micros({0})",
    "ns": "timestamp_micros(({0} - pmod({0}, 1000)) DIV 1000)",
}


_FROM_DATES: Final = "timestamp_seconds(CAST(unix_date({0}) AS BIGINT) * 86400)"

_FROM_FRACTIONS: Final = "timestamp_micros(TRY_CAST(round(CAST({0} AS DOUBLE) * {1}) AS BIGINT))"

_MICROSECONDS: Final = {"s": "1e6D", "ms": "1e3D", "us": "1D", "ns": "1e-3D"}


def load(reader: DataStreamReader) -> DataFrame:
    """Return the rows of an aligned source with the exact watermark on their event time column.

    There is no delay to choose. The option `maxOutOfOrderness` of the source says how far the records of a
    split are out of order; a record within this bound is not late. An event time that is a whole number is
    returned as a timestamp. The watermark of a query with several sources is the smallest of theirs.
    `dropDuplicatesWithinWatermark` drops rows whose event times are less than `maxOutOfOrderness` apart.

    This function calls `load()` itself, because a filter between the source and its watermark would remove
    the rows that carry the watermark. Do not call `withWatermark` on the result; it is rejected.

    Args:
        reader: `spark.readStream.format("tidegauge")`, or a source of `register_log`, with all its options.

    Raises:
        TypeError: if `reader` is not such a reader.
        IllegalOptionError: if the options do not fit, or Spark's `multipleWatermarkPolicy` is not "min".
    """
    check_policy(session_of(reader, FUNCTION))
    given = given_reader(reader, FUNCTION)
    event_time = given.source.event_time()
    columns = StructType(list(given.columns))
    name = _spelled(event_time, columns)
    if isinstance(columns[name].dataType, TimestampNTZType):
        columns[name].dataType = TimestampType()  # the source takes it as UTC
    check = str(checked_in(given.spark))
    rows = (
        given.with_options({"watermarkColumn": WATERMARK_COLUMN, "watermarkCheck": check})
        .schema(with_added_columns(columns, AddedColumns(watermark=WATERMARK_COLUMN)))
        .load()
    )
    with_watermark = rows.withWatermark(WATERMARK_COLUMN, "0 seconds")
    marked = with_mark(with_watermark, columns, event_time._replace(column=name))
    return without_redefinition(marked, FUNCTION, "the option maxOutOfOrderness of the source")


def with_mark(with_watermark: DataFrame, columns: StructType, event_time: EventTime) -> DataFrame:
    """Return the records among rows, with the watermark that the other rows carry on their event time.

    with_watermark: rows whose Spark watermark is defined on `WATERMARK_COLUMN`, null on records. columns: the
    columns of the result.
    """
    # Spark writes the mark on the column of the watermark. Operators look for it on the columns they use.
    # Its value is the delay: `dropDuplicatesWithinWatermark` remembers a row until the watermark is more than
    # this delay ahead of the row. With 0 a row would be forgotten at once. But a duplicate that is 15 s
    # younger, and 19 s behind the greatest event time, is not late where the out-of-orderness is 20 s.
    mark = dict.fromkeys(with_watermark.schema[WATERMARK_COLUMN].metadata, event_time.max_out_of_orderness)
    records = with_watermark.where(f"{_quoted(WATERMARK_COLUMN)} IS NULL OR {BARRIER}")
    return records.select(
        *(
            _timestamp(each, event_time.unit).alias(each.name, metadata={**each.metadata, **mark})
            if each.name == event_time.column
            else col(_quoted(each.name))
            for each in columns
        )
    )


def _timestamp(column: StructField, unit: str) -> Column:
    if isinstance(column.dataType, TimestampType):
        return col(_quoted(column.name))
    if isinstance(column.dataType, DateType):
        return expr(_FROM_DATES.format(_quoted(column.name)))
    if isinstance(column.dataType, FractionalType):
        return expr(_FROM_FRACTIONS.format(_quoted(column.name), _MICROSECONDS[unit]))
    return expr(_FROM_WHOLE_NUMBERS[unit].format(_quoted(column.name)))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def check_policy(spark: SparkSession) -> None:
    """Raise `IllegalOptionError` if a query of several sources would follow the furthest of them."""
    policy = str(spark.conf.get(POLICY_CONF, "min"))
    if policy.lower() != "min":
        raise IllegalOptionError(
            f"{POLICY_CONF} = {policy!r}: Spark then drops what the slower sources of a query have not read; "
            "set it to 'min'"
        )


def _spelled(event_time: EventTime, columns: StructType) -> str:
    """Return the event time column as the schema spells it. Raises `IllegalOptionError` for a nested
    column."""
    for name in columns.names:
        if name.lower() == event_time.column.lower():
            return name
    raise IllegalOptionError(
        f"eventTimeColumn = {event_time.column!r}: Spark's watermark belongs to a column, not to a field of "
        "one; write the event time into a column of its own"
    )


def without_redefinition(rows: DataFrame, function: str, remedy: str) -> DataFrame:
    """Return the rows, on which `withWatermark` raises at once. Spark would fail at the second batch."""

    def refuse(eventTime: str, delayThreshold: str) -> NoReturn:
        raise IllegalOptionError(
            f"withWatermark({eventTime!r}, {delayThreshold!r}): rows of {function}(reader) have the "
            f"watermark of their source already; leave it out, and set {remedy} instead"
        )

    rows.withWatermark = refuse  # type: ignore[method-assign]
    return rows
