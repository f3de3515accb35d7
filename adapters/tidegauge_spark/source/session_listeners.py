"""Listeners that this library adds to a session of Spark, once each."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from tidegauge_spark.source.spark_connect import is_connect

_listening: Final[set[tuple[str, type[StreamingQueryListener]]]] = set()
"""The sessions of this process that have a listener, by identity, and the class of the listener."""


def session_identity(spark: SparkSession) -> str:
    """Return the identity of a session, constant over its lifetime."""
    own: Any = spark
    return str(own.session_id if is_connect(spark) else own._jsparkSession.sessionUUID())


def listen_once(spark: SparkSession, listener: type[StreamingQueryListener], *arguments: Any) -> None:
    """Add a listener to a session, unless the session already has one of that class from this library."""
    place = session_identity(spark), listener
    if place not in _listening:
        _listening.add(place)
        spark.streams.addListener(listener(*arguments))
