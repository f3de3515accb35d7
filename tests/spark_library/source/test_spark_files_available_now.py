"""AvailableNow over folders of files: it ends with what was there at the start."""

from __future__ import annotations

import shutil
from pathlib import Path

from spark_programs.driven_files import VIRTUAL, DrivenFiles, aligned, write_parquet

from tidegauge_spark.spark_version import ReadAllAvailable, ReadMaxRows


def test_available_now_ends_with_what_was_there_at_the_start(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(100))
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="30", discoveryInterval="0 seconds")
    query.batch()
    write_parquet(tmp_path, "x", "b", [1000])
    write_parquet(tmp_path, "y", "a", [1000])
    query.run()
    assert query.times("x") == list(range(100))
    assert query.rows("y") == []
    query.restart()
    query.run()
    assert query.times("x") == [*range(100), 1000]
    assert query.times("y") == [1000]


def test_available_now_does_not_wait_for_splits_that_are_read(tmp_path: Path) -> None:
    write_parquet(tmp_path, "short", "a", [0])
    write_parquet(tmp_path, "empty", "a", [])
    write_parquet(tmp_path, "long", "a", range(0, 100_000, 1000))
    (tmp_path / "nothing").mkdir()
    query = DrivenFiles(tmp_path, numSubtasks="2", **aligned(2000), **VIRTUAL)
    query.run()
    assert len(query.times("long")) == 100
    assert query.reader.latestOffset(query.offset, query.limit) == query.offset


def test_available_now_remembers_what_is_finished(tmp_path: Path) -> None:
    query = DrivenFiles(tmp_path)
    write_parquet(tmp_path, "x", "a", [0])
    query.restart()
    query.run()
    (tmp_path / "x" / "_FINISHED").touch()
    query.commit()
    query.restart()
    query.run()
    query.commit()
    shutil.rmtree(tmp_path / "x")
    query.restart()
    assert not query.batch()


_IDLE = {"inBandWatermarks": "true", "idleTimeout": "5 seconds", "discoveryInterval": "1 second", **VIRTUAL}


def _said(query: DrivenFiles) -> list[tuple[str, int | None]]:
    said = (row["progress"] for row in query.rows())
    return [(each["kind"], each["timestamp"]) for each in said if each["kind"] != "record"]


def test_available_now_ends_when_no_silent_split_holds_the_watermark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "live", "a", range(0, 60_000, 1000))
    write_parquet(tmp_path, "silent", "a", [0])
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="20", **_IDLE)
    query.run()
    assert query.offset["signals"]["state"]["idle_splits"] == ["live", "silent"]
    assert _said(query)[-2:] == [("watermark", 58_999), ("idle", None)]
    write_parquet(tmp_path, "live", "b", range(60_000, 120_000, 1000))
    query.restart()
    query.run()
    assert _said(query)[-2:] == [("watermark", 118_999), ("idle", None)]


def test_available_now_does_not_call_a_split_idle_that_has_new_files_for_the_next_run(tmp_path: Path) -> None:
    write_parquet(tmp_path, "live", "a", range(0, 60_000, 1000))
    write_parquet(tmp_path, "late", "a", [0])
    query = DrivenFiles(tmp_path, **_IDLE)
    query.batch()
    write_parquet(tmp_path, "late", "b", [5000])
    query.run()
    assert query.times("late") == [0]
    assert query.offset["signals"]["state"]["idle_splits"] == ["live"]
    query.restart()
    query.run()
    assert query.times("late") == [0, 5000]
    assert query.offset["signals"]["state"]["idle_splits"] == ["late", "live"]


def test_available_now_ends_where_there_is_nothing(tmp_path: Path) -> None:
    query = DrivenFiles(tmp_path, **aligned(2000))
    assert not query.batch()


def test_read_all_available_ignores_the_option(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(100))
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="1")
    assert query.limit == ReadMaxRows(1)
    query.limit = ReadAllAvailable()
    query.batch()
    assert len(query.rows()) == 100
