"""A check of a Spark installation: small queries show which features of this library work there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import sum as sum_of
from pyspark.sql.functions import window
from pyspark.sql.streaming.readwriter import DataStreamReader

from tidegauge_spark.decisions.windows.assigners import TumblingWindows
from tidegauge_spark.decisions.windows.settings import WindowSettings
from tidegauge_spark.event_log.progress_recorder import ProgressRecorder
from tidegauge_spark.operator_inputs import load_inputs
from tidegauge_spark.operators.aggregates import count
from tidegauge_spark.operators.window import run_windows
from tidegauge_spark.source.aligned_source import register
from tidegauge_spark.source.exact_watermark import load

_PARTITIONS: Final = {"north": "id < 600 OR id >= 1800", "south": "true"}
"""The partitions of the log, and the rows of an hour (one a second) that each of them has.

The partition "north" is silent for 20 minutes.
"""

_ROWS: Final = 6_000
"""The number of rows in the log."""


class Finding(NamedTuple):
    """The result of the check of one feature.

    Attributes:
        feature: the name of the feature.
        problem: the first line of the error, or the number of rows that were counted; "" if it works.
    """

    feature: str
    problem: str

    def __str__(self) -> str:
        return f"{self.feature}: {self.problem or 'works'}"


def self_check(spark: SparkSession, folder: str) -> list[Finding]:
    """Run a small query for each feature, and return which features work.

    A feature works if its query counts every row of a log, although one of the two partitions is silent for
    20 minutes. The check takes one or two minutes.

    Args:
        spark: the session; it may be a session of Spark Connect.
        folder: a new folder, which this process, the driver and the executors see under the same path. The
            log, the results and the checkpoints are written there. Remove the folder afterwards.

    Raises:
        FileExistsError: if the folder exists.
    """
    Path(folder).mkdir(parents=True)
    register(spark)
    _write_log(spark, Path(folder) / "log")
    reader = partial(_reader, spark, folder)
    drift = {"watermarkGroup": "check", "maxAllowedWatermarkDrift": "5 minutes"}
    checks: dict[str, Callable[[], int]] = {
        "exact watermark (load)": lambda: _counted(spark, folder, "exact", _by_spark(load(reader({})))),
        "alignment": lambda: _counted(spark, folder, "aligned", _by_spark(load(reader(drift)))),
        "ProgressRecorder": lambda: _recorded(spark, folder, load(reader({}))),
        "operators (run_windows)": lambda: _counted(spark, folder, "own", _by_operators(reader({}))),
    }
    return [Finding(feature, _problem(check)) for feature, check in checks.items()]


def _problem(check: Callable[[], int]) -> str:
    try:
        rows = check()
    except Exception as error:  # raised by Spark, a vendor's Spark, or this library
        return next(iter(str(error).splitlines()), type(error).__name__)
    return "" if rows == _ROWS else f"{rows:,} rows instead of {_ROWS:,}"


def _write_log(spark: SparkSession, log: Path) -> None:
    for partition, awake in _PARTITIONS.items():
        rows = spark.range(3_600).where(awake).selectExpr("timestamp_seconds(id) AS at")
        rows.coalesce(1).write.parquet(str(log / partition))
        (log / partition / "_FINISHED").touch()
    (log / "_FINISHED").touch()


def _reader(spark: SparkSession, folder: str, options: dict[str, str]) -> DataStreamReader:
    own = {"path": f"{folder}/log", "eventTimeColumn": "at", "maxRowsPerTrigger": "2000"}
    return spark.readStream.format("tidegauge").options(**own, **options)


def _by_spark(rows: DataFrame) -> DataFrame:
    return rows.groupBy(window("at", "1 minute")).count().selectExpr("count AS rows")


def _by_operators(reader: DataStreamReader) -> DataFrame:
    out = run_windows(load_inputs(reader), WindowSettings(TumblingWindows("1 minute")), {"rows": count()})
    return out.where("kind = 'result'").select("rows")


def _counted(spark: SparkSession, folder: str, name: str, rows: DataFrame) -> int:
    """Run a query to its end, and return the number of rows that its windows have counted."""
    results = f"{folder}/{name}/results"
    query = (
        rows.writeStream.format("parquet")
        .option("path", results)
        .option("checkpointLocation", f"{folder}/{name}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return int(spark.read.parquet(results).agg(sum_of("rows")).collect()[0][0] or 0)


def _recorded(spark: SparkSession, folder: str, rows: DataFrame) -> int:
    """Run a query with a recorder, and return the number of rows that its windows have counted.

    Raises `ValueError` if the recorder has not written an event log.
    """
    logs = Path(folder) / "recorded" / "logs"
    recorder = ProgressRecorder(str(logs))
    spark.streams.addListener(recorder)
    try:
        counted = _counted(spark, folder, "recorded", _by_spark(rows))
    finally:
        spark.streams.removeListener(recorder)
    if not _has_files(logs.rglob("*")):
        raise ValueError("the listener was not called: no event log was written")
    return counted


def _has_files(paths: Iterable[Path]) -> bool:
    return any(path.is_file() for path in paths)
