"""Late rows of an aligned source: those that are not after the watermark that was said before their batch."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import BooleanType, StructType
from spark_programs.driven_files import SCHEMA, DrivenFiles, write_json, write_parquet
from spark_programs.driven_log import DrivenLog
from spark_programs.driven_query import DrivenQuery
from test_spark_own_log import MemoryLog

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.files.formats import Block
from tidegauge_spark.source.numbers.reader import AlignedSourceReader
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.event_times import event_times
from tidegauge_spark.source.planning.signals import PlannedSignals

SIGNALS = {"idleTimeout": "20 seconds"}
"""What makes a source know its watermark without a column for it."""

VIRTUAL = {"clockStep": "1 second", **SIGNALS}


def late_by_definition(query: DrivenFiles) -> int:
    """Count late rows from what came out of each batch, and from the watermarks in the offsets."""
    late, watermark = 0, MIN
    for number, offset in enumerate(query.log):
        batch = query.batch_times(number) if number < len(query.batches_of_rows) else {}
        late += sum(time <= watermark for times in batch.values() for time in times if time is not None)
        watermark = max(watermark, offset["signals"]["state"]["combined"])
    return late


class CountedFiles(DrivenFiles):
    """A query over files that tells how many rows were late."""

    @property
    def batches_of_rows(self) -> list[int]:
        return sorted(self._rows)

    @property
    def late(self) -> int:
        progress = self.reader.reportLatestOffset()
        assert progress is not None
        assert progress["uncheckedRows"] == 0
        return int(progress["lateRows"])


def disordered(split: str, rows: int) -> list[int | None]:
    """Return event times of which some are far behind, and some are missing."""
    draw = random.Random(split)
    times: list[int | None] = [n * 10 - draw.choice((0, 0, 0, 5, 40, 3_000)) for n in range(rows)]
    times[rows // 2] = None
    return times


@pytest.mark.parametrize("row_group", [7, 1_000])
@pytest.mark.parametrize("format_", ["parquet", "json"])
def test_late_rows_are_counted_one_by_one(tmp_path: Path, format_: str, row_group: int) -> None:
    for split in "abc":
        times = disordered(split, 300)
        if format_ == "parquet":
            write_parquet(tmp_path, split, "0", times, row_group)
        else:
            write_json(tmp_path, split, "0", [{"time": time, "id": 0} for time in times])
    options = {"fileFormat": format_, "failOnInvalidTimestamp": "false", "maxOutOfOrderness": "5ms"}
    query = CountedFiles(tmp_path, maxRowsPerTrigger="50", **options, **VIRTUAL)
    query.run()
    assert len(query.rows()) == 900
    assert query.late == late_by_definition(query) > 50


def test_statistics_tell_of_whole_row_groups_that_are_late_or_not(tmp_path: Path) -> None:
    """A row group is read by the driver only if it has late rows and others."""
    write_parquet(tmp_path, "a", "0", range(0, 10_000, 10))
    query = CountedFiles(tmp_path, available_now=False, discoveryInterval="0 seconds", **VIRTUAL)
    assert query.batch()
    write_parquet(tmp_path, "a", "1", [*range(100), *range(20_000, 20_100), *range(9_900, 10_100)], 100)
    assert query.batch()
    # The watermark was 9,989: all of the first row group, none of the second, 90 of the third.
    assert query.late == late_by_definition(query) == 100 + 90


def test_a_window_of_a_block_knows_which_of_its_rows_are_late() -> None:
    block = Block(0, 1, True, event_times(pa.array([5, 1, 9, 2, 7, 3], pa.int64())))
    window = block.window(2, 3)
    assert [window.late(2, end, 2) for end in (3, 4, 5)] == [0, 1, 1]
    assert window.late(2, 5, 0) == 0
    assert block.late(0, 6, 3) == 3


def test_the_count_is_exact_over_restarts_and_a_batch_that_is_run_again(tmp_path: Path) -> None:
    for split in "ab":
        write_parquet(tmp_path, split, "0", [time or 0 for time in disordered(split, 200)])
    query = CountedFiles(tmp_path, maxRowsPerTrigger="30", **VIRTUAL)
    restarts = 0
    while query.batch():
        restarts += 1
        if restarts % 3 == 0:
            query.restart()
        if restarts == 5:
            query.options["numSubtasks"] = "2"
            query.commit()
            query.restart()
    last = query.log[-1]["signals"]["late"][0]
    assert last == late_by_definition(query) > 10


def test_a_column_says_of_each_row_whether_it_is_late(tmp_path: Path) -> None:
    for split in "ab":
        write_parquet(tmp_path, split, "0", disordered(split, 200))
    options = {"lateColumn": "is_late", "failOnInvalidTimestamp": "false", **VIRTUAL}
    schema = StructType([*SCHEMA.fields]).add("is_late", BooleanType())
    query = CountedFiles(tmp_path, maxRowsPerTrigger="50", schema=schema, **options)
    query.run()
    assert sum(row["is_late"] for row in query.rows()) == query.late > 10
    assert {row["is_late"] for row in query.rows() if row["time"] is None} == {False}


def test_a_column_of_a_log_and_of_numbers_says_it_too() -> None:
    records = {"a": dict(enumerate(range(0, 3_000, 10))), "b": dict(enumerate([*range(0, 3_000, 10)] * 2))}
    options = parse_options({"maxRowsPerTrigger": "100", "lateColumn": "is_late", **SIGNALS}, own=())
    query = DrivenLog(options, MemoryLog(records, window=4, complete=False))
    query.run(batches=10)
    late, _ = query.offsets[-1]["signals"]["late"]
    assert query.column("is_late").count(True) == late > 100
    numbers = parse_options({"end": "9", "lateColumn": "is_late"})
    reader = AlignedSourceReader(numbers)
    start = reader.initialOffset()
    (partition,) = reader.partitions(start, reader.latestOffset(start, reader.getDefaultReadLimit()))
    partition.late_until = 3
    rows = [row for batch in reader.read(partition) for row in batch.to_pylist()]
    assert [row["is_late"] for row in rows] == [True] * 4 + [False] * 6


def test_a_column_that_is_there_is_not_hidden(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "0", [1])
    with pytest.raises(IllegalOptionError, match="option lateColumn = 'ID': there is a column of that name"):
        AlignedSource({"path": str(tmp_path), "eventTimeColumn": "time", "lateColumn": "ID"}).schema()
    with pytest.raises(IllegalOptionError, match="the schema has no boolean column 'is_late'; add it"):
        DrivenFiles(tmp_path, lateColumn="is_late")


def test_checkpoints_without_a_count_begin_at_none() -> None:
    stored = {"said": {}, "state": {"combined": 7}}
    signals = PlannedSignals.from_json(stored)
    assert signals.late == (0, 0)
    assert signals.to_json() == stored


@pytest.mark.parametrize("indexed", [False, True])
def test_records_of_a_log_are_counted_or_said_to_be_unchecked(indexed: bool) -> None:
    """With an index the driver does not look at all event times."""
    records = {"a": dict(enumerate(range(0, 3_000, 10))), "b": dict(enumerate([*range(0, 3_000, 10)] * 2))}
    options = parse_options({"maxRowsPerTrigger": "100", **SIGNALS}, own=())
    query = DrivenLog(options, MemoryLog(records, window=4, indexed=indexed, complete=False))
    query.run(batches=10)
    late, unchecked = query.offsets[-1]["signals"].get("late", (0, 0))
    watermark, expected = MIN, 0
    for before, rows in zip(query.offsets, query.batches, strict=False):
        state = before["signals"] and before["signals"]["state"]
        watermark = state["combined"] if state else MIN
        expected += sum(row["at"] <= watermark for row in rows)
    assert expected > 100
    if indexed:
        assert unchecked > 0
        assert late <= expected <= late + unchecked
    else:
        assert (late, unchecked) == (expected, 0)


def test_numbers_of_a_subtask_that_was_idle_are_counted() -> None:
    rates = {"recordsPerMillisecond__0": "0.0001", "recordsPerMillisecond__1": "1"}
    options = {"numSubtasks": "2", "split": "repeat", "end": "20000", "end__0": "3", **rates}
    query = DrivenQuery(clockStep="1 second", idleTimeout="3 seconds", **options)
    query.run()
    late, watermark = 0, MIN
    for number, offset in enumerate(query.log):
        late += sum(record.timestamp <= watermark for record in query.batches[number])
        watermark = max(watermark, offset["signals"]["state"]["combined"])
    progress = query.reader.reportLatestOffset()
    assert progress is not None
    assert progress["lateRows"] == late == 4
