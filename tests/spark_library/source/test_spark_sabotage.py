"""A query runs the decision classes that the kit judges: with one of their methods broken, a query goes wrong.

The readers are driven as Spark drives them, over real files; `tests/spark/test_spark_jobs.py` breaks a class in a
query of a real Spark. Each check holds for the library as it is. Times are in ms.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spark_programs.driven_files import SCHEMA, VIRTUAL, DrivenFiles, aligned, write_parquet

from tidegauge_spark import coordination
from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.backlog import BacklogDetector
from tidegauge_spark.decisions.low_watermark.service import LowWatermarkService
from tidegauge_spark.decisions.sources.coordinator import SourceCoordinators
from tidegauge_spark.decisions.sources.subtask import SourceSubtask, SubtaskState
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness
from tidegauge_spark.group_coordination.client import Address, report
from tidegauge_spark.source.files.reader import AlignedFilesReader
from tidegauge_spark.source.options.source import parse_options

Check = Callable[[Path], None]
SECOND = 1_000
IN_BAND = {"inBandWatermarks": "true", "discoveryInterval": "0 seconds", "sourceName": "s", **VIRTUAL}


class Told(DrivenFiles):
    """Files with rows in band, a second a batch, a watermark lag of ten seconds being backlog."""

    def __init__(self, folder: Path, batches: int, **options: str) -> None:
        super().__init__(folder, available_now=False, **{**IN_BAND, **options})
        for _ in range(batches):
            self.batch()

    def _new_reader(self) -> Any:
        return AlignedFilesReader(parse_options(self.options, 10 * SECOND), SCHEMA)

    def said(self, subtask: int = 0) -> list[tuple[str, int | None]]:
        rows = [row["progress"] for row in self.rows()]
        return [
            (row["kind"], row["timestamp"])
            for row in rows
            if row["kind"] in ("watermark", "idle", "active") and row["subtask"] == subtask
        ]


def fast_splits_stay_within_the_drift(folder: Path) -> None:
    write_parquet(folder, "slow", "a", range(0, 1001, 100))
    write_parquet(folder, "fast", "a", range(1001))
    query = DrivenFiles(folder, numSubtasks="2", **aligned(250), **VIRTUAL)
    query.batch()
    assert query.batch_times() == {"slow": [0, 100, 200], "fast": list(range(250))}


def the_slowest_reads_on_over_a_gap(folder: Path) -> None:
    write_parquet(folder, "slow", "a", [0, 5_000])
    write_parquet(folder, "fast", "a", range(0, 6_000, 100))
    query = DrivenFiles(folder, numSubtasks="2", **aligned(250), **VIRTUAL)
    query.run(50)
    assert query.times("slow") == [0, 5_000]


def a_finished_split_is_not_waited_for(folder: Path) -> None:
    write_parquet(folder, "slow", "a", [0, 100])
    write_parquet(folder, "fast", "a", range(0, 2001, 10))
    (folder / "slow" / "_FINISHED").touch()
    query = Told(folder, 4, numSubtasks="1", **aligned(10_000))
    assert ("watermark", 1999) in query.said()


def a_subtask_ahead_of_a_bound_that_fell_reads_nothing(folder: Path) -> None:
    write_parquet(folder, "a", "a", [0, 10_000])
    with coordination() as address:
        group = {**aligned(250), "coordinator": address, "sourcesInGroup": "2"}
        report(Address.parse(address), "g", "other", 10_000)
        query = DrivenFiles(folder, available_now=False, discoveryInterval="0 seconds", **group, **VIRTUAL)
        query.batch()
        query.batch()
        assert query.times("a") == [0, 10_000]
        report(Address.parse(address), "g", "other", 0)
        write_parquet(folder, "b", "a", [100, 200])
        query.batch()
        assert query.planned() == {"a": 2, "b": 0}
        report(Address.parse(address), "g", "other", 20_000)
        query.batch()
        assert query.times("b") == [100, 200]


def two_sources_wait_for_the_slower(folder: Path) -> None:
    write_parquet(folder, "x", "a", range(0, 1001, 10))
    with coordination() as address:
        group = {**aligned(250), "coordinator": address, "sourcesInGroup": "3"}
        report(Address.parse(address), "g", "slow", 99)
        report(Address.parse(address), "g", "fast", 5_000)
        query = DrivenFiles(folder, available_now=False, **group, **VIRTUAL)
        query.batch()
        assert query.times("x")[-1:] == [240]  # its own watermark counts, too: -1 + 250 = 249
        report(Address.parse(address), "g", "slow", MAX)
        query.batch()
        assert query.times("x")[-1] == 480  # 239 + 250, and "slow" at 99 is finished


def a_blocked_split_does_not_become_idle(folder: Path) -> None:
    write_parquet(folder, "fast", "a", [0, 9_000, 90_000])
    write_parquet(folder, "slow", "a", [0])
    query = Told(folder, 4, numSubtasks="2", idleTimeout="2 seconds", **aligned(10_000))
    (folder / "slow" / "_PAUSED").touch()
    for _ in range(6):
        query.batch()
    assert query.said() == [("watermark", 8_999)]


def an_empty_split_becomes_idle_and_active_again(folder: Path) -> None:
    write_parquet(folder, "x", "a", [5])
    query = Told(folder, 7, idleTimeout="3 seconds")
    write_parquet(folder, "x", "b", [50])
    query.batch()
    assert query.said() == [("watermark", 4), ("idle", None), ("active", None), ("watermark", 49)]


def the_end_is_said(folder: Path) -> None:
    write_parquet(folder, "x", "a", [5])
    (folder / "x" / "_FINISHED").touch()
    (folder / "_FINISHED").touch()
    query = Told(folder, 3)
    assert query.said()[-1:] == [("watermark", MAX)]


def a_subtask_without_splits_follows(folder: Path) -> None:
    write_parquet(folder, "a", "1", [5])
    query = Told(folder, 2, numSubtasks="2")
    assert query.said(1) == [("watermark", 4)]


def backlog_is_said(folder: Path) -> None:
    write_parquet(folder, "x", "a", [-100 * SECOND])
    query = Told(folder, 1)
    assert [row["progress"]["backlog"] for row in query.rows()][-1:] == [True]


def nothing(*_: Any) -> list[Any]:
    return []


def of_no_one(self: SourceCoordinators, group: str) -> dict[str, int]:
    return {name: MAX for name, each in self.state().items() if each.group == group}


STATE = SourceSubtask.state


def of_a_new_one(self: SourceSubtask) -> SubtaskState:
    return STATE(SourceSubtask(self._settings))


SABOTAGES: tuple[tuple[type[Any], str, Any, Check], ...] = (
    (SourceSubtask, "announcement", nothing, fast_splits_stay_within_the_drift),
    (SourceSubtask, "limit", property(lambda _: MAX), fast_splits_stay_within_the_drift),
    (SourceSubtask, "report", nothing, a_subtask_ahead_of_a_bound_that_fell_reads_nothing),
    (SourceSubtask, "_blocking", nothing, a_subtask_ahead_of_a_bound_that_fell_reads_nothing),
    (SourceSubtask, "reads_up_to", lambda self, *_: self.limit, the_slowest_reads_on_over_a_gap),
    (SourceSubtask, "finish", nothing, a_finished_split_is_not_waited_for),
    (SourceSubtask, "hold", lambda *_: [], a_blocked_split_does_not_become_idle),
    (SourceSubtask, "advance", nothing, an_empty_split_becomes_idle_and_active_again),
    (SourceSubtask, "record", nothing, an_empty_split_becomes_idle_and_active_again),
    (SourceSubtask, "tick", nothing, an_empty_split_becomes_idle_and_active_again),
    (SourceSubtask, "state", of_a_new_one, an_empty_split_becomes_idle_and_active_again),
    (SourceSubtask, "end_of_input", nothing, the_end_is_said),
    (SourceCoordinators, "minima", of_no_one, two_sources_wait_for_the_slower),
    (SourceCoordinators, "report", nothing, two_sources_wait_for_the_slower),
    (SourceCoordinators, "finish", nothing, two_sources_wait_for_the_slower),
    (InputActivityClock, "pause", nothing, a_blocked_split_does_not_become_idle),
    (InputActivityClock, "advance", nothing, an_empty_split_becomes_idle_and_active_again),
    (WatermarksWithIdleness, "restore", nothing, an_empty_split_becomes_idle_and_active_again),
    (WatermarksWithIdleness, "on_event", nothing, an_empty_split_becomes_idle_and_active_again),
    (LowWatermarkService, "round", nothing, a_subtask_without_splits_follows),
    (LowWatermarkService, "reply", nothing, a_subtask_without_splits_follows),
    (LowWatermarkService, "notify", nothing, a_subtask_without_splits_follows),
    (BacklogDetector, "watermark", nothing, backlog_is_said),
)
"""A class, what of it is broken, how, and the query that shows it."""

CHECKS = sorted({check for *_, check in SABOTAGES}, key=lambda check: check.__name__)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_query_of_the_library_as_it_is(check: Check, tmp_path: Path) -> None:
    check(tmp_path)


@pytest.mark.parametrize(
    ("judged", "method", "broken", "check"),
    [pytest.param(*each, id=f"{each[0].__name__}.{each[1]}") for each in SABOTAGES],
)
def test_a_query_shows_what_is_broken(
    judged: type[Any], method: str, broken: Any, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, method, broken)
    with pytest.raises(AssertionError):
        check(tmp_path)


def unused(*_: Any) -> Any:
    raise RuntimeError("a query called it")


def test_what_the_adapter_leaves_out_no_query_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for judged, methods in (
        (SourceSubtask, ("write",)),
        (SourceCoordinators, ("ready", "failed", "reset", "restart", "state", "restored")),
        (LowWatermarkService, ("join", "leave")),
    ):
        for method in methods:
            monkeypatch.setattr(judged, method, unused)
    for check in CHECKS:
        check(tmp_path / check.__name__)
