"""A user-defined log as a streaming source, aligned like the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import ClassVar

from pyspark.sql import SparkSession

from tidegauge_spark.source.aligned_source import AlignedSource, informed
from tidegauge_spark.source.logs.split_log import SplitLog
from tidegauge_spark.source.options.source import SourceOptions, check_own_options
from tidegauge_spark.source.registration import register_source


def register_log(
    spark: SparkSession,
    name: str,
    open_log: Callable[[Mapping[str, str]], SplitLog],
    options: Collection[str] = (),
) -> None:
    """Register `spark.readStream.format(name)` in a session: a log that `open_log` returns.

    options: the names of the log's own options, such as "path"; `open_log` gets those that are set. All other
    options are those of `AlignedSource` that do not belong to files, Kafka or numbers. `open_log` runs in
    Python processes that Spark starts, so it has to be picklable. It may raise `IllegalOptionError`.
    `register_log` raises `IllegalOptionError` for an own option whose name the source uses.
    """
    check_own_options(name, options)

    class OwnLog(AlignedSource):
        own_options: ClassVar[Collection[str] | None] = tuple(options)

        @classmethod
        def name(cls) -> str:
            return name

        def _log(self, options: SourceOptions) -> SplitLog:
            assert options.log is not None
            return open_log(options.log.own)

    register_source(spark, informed(OwnLog, spark))
