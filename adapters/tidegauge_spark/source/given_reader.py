"""The aligned source that a reader of Spark would load: its options, its columns, and a separate reader.

A reader of Spark keeps each option that is set on it. Options that this library sets go to a new reader, so
that a later `load()` on the user's reader returns the same rows as before.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StructField, StructType

from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.registration import registered_source
from tidegauge_spark.source.spark_connect import is_connect, is_connect_reader


class GivenReader(NamedTuple):
    """A reader of an aligned source.

    Attributes:
        spark: the session of the reader.
        name: the name of the source in `format(name)`.
        options: the options that are set, as they were written.
        columns: the columns of the rows, all of them nullable.
        source: the source with these options.
    """

    spark: SparkSession
    name: str
    options: dict[str, str]
    columns: StructType
    source: AlignedSource

    def with_options(self, options: dict[str, str]) -> DataStreamReader:
        """Return a new reader of the same source, with options that replace those of the same name."""
        replaced = {name.lower() for name in options}
        others = {name: value for name, value in self.options.items() if name.lower() not in replaced}
        return self.spark.readStream.format(self.name).options(**others, **options)


def given_reader(reader: Any, function: str) -> GivenReader:
    """Return the source that a reader would load. Raises `TypeError` if it is not a reader of an aligned
    source.

    function: the function of this library that was called, for the message.
    """
    spark = session_of(reader, function)
    rows = reader.load()
    name, options = (reader._format, reader._options) if is_connect(spark) else source_of(rows)
    source = registered_source(spark, name)
    if source is None or not issubclass(source, AlignedSource):
        raise TypeError(
            f"{function}(reader) was given a reader of {name!r}: it supports only the sources of "
            'tidegauge_spark, such as spark.readStream.format("tidegauge")'
        )
    # The rows that carry a watermark have nulls in all other columns, whatever schema() says.
    columns = [StructField(each.name, each.dataType, metadata=each.metadata) for each in rows.schema]
    return GivenReader(spark, name, options, StructType(columns), source(options))


def source_of(rows: DataFrame) -> tuple[str, dict[str, str]]:
    """Return the name and the options of the source from which rows of a reader come."""
    relation: Any = rows._jdf.queryExecution().analyzed()
    name = str(relation.sourceName()) if relation.nodeName() == "StreamingRelationV2" else relation.nodeName()
    has_options = name != relation.nodeName()
    return name, dict(relation.extraOptions().asCaseSensitiveMap()) if has_options else {}


def session_of(reader: Any, function: str, source: str = "tidegauge") -> SparkSession:
    """Return the session of a reader. Raises `TypeError` if the argument is not a reader."""
    if isinstance(reader, DataFrame):  # in Spark Connect, too
        raise TypeError(
            f"{function}(reader) calls load() itself, and was given a DataFrame: give it "
            f'spark.readStream.format("{source}").options(...) without .load(), and filter what comes out'
        )
    if isinstance(reader, DataStreamReader):
        return reader._spark
    if is_connect_reader(reader):
        return cast("SparkSession", reader._client)
    raise TypeError(
        f"{function}(reader) was given {type(reader).__module__}.{type(reader).__name__}: give it "
        f'spark.readStream.format("{source}").options(...)'
    )
