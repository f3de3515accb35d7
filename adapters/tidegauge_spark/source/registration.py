"""Registration of data sources in a session, safe for queries that start at the same moment."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource

from tidegauge_spark.source.session_listeners import session_identity
from tidegauge_spark.source.worker_python import check_worker_python

VARIABLES_OF_PLANNERS: Final = (
    "SPARK_AUTH_SOCKET_TIMEOUT",
    "SPARK_BUFFER_SIZE",
    "SPARK_LOCAL_DIRS",
    "SPARK_PYTHON_RUNTIME",
)
"""The variables that Spark puts into the environment of a data source whenever a query is planned."""


_registered: Final[dict[tuple[str, str], type[DataSource]]] = {}
"""The data sources of this process, by session and name."""


def registered_source(spark: SparkSession, name: str) -> type[DataSource] | None:
    """Return the data source that `register_source` has registered in a session under that name."""
    return _registered.get((session_identity(spark), name))


def register_source(spark: SparkSession, source: type[DataSource]) -> None:
    """Register a Python data source in a session by its name, as `spark.dataSource.register` does.

    Spark 4.3 keeps one environment, a `java.util.HashMap`, for all queries of a data source, and each query
    puts variables into it when it is planned. If two first queries do so at the same moment, an entry is
    counted twice, and from then on each task of the source fails with `OptionalDataException`. Entries that
    exist are only replaced, so this function adds them before any query starts.

    Raises `WorkerPythonError` if the Python of Spark's workers lacks this library.
    """
    check_worker_python(spark)
    spark.dataSource.register(source)
    _registered[session_identity(spark), source.name()] = source
    # Spark Connect has no such object, and another version may keep it elsewhere. The source
    # works without it.
    with suppress(Exception):
        known = spark._jsparkSession.sessionState().dataSourceManager().lookupDataSource(source.name())
        environment = known.dataSourceCls().envVars()
        for name in VARIABLES_OF_PLANNERS:
            environment.putIfAbsent(name, "")
