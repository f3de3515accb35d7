"""A client of Spark Connect that starts its own server, and checks there what works and what is rejected.

Run it in the folder tests/spark_library: `python -m spark_programs.connect_client FOLDER`. It prints one JSON object
with the findings of `self_check`, and the messages of the functions that are rejected.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import tidegauge_spark as tg


class Client:
    """Runs the checks of a client."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark, self._folder = spark, folder

    def checked(self) -> list[str]:
        """Return the findings of `self_check` as text."""
        return [str(finding) for finding in tg.self_check(self._spark, str(self._folder / "check"))]

    def rejected(self) -> dict[str, str]:
        """Return the error message of each function that needs the driver."""
        kafka = self._spark.readStream.format("kafka").option("subscribe", "orders")
        return {
            "watermark_of": self._error_of(lambda: tg.watermark_of(kafka)),
            "ensure_coordination": self._error_of(lambda: tg.ensure_coordination(self._spark)),
        }

    @staticmethod
    def _error_of(call: Callable[[], Any]) -> str:
        try:
            return f"no error: {call()}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def main(folder: str) -> None:
    """Run all checks, and print their results."""
    settings = {
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
    }
    builder: Any = SparkSession.builder
    spark = builder.remote("local[2]").config(map=settings).getOrCreate()
    try:
        tg.register(spark)
        client = Client(spark, Path(folder))
        results = {
            "checked": client.checked(),
            "rejected": client.rejected(),
        }
        print(json.dumps(results))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
