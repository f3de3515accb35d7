"""Listeners that this library adds to a session of Spark, once each."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

_listening: Final[set[tuple[str, type[StreamingQueryListener]]]] = set()
"""The sessions of this process that have a listener, by identity, and the class of the listener."""


def session_identity(spark: SparkSession) -> str:
    """Return the identity of a session, constant over its lifetime; "" with Spark Connect."""
    try:
        return str(spark._jsparkSession.sessionUUID())
    except Exception:  # a session of Spark Connect
        return ""


def listen_once(spark: SparkSession, listener: type[StreamingQueryListener], *arguments: Any) -> None:
    """Add a listener to a session, unless the session already has one of that class from this library."""
    place = session_identity(spark), listener
    if place not in _listening:
        _listening.add(place)
        spark.streams.addListener(listener(*arguments))
