"""A Spark of this machine for the examples, and a folder for what they read and write: both are gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession


@contextmanager
def local_session() -> Iterator[tuple[SparkSession, Path]]:
    """Yield a session and an empty folder."""
    with TemporaryDirectory(prefix="tidegauge-example-", ignore_cleanup_errors=True) as folder:
        spark = (
            SparkSession.builder.master("local[2]")
            .appName("tidegauge example")
            # Stateful processors keep their state in RocksDB.
            .config(
                "spark.sql.streaming.stateStore.providerClass",
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
            )
            # The rest is for a small machine, few rows, and a quiet terminal.
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.local.dir", folder)
            .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.extraJavaOptions", f"-Djava.io.tmpdir={folder} -XX:-UsePerfData")
            .config("spark.log.level", "OFF")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
        try:
            yield spark, Path(folder)
        finally:
            spark.stop()
