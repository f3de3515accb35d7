"""Spark's own Kafka source for the session of these tests: the jars are fetched with those of the broker."""

from __future__ import annotations

import os
from pathlib import Path

from kafka_broker import JARS

CONNECTOR = (
    "spark-sql-kafka-0-10_2.13",
    "spark-token-provider-kafka-0-10_2.13",
    "kafka-clients",
    "commons-pool2",
)


def connector_jars() -> list[str]:
    """The jars that Spark needs to read Kafka, as far as they are there."""
    folder = Path(os.environ.get(JARS, "/nowhere"))
    return [str(jar) for name in CONNECTOR for jar in sorted(folder.glob(f"{name}-[0-9]*.jar"))]


def set_spark_jars() -> None:
    """Let the session that starts next in this process have the jars, if they are there."""
    if jars := connector_jars():
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {','.join(jars)} pyspark-shell"
