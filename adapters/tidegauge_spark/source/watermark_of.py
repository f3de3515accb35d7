"""Rows of Spark's own Kafka source with the exact watermark: the smallest over the partitions of its topics.

Spark's reader keeps its options and its jars. Its rows are observed: the progress of each batch has the
largest event time of each partition. A listener in the driver reports these times to a companion, a small
source in the same query. In the next batch the companion emits the watermark that follows from them. Spark's
watermark is defined on the companion, and the mark by which operators find the watermark is moved to the
event time of the rows.
"""

from __future__ import annotations

import json
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import expr
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import TimestampType

from tidegauge_spark.decisions.duration_arguments import Duration, milliseconds_of
from tidegauge_spark.source.aligned_source import EventTime
from tidegauge_spark.source.companion.listener import watch
from tidegauge_spark.source.companion.source import FORMAT, CompanionSource
from tidegauge_spark.source.companion.watched_reader import WatchedReader, partitions_of
from tidegauge_spark.source.exact_watermark import (
    WATERMARK_COLUMN,
    check_policy,
    with_mark,
    without_redefinition,
)
from tidegauge_spark.source.given_reader import session_of, source_of
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import EVENT_TIME
from tidegauge_spark.source.registration import register_source, registered_source
from tidegauge_spark.source.spark_connect import require_driver
from tidegauge_spark.source.watermark_check import checked_in
from tidegauge_spark.spark_version import READ_LIMITS

TIMESTAMP: Final = "timestamp"

ARGUMENTS: Final = {"maxoutoforderness": "max_out_of_orderness", "idletimeout": "idle_timeout"}
"""Options of this library's own sources, and the arguments that replace them."""


def watermark_of(
    reader: DataStreamReader,
    event_time: str | Column | None = None,
    *,
    max_out_of_orderness: Duration = 0,
    idle_timeout: Duration | None = None,
) -> DataFrame:
    """Return the rows of Spark's own Kafka source with the exact watermark on their event time.

    Take the largest event time that this query has read in each partition up to the end of batch N. Spark's
    watermark in batch N+2 is at most the smallest of these times, minus `max_out_of_orderness` and 1 ms.
    Records that the query has not read yet never count. A row can be late only if it is further out of order
    in its own partition than allowed, or if its partition was idle or is new. A partition without records
    holds the watermark back unless it is idle. This holds for any `maxOffsetsPerTrigger`, and over restarts
    and kills: records that were read but not reported are read again once, by a Spark job.

    The watermark comes one batch later than with `withWatermark`, or two if batches follow one another
    closely. Over Kafka no input is finished for good: the last windows wait for newer records in every
    partition, or for `idle_timeout`. A checkpoint that was written without `watermark_of` cannot be
    continued, because the query has one more source. When a topic gets more partitions, the query fails with
    a message of one line, and continues when the program is started again.

    Args:
        reader: `spark.readStream.format("kafka")` with `subscribe` or `assign`, without `.load()`.
        event_time: None for the timestamp of the record. Otherwise a column or SQL text that computes a
            timestamp from the columns of a record; it becomes the column `eventTime`. Rows where it is null
            pass and move no watermark.
        max_out_of_orderness: how far the records of a partition are out of order, in ms or as "30 seconds".
        idle_timeout: a partition that was found empty for longer no longer holds back the watermark, until it
            has records; None: partitions never become idle.

    Raises:
        TypeError: if `reader` is not a reader of Kafka, or the event time is not a timestamp.
        IllegalArgumentError: if a duration is not valid.
        IllegalOptionError: if the options do not fit, or Spark's `multipleWatermarkPolicy` is not "min".
        BrokenLogError: if Kafka does not return the partitions.
        PySparkVersionError: with a PySpark before 4.2.
        SparkConnectError: in a session of Spark Connect.
    """
    READ_LIMITS.require(
        "watermark_of(reader) needs", "read the topic by the format tidegauge and load(reader)"
    )
    spark = session_of(reader, "watermark_of", "kafka")
    require_driver(
        spark, "watermark_of(reader) needs", "read the topic by the format tidegauge and load(reader)"
    )
    out_of_orderness = milliseconds_of(max_out_of_orderness, "max_out_of_orderness")
    timeout = None if idle_timeout is None else milliseconds_of(idle_timeout, "idle_timeout", at_least=1)
    check_policy(spark)
    records = reader.load()
    options = _options_of(records)
    computed = expr(event_time) if isinstance(event_time, str) else event_time
    column = TIMESTAMP if computed is None else EVENT_TIME
    watched = WatchedReader(spark, options, partitions_of(spark, options), computed, column)
    rows = watched.with_event_time(records)
    _check_event_time(rows, column, event_time)
    name = watch(spark, watched)
    if registered_source(spark, FORMAT) is None:
        register_source(spark, CompanionSource)
    companion = spark.readStream.format(FORMAT).options(
        watermarkColumn=WATERMARK_COLUMN,
        companionOf=name,
        partitions=json.dumps(watched.partitions),
        watermarkCheck=str(checked_in(spark)),
        maxOutOfOrderness=f"{out_of_orderness} ms",
    )
    if timeout is not None:
        companion = companion.option("idleTimeout", f"{timeout} ms")
    said = companion.load().withWatermark(WATERMARK_COLUMN, "0 seconds")
    # The companion comes first: a union has the metadata of its first input, and so the mark.
    both = said.unionByName(watched.observed(rows, name), allowMissingColumns=True)
    marked = with_mark(both, rows.schema, EventTime(column, max_out_of_orderness=out_of_orderness))
    return without_redefinition(marked, "watermark_of", "max_out_of_orderness")


def _options_of(records: DataFrame) -> dict[str, str]:
    """Return the options of a Kafka reader. Raises `TypeError` for another reader."""
    name, options = source_of(records)
    if name != "kafka":
        raise TypeError(
            f"watermark_of(reader) was given a reader of {name!r}: it watches Spark's own Kafka source, "
            'spark.readStream.format("kafka"); for sources of tidegauge_spark there is load(reader)'
        )
    for given, value in options.items():
        if given.lower() in ARGUMENTS:
            argument = ARGUMENTS[given.lower()]
            raise IllegalOptionError(
                f"option {given} = {value!r}: Spark's own source does not know it; write "
                f"watermark_of(reader, {argument}={value!r})"
            )
    return options


def _check_event_time(rows: DataFrame, column: str, event_time: str | Column | None) -> None:
    type_ = rows.schema[column].dataType
    if not isinstance(type_, TimestampType):
        raise TypeError(
            f"event_time = {event_time!r} is of type {type_.simpleString()}: write a timestamp expression, "
            "such as \"timestamp_millis(CAST(get_json_object(CAST(value AS STRING), '$.at') AS BIGINT))\""
        )
