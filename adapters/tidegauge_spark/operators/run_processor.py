"""Runs a processor of this library over grouped rows, where the installed PySpark can."""

from __future__ import annotations

from pyspark.sql import DataFrame, GroupedData
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import StructType

from tidegauge_spark.spark_version import ROW_PROCESSORS


def run_processor(groups: GroupedData, processor: StatefulProcessor, schema: StructType) -> DataFrame:
    """Return what a processor answers for each group. Raises `PySparkVersionError` before PySpark 4.1."""
    ROW_PROCESSORS.require(
        "the operators of tidegauge_spark (run_windows and others) need",
        "use load(reader) and Spark's own windows",
    )
    return groups.transformWithState(processor, schema, "Append", "None")
