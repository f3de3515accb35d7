"""The row in which a source says its watermark to Spark: what it says, and when it says it again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql.types import StructType, TimestampType
from spark_programs.driven_files import PLAIN, DrivenFiles, write_parquet
from spark_programs.driven_query import DrivenQuery, through_json

from tidegauge_spark import IllegalOptionError
from tidegauge_spark.decisions.sources.signals import SourceSignals, SplitMoment
from tidegauge_spark.source.numbers.reader import AlignedSourceReader
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.said_watermark import LAST

WITH_WATERMARK = StructType([*PLAIN.fields]).add("wm", TimestampType())
END = datetime(9999, 1, 1, tzinfo=UTC)


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


class Said(DrivenFiles):
    """Files with a watermark column; `said` is what each batch says there, and `times` what else it has."""

    def __init__(self, folder: Path, available_now: bool = True, **options: str) -> None:
        fixed = {"progressColumn": "", "watermarkColumn": "wm", "discoveryInterval": "0 seconds"}
        super().__init__(folder, available_now=available_now, schema=WITH_WATERMARK, **{**fixed, **options})

    @property
    def said(self) -> list[list[datetime]]:
        return [
            [row["wm"] for row in self._rows[batch] if row["wm"] is not None] for batch in sorted(self._rows)
        ]

    @property
    def event_times(self) -> list[int | None]:
        rows = [row for batch in sorted(self._rows) for row in self._rows[batch]]
        return [row["time"] for row in rows if row["wm"] is None]


def finish(folder: Path) -> None:
    (folder / "_FINISHED").touch()


@pytest.mark.parametrize("subtasks", ["1", "2", "3"])
def test_each_batch_says_the_smallest_watermark_over_all_subtasks_once(tmp_path: Path, subtasks: str) -> None:
    write_parquet(tmp_path, "x", "a", [1000, 2000, 9000, 9500])
    write_parquet(tmp_path, "y", "a", [1000, 1500, 2000, 2500])
    query = Said(tmp_path, numSubtasks=subtasks, maxRowsPerTrigger="4")
    query.run()
    assert query.said == [[moment(1499)], [moment(2499)]]
    assert sorted(query.event_times) == [1000, 1000, 1500, 2000, 2000, 2500, 9000, 9500]


def test_a_record_out_of_order_is_not_late_within_the_option(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [9000, 8000])
    query = Said(tmp_path, maxOutOfOrderness="1 second")
    query.run()
    assert query.said == [[moment(7999)]]


def test_the_end_of_time_is_said_only_for_an_input_that_is_finished_for_good(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    finish(tmp_path / "x")
    query = Said(tmp_path)
    query.run()
    assert [END] not in query.said
    finish(tmp_path)
    query.restart()
    query.run()
    assert query.said[-1] == [END]
    assert int(END.timestamp()) * 1000 == LAST


def test_the_watermark_is_said_again_once_after_each_start(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    query = Said(tmp_path)
    query.run()
    assert query.said == [[moment(999)]]
    for _ in range(2):
        query.restart()
        query.run()
    assert query.said == [[moment(999)]] * 3
    assert query.event_times == [1000]
    finish(tmp_path / "x"), finish(tmp_path)
    for _ in range(2):
        query.restart()
        query.run()
    assert query.said == [[moment(999)]] * 3 + [[END]] * 2


def test_a_batch_that_is_run_again_after_a_crash_says_the_same(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000, 2000])
    query = Said(tmp_path, maxRowsPerTrigger="1")
    assert query.plan()
    query.restart()
    assert query.said == [[moment(999)]]
    query.run()
    assert query.said == [[moment(999)], [moment(1999)]]


def test_other_subtasks_after_a_restart_say_the_watermark_of_all_splits(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    write_parquet(tmp_path, "y", "a", [5000])
    query = Said(tmp_path)
    query.run()
    query.options["numSubtasks"] = "3"
    write_parquet(tmp_path, "y", "b", [6000])
    query.restart()
    query.run()
    assert query.said[-1] == [moment(999)]
    assert query.event_times == [1000, 5000, 6000]


def test_a_checkpoint_of_the_source_without_the_row_continues_with_it(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    write_parquet(tmp_path, "y", "a", [5000])
    query = Said(tmp_path, watermarkColumn="")
    query.run()
    assert query.said == [[]]
    query.options["watermarkColumn"] = "wm"
    query.restart()
    query.run()
    assert query.said == [[], [moment(999)]]


def test_event_times_before_1970_say_the_beginning_of_spark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [-5000])
    query = Said(tmp_path)
    query.run()
    assert query.said == [[moment(0)]]


def test_event_times_that_spark_cannot_hold_say_the_end(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [2**62])
    query = Said(tmp_path)
    query.run()
    assert query.said == [[END]]


def test_a_split_without_records_holds_the_watermark_back(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    (tmp_path / "y").mkdir()
    query = Said(tmp_path)
    query.run()
    assert query.said == [[]]
    write_parquet(tmp_path, "y", "a", [300])
    query.restart()
    query.run()
    assert query.said == [[], [moment(299)]]


def test_an_idle_split_holds_back_nothing_until_it_returns(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1000])
    write_parquet(tmp_path, "y", "a", [300])
    query = Said(tmp_path, available_now=False, clockStep="1 second", idleTimeout="2 seconds")
    for number in range(2, 6):
        assert query.batch()
        write_parquet(tmp_path, "x", f"b{number}", [1000 * number])
    assert query.said[0] == [moment(299)]
    assert query.said[-1] == [moment(3999)]
    write_parquet(tmp_path, "y", "b", [1000])
    for name, time in (("c", 6000), ("d", 9000)):
        assert query.batch()
        assert query.said[-1] == [moment(3999)], "the split has returned, and is behind"
        write_parquet(tmp_path, "x", name, [time])
    write_parquet(tmp_path, "y", "c", [7000])
    assert query.batch()
    assert query.said[-1] == [moment(6999)]


def test_an_idle_source_says_what_the_others_of_its_query_have_reached() -> None:
    signals = SourceSignals(1, idle_timeout=1)
    split = SplitMoment(0, arrived=True, watermark=99, blocked=False, finished=False)
    signals.planned(1, 1, {"x": split}, ended=False)
    signals.follow(500)
    assert signals.combined == 99, "it is not idle"
    for now in (10, 20, 30):
        signals.planned(now, now, {"x": split._replace(arrived=False)}, ended=False)
    signals.follow(500)
    assert signals.combined == 500
    signals.follow(400)
    assert signals.combined == 500
    signals.planned(40, 40, {"x": split._replace(watermark=200)}, ended=False)
    signals.follow(900)
    assert signals.combined == 500, "it has returned, and is behind what it said"


def test_number_sequences_say_it_too() -> None:
    options = {
        "end": "3",
        "maxRowsPerTrigger": "2",
        "watermarkColumn": "wm",
        "numSubtasks": "2",
        "split": "repeat",
    }
    reader = AlignedSourceReader(parse_options(options))
    start = through_json(reader.initialOffset())
    said = []
    while (end := through_json(reader.latestOffset(start, reader.getDefaultReadLimit()))) != start:
        rows = [
            row
            for partition in reader.partitions(start, end)
            for batch in reader.read(partition)
            for row in batch.to_pylist()
        ]
        said.append([row["wm"] for row in rows if row["wm"] is not None])
        assert all((row["number"] is None) == (row["wm"] is not None) for row in rows)
        start = end
    assert said == [[moment(0)], [moment(0)], [moment(1)], [END]]


def test_rows_of_subtasks_in_band_are_refused_beside_it() -> None:
    options = {"inBandWatermarks": "true", "progressColumn": "progress", "watermarkColumn": "wm"}
    with pytest.raises(IllegalOptionError, match=r"inBandWatermarks = 'true': .*; leave one out"):
        DrivenQuery(**options)
