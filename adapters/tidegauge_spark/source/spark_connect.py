"""Sessions of Spark Connect: the client is not the driver, and has no JVM.

The source and its exact watermark work there. Functions that need the driver raise an error when they are
called.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

_PACKAGE = "pyspark.sql.connect."


class SparkConnectError(RuntimeError):
    """Raised if a feature of this library needs the driver of the query in this process."""


def is_connect(spark: SparkSession) -> bool:
    """Return whether a session is a session of Spark Connect."""
    # The class is compared by name: importing it needs grpcio, which other sessions do not have.
    return type(spark).__module__.startswith(_PACKAGE)


def is_connect_reader(reader: Any) -> bool:
    """Return whether an object is a `DataStreamReader` of Spark Connect."""
    return type(reader).__module__ == f"{_PACKAGE}streaming.readwriter" and hasattr(reader, "load")


def require_driver(spark: SparkSession, feature: str, remedy: str) -> None:
    """Raise `SparkConnectError` in a session of Spark Connect.

    Args:
        spark: the session.
        feature: the beginning of the message, with the verb: "watermark_of(reader) needs".
        remedy: what to do instead.
    """
    if is_connect(spark):
        raise SparkConnectError(
            f"{feature} the driver of the query, and a client of Spark Connect is not the driver: {remedy}"
        )
