"""A session of Spark for one command."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidegauge.wire.scenario import BadInput

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 17),
}


@contextmanager
def session(master: str) -> Iterator["SparkSession"]:
    """A session on this master, ended with its Java process. Settings of the user's own
    (`spark-defaults.conf`) stand. Raises `BadInput` if PySpark or Java is missing or the master cannot be
    had."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as missing:
        raise BadInput("this needs Spark: pip install 'tidegauge[spark]', and Java 17") from missing
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder: Any = SparkSession.builder.master(master).appName("tidegauge")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, OSError) as problem:
        said = " ".join(str(problem).split())[:300]
        raise BadInput(f"--master {master!r}: no session of Spark: {said}") from problem
    spark.sparkContext.setLogLevel("ERROR")
    left = _work_of_a_local_cluster(spark, master)
    try:
        yield spark
    finally:
        spark.stop()
        if left is not None:
            shutil.rmtree(left, ignore_errors=True)


def _work_of_a_local_cluster(spark: "SparkSession", master: str) -> Path | None:
    """The folder in the installation of Spark in which the executors of `local-cluster[...]` work, with what
    they unpack. Spark leaves it there."""
    if not master.startswith("local-cluster"):
        return None
    from pyspark.find_spark_home import _find_spark_home

    return Path(_find_spark_home(), "work", spark.sparkContext.applicationId)
