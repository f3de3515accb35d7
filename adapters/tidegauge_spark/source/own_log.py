"""A log of one's own as a streaming source, aligned as the others are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import ClassVar

from pyspark.sql import SparkSession

from tidegauge_spark.source.aligned_source import AlignedSource, informed
from tidegauge_spark.source.logs.split_log import SplitLog
from tidegauge_spark.source.options.source import SourceOptions, check_own_options


def register_log(
    spark: SparkSession,
    name: str,
    open_log: Callable[[Mapping[str, str]], SplitLog],
    options: Collection[str] = (),
) -> None:
    """Make `spark.readStream.format(name)` known to a session: a log that `open_log` returns.

    options: the names of the options that the log has of its own, such as "path"; `open_log` gets those that
    were given. All other options are those of `AlignedSource` that do not belong to files, Kafka or numbers.
    `open_log` runs in Python processes that Spark starts, so it must be possible to pickle it; it may raise
    `IllegalOptionError`. Raises it itself for an own option that the source has, too.
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

    spark.dataSource.register(informed(OwnLog, spark))
