"""Sessions of Spark Connect: the client is not the driver, and has no JVM.

The source and its exact watermark work there. What needs the driver is rejected when it is called.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

_PACKAGE = "pyspark.sql.connect."


class SparkConnectError(RuntimeError):
    """A feature of this library needs the driver of the query in the same process."""


def is_connect(spark: SparkSession) -> bool:
    """Return whether a session is one of Spark Connect."""
    # The classes cannot be imported without grpcio, which only clients have.
    return type(spark).__module__.startswith(_PACKAGE)


def is_connect_reader(reader: Any) -> bool:
    """Return whether an object is a `DataStreamReader` of Spark Connect."""
    return type(reader).__module__ == f"{_PACKAGE}streaming.readwriter" and hasattr(reader, "load")


def require_driver(spark: SparkSession, feature: str, remedy: str) -> None:
    """Raise `SparkConnectError` if a session is one of Spark Connect.

    Args:
        spark: the session.
        feature: what needs the driver, as the subject of the message.
        remedy: what to do instead.
    """
    if is_connect(spark):
        raise SparkConnectError(
            f"{feature} the driver of the query, and a client of Spark Connect is not the driver: {remedy}"
        )
