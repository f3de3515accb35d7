"""The event log that a source writes: what is in it, over restarts, and what check-log says of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from spark_programs.driven_files import DrivenFiles, aligned, write_parquet
from spark_programs.driven_query import DrivenQuery
from spark_programs.event_logs import judged, recorded

from tidegauge_spark.decisions.sources.subtask import SourceSubtask
from tidegauge_spark.event_log.log_files import EventLogError
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.source import parse_options

DRIFT = 3000
ALIGNED = aligned(DRIFT, clockStep="1 second", sourceName="orders")


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """The rows of a log, by subtask and number."""
    rows = parquet.read_table(folder, partitioning=None).to_pylist()
    return sorted(rows, key=lambda row: (row["source"], row["subtask"], row["sequence"]))


def shown(rows: list[dict[str, Any]], subtask: int = 0) -> list[tuple[str, str, int | None]]:
    """Split, kind and event time of the rows of a subtask."""
    return [(row["split"], row["kind"], row["event_time"]) for row in rows if row["subtask"] == subtask]


def broken(folder: Path, drift: int | None = DRIFT) -> set[str]:
    """The properties that a log shows to be broken; it must be without trouble."""
    results = judged(folder, drift)
    assert not [name for one in results.operators for name in one.troubles]
    return {one.property for one in results.properties if one.verdict == "fail"}


def write_days(folder: Path) -> None:
    for split, step in (("x", 100), ("y", 700)):
        for first in range(0, 20_000, 5_000):
            write_parquet(folder, split, f"{first:06}", range(first, first + 5_000, step))
        (folder / split / "_FINISHED").touch()


def files(folder: Path, log: Path, **options: str) -> DrivenFiles:
    return DrivenFiles(folder, numSubtasks="2", eventLog=str(log), **ALIGNED, **options)


def test_each_thing_that_a_source_does_is_a_row(tmp_path: Path) -> None:
    write_parquet(tmp_path / "files", "x", "a", [5, 9])
    (tmp_path / "files" / "x" / "_FINISHED").touch()
    files(tmp_path / "files", tmp_path / "log").run()
    rows = rows_in(tmp_path / "log")
    assert shown(rows) == [
        ("x", "assigned", None),
        ("", "report", 4),
        ("", "announcement", 4 + DRIFT),
        ("x", "record", 9),
        ("x", "watermark", 8),
        ("x", "finished", None),
        ("", "finished", None),
    ]
    assert [row["sequence"] for row in rows if row["subtask"] == 0] == list(range(1, 8))
    record = rows[3]
    assert record["count"] == 2
    assert (record["job"], record["source"], record["processing_time"]) == ("g", "orders", 1000)


def test_an_aligned_source_keeps_every_rule_that_its_log_shows(tmp_path: Path) -> None:
    write_days(tmp_path / "files")
    files(tmp_path / "files", tmp_path / "log").run()
    assert broken(tmp_path / "log") == set()
    rules = {rule.rule: rule.verdict for rule in judged(tmp_path / "log", DRIFT).rules}
    assert {rules[name] for name in ("JOB-2", "SPLIT-1", "SOURCE-6")} == {"pass"}
    assert recorded(tmp_path / "log") == {("orders", 0): 200, ("orders", 1): 4 * 8}


def test_statuses_are_in_the_log_and_records_come_after_active(tmp_path: Path) -> None:
    write_parquet(tmp_path / "files", "x", "a", [5])
    options = {"inBandWatermarks": "true", "idleTimeout": "3 seconds", "discoveryInterval": "0 seconds"}
    query = DrivenFiles(
        tmp_path / "files",
        available_now=False,
        eventLog=str(tmp_path / "log"),
        sourceName="s",
        clockStep="1 second",
        **options,
    )
    while query.now < 7000:
        query.batch()
    write_parquet(tmp_path / "files", "x", "b", [50])
    query.batch()
    assert shown(rows_in(tmp_path / "log")) == [
        ("x", "assigned", None),
        ("x", "record", 5),
        ("x", "watermark", 4),
        ("", "watermark", 4),
        ("x", "idle", None),
        ("", "idle", None),
        ("", "active", None),
        ("x", "active", None),
        ("x", "record", 50),
        ("x", "watermark", 49),
        ("", "watermark", 49),
    ]
    assert broken(tmp_path / "log", None) == set()


def test_a_subtask_that_is_idle_and_has_something_that_is_held_back_reports_nothing(tmp_path: Path) -> None:
    """The planning waits for it again, but it has not output ACTIVE: SOURCE-8 is about what it has output."""
    options = {"inBandWatermarks": "true", "idleTimeout": "3 seconds", "discoveryInterval": "0 seconds"}
    write_parquet(tmp_path / "files", "x", "a", [1])
    write_parquet(tmp_path / "files", "y", "a", [2])
    query = files(tmp_path / "files", tmp_path / "log", available_now=False, **options)
    while query.now < 7000:
        query.batch()
    write_parquet(tmp_path / "files", "x", "b", range(50_000, 60_000, 1000))
    write_parquet(tmp_path / "files", "y", "b", [60_000])
    began = query.now
    while query.now < began + 9000:
        query.batch()
    log = tmp_path / "log"
    assert recorded(log) == {("orders", 0): 11, ("orders", 1): 2}
    read = [row["processing_time"] for row in rows_in(log) if row["kind"] == "record"]
    assert read[1] < read[-1], "the record of y was not held back"
    # The slowest reads its next record however far it is (SOURCE-2), so the spread is another matter.
    assert "log-reports-what-it-emitted" not in broken(log)


@pytest.mark.parametrize("planned", [True, False], ids=["logged, not read", "planned, not logged"])
def test_a_batch_that_is_planned_or_run_again_is_in_the_log_once(tmp_path: Path, planned: bool) -> None:
    write_days(tmp_path / "files")
    whole = files(tmp_path / "files", tmp_path / "whole")
    whole.run()
    query = files(tmp_path / "files", tmp_path / "log")
    while query.plan() if planned else query.latest() != query.offset:
        if planned:
            query.execute()  # and dies before it is committed
        query.restart()
        if not planned:
            query.batch()
    assert rows_in(tmp_path / "log") == rows_in(tmp_path / "whole")


def test_the_number_of_subtasks_may_change(tmp_path: Path) -> None:
    write_days(tmp_path / "files")
    query = files(tmp_path / "files", tmp_path / "log")
    for _ in range(3):
        query.batch()
    query.options = {**query.options, "numSubtasks": "1"}
    query.restart()
    query.run()
    rows = rows_in(tmp_path / "log")
    assert ("", "restarted", None) in shown(rows)
    assert shown(rows, 1)[-2:] == [("", "restarted", None), ("", "finished", None)]
    assert broken(tmp_path / "log") == set()
    assert recorded(tmp_path / "log").total() == 232


def test_a_log_may_begin_late_and_have_a_pause(tmp_path: Path) -> None:
    write_days(tmp_path / "files")
    query = files(tmp_path / "files", tmp_path / "log")
    folders = [None, tmp_path / "log", None, tmp_path / "log"]
    for folder in folders:
        query.options = {**query.options, "eventLog": "" if folder is None else str(folder)}
        query.restart()
        query.batch()
        query.commit()
    query.run()
    rows = rows_in(tmp_path / "log")
    assert [row["kind"] for row in rows].count("restarted") == 2
    assert broken(tmp_path / "log") == set()
    assert recorded(tmp_path / "log").total() < 232


def test_a_split_that_has_run_out_is_not_waited_for(tmp_path: Path) -> None:
    write_parquet(tmp_path / "files", "x", "a", range(0, 2_000, 100))
    write_parquet(tmp_path / "files", "y", "a", range(0, 20_000, 100))
    query = files(tmp_path / "files", tmp_path / "log")
    query.run()
    write_parquet(tmp_path / "files", "x", "b", range(21_000, 21_500, 100))
    query.restart()
    query.run()
    assert shown(rows_in(tmp_path / "log"))[-1] == ("", "finished", None)
    assert broken(tmp_path / "log") == set()
    assert recorded(tmp_path / "log") == {("orders", 0): 25, ("orders", 1): 200}


def test_a_split_that_runs_out_again_has_ended_again(tmp_path: Path) -> None:
    write_parquet(tmp_path / "files", "x", "a", range(0, 2_000, 100))
    write_parquet(tmp_path / "files", "y", "a", range(0, 20_000, 100))
    query = files(tmp_path / "files", tmp_path / "log")
    del query.options["updateInterval"]  # a run is one batch
    query.restart()
    query.run()
    write_parquet(tmp_path / "files", "x", "b", range(21_000, 21_500, 100))
    query.restart()
    query.run()
    write_parquet(tmp_path / "files", "y", "b", range(20_000, 60_000, 100))
    query.options["maxRowsPerTrigger"] = "20"
    query.restart()
    query.run()
    assert broken(tmp_path / "log") == set()


def test_a_subtask_with_a_split_that_has_run_out_reports_what_it_emitted(tmp_path: Path) -> None:
    write_parquet(tmp_path / "files", "x", "a", range(0, 2_000, 100))
    write_parquet(tmp_path / "files", "y", "a", range(0, 20_000, 100))
    DrivenFiles(tmp_path / "files", numSubtasks="1", eventLog=str(tmp_path / "log"), **ALIGNED).run()
    assert broken(tmp_path / "log") == set()


def test_without_alignment_the_spread_is_too_far(tmp_path: Path) -> None:
    write_days(tmp_path / "files")
    options = {"clockStep": "1 second", "sourceName": "orders", "maxRowsPerTrigger": "20"}
    DrivenFiles(tmp_path / "files", numSubtasks="2", eventLog=str(tmp_path / "log"), **options).run()
    assert broken(tmp_path / "log") == {"log-spread-bounded"}


def test_a_source_that_ignores_its_bound_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_days(tmp_path / "files")
    ignoring: Callable[..., list[object]] = lambda *_: []  # noqa: E731
    monkeypatch.setattr(SourceSubtask, "announcement", ignoring)
    files(tmp_path / "files", tmp_path / "log", maxRowsPerTrigger="20").run()
    assert broken(tmp_path / "log") == {"log-spread-bounded"}


def test_number_sequences_are_recorded_too(tmp_path: Path) -> None:
    options = {"numSubtasks": "2", "split": "repeat", "end": "6000", "recordsPerMillisecond__0": "1"}
    DrivenQuery(eventLog=str(tmp_path / "log"), eventLogJob="shop", **{**ALIGNED, **options}).run()
    assert {row["job"] for row in rows_in(tmp_path / "log")} == {"shop"}
    assert broken(tmp_path / "log") == set()
    ends = [row for row in rows_in(tmp_path / "log") if row["kind"] == "finished" and not row["split"]]
    assert len(ends) == 2


def test_another_source_of_the_same_name_is_refused(tmp_path: Path) -> None:
    options = {**ALIGNED, "end": "10", "eventLog": str(tmp_path / "log")}
    DrivenQuery(**options).run()
    with pytest.raises(EventLogError, match="log of another source of that name .* new folder"):
        DrivenQuery(**options).run()


def test_a_log_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("no folder")
    with pytest.raises(EventLogError, match=r"log.* cannot be written: .*; make its folder writable"):
        DrivenQuery(end="10", eventLog=str(tmp_path / "log")).run()
    with pytest.raises(IllegalOptionError, match=r"option eventLogJob = 'shop': set eventLog as well"):
        parse_options({"eventLogJob": "shop"})
    with pytest.raises(
        IllegalOptionError, match=r"option eventLog = 'gs://...': Google Cloud Storage is not"
    ):
        parse_options({"eventLog": "gs://b/log"})
