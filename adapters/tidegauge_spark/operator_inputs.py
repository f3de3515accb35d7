"""The input of the operators of this library: the records of aligned sources, behind a valve.

Each subtask of the sources is a channel of the valve. Rows of the stream carry its watermark and its status.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input
from tidegauge_spark.source.given_reader import GivenReader, given_reader
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA

PROGRESS_COLUMN: Final = "__tidegauge_progress"

FUNCTION: Final = "load_inputs"


def load_inputs(
    *readers: DataStreamReader, key: str | Sequence[str] = (), operator_subtasks: int = 1
) -> DataFrame:
    """Return the records of aligned sources as the input of `run_windows`, in `WINDOW_INPUT_SCHEMA`.

    The event time is that of the sources. A query needs the RocksDB state store provider. Over restarts the
    sources keep their order and their numbers of subtasks.

    Args:
        readers: `spark.readStream.format("tidegauge")`, or a source of `register_log`, with all its options,
            one for each source. All sources have the same columns.
        key: the columns by which windows are grouped, of any types except maps. Null is a value like any
            other; without columns all records have the same key.
        operator_subtasks: the number of subtasks to which the records are distributed by key.

    Raises:
        TypeError: if a reader is not a reader of an aligned source.
        IllegalArgumentError: if columns differ or are missing, if `lateColumn` is set, or if no reader is
            given.
    """
    if not readers:
        raise IllegalArgumentError("load_inputs() was given no reader: give it one for each source")
    sources = [_Source.of(given_reader(reader, FUNCTION), place) for place, reader in enumerate(readers)]
    _check_alike(sources)
    subtasks = {source.name: source.subtasks for source in sources}
    steps = operator_input(
        reduce(DataFrame.unionByName, (source.rows() for source in sources)),
        subtasks,
        operator_subtasks,
        key=key,
        progress=PROGRESS_COLUMN,
    )
    return run_operator_input(steps, channels=sum(subtasks.values()))


class _Source(NamedTuple):
    """A source, with its name among the sources and the columns of its records."""

    given: GivenReader
    name: str
    subtasks: int
    columns: StructType

    @classmethod
    def of(cls, given: GivenReader, place: int) -> _Source:
        options = given.source.parsed_options()
        if options.added.late is not None:
            raise IllegalArgumentError(
                f"load_inputs() was given lateColumn = {options.added.late!r}, which is for load(reader): "
                "leave it out; run_windows gives late records as rows of their own"
            )
        records = [each for each in given.columns if each.name != options.added.progress]
        return cls(given, options.name or str(place), options.subtasks, StructType(records))

    def rows(self) -> DataFrame:
        """Return the records, and rows that carry the watermark and the status of each subtask."""
        in_band = {"progressColumn": PROGRESS_COLUMN, "inBandWatermarks": "true", "sourceName": self.name}
        schema = StructType([*self.columns, StructField(PROGRESS_COLUMN, PROGRESS_SCHEMA)])
        return self.given.with_options(in_band).schema(schema).load()


def _check_alike(sources: list[_Source]) -> None:
    """Raise `IllegalArgumentError` if two sources have the same name, or columns that differ from the first
    source's."""
    names = [source.name for source in sources]
    if len(set(names)) < len(names):
        raise IllegalArgumentError(
            f"sources of load_inputs() have the sourceName {names!r}: give each source its own"
        )
    types = [{each.name: each.dataType.simpleString() for each in source.columns} for source in sources]
    for place, columns in enumerate(types[1:], start=2):
        differing = sorted(name for name, _ in types[0].items() ^ columns.items())
        if differing:
            raise IllegalArgumentError(
                f"source {place} of load_inputs() differs from the first one in the column "
                f"{differing[0]!r}: give sources with the same columns and types"
            )
