"""A Spark of this machine for the examples, and a folder for their files: both are gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession


@contextmanager
def local_session() -> Iterator[tuple[SparkSession, Path]]:
    """Yield a session and an empty folder."""
    with TemporaryDirectory(prefix="tidegauge-example-", ignore_cleanup_errors=True) as folder:
        with _output_to(Path(folder, "spark.log")):
            spark = _session(folder)
        try:
            yield spark, Path(folder)
        finally:
            spark.stop()


def _session(folder: str) -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .appName("tidegauge example")
        # The examples look at the progress of all micro-batches; by default Spark keeps the last 100.
        .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
        # For a small machine, few rows, and a quiet terminal.
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


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Let processes that are started now write into a file: the JVM prints warnings at its start."""
    own = [os.dup(stream) for stream in (1, 2)]
    with log.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            yield
        finally:
            for stream, saved in zip((1, 2), own, strict=True):
                os.dup2(saved, stream)
                os.close(saved)
