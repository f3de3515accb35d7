"""Splits of files under alignment, batch by batch, and to which subtasks they go.

Expectations are worked out by hand. Times are in ms; a split stands at the greatest event time it has planned,
minus the bound on the disorder, minus 1, and before its first record at what that one will make of it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from spark_programs.driven_files import VIRTUAL, DrivenFiles, aligned, write_parquet
from spark_programs.driven_query import WallClock

from tidegauge_spark import coordination
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.group_coordination.client import Address, report

# ALIGN and SOURCE: the rules, batch by batch


def test_source_1_no_split_is_planned_past_the_bound(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, numSubtasks="2", **aligned(250), **VIRTUAL)
    assert query.batch()
    assert query.offset["bound"] == 249  # -1 + 250
    assert query.batch_times() == {"slow": [0, 100, 200], "fast": list(range(250))}
    assert query.batch()
    assert query.offset["bound"] == 449  # 199 + 250
    assert query.batch_times() == {"slow": [300, 400], "fast": list(range(250, 450))}
    query.run()
    assert (len(query.times("slow")), len(query.times("fast"))) == (11, 1001)


@pytest.mark.parametrize("by_split", ["true", "false"])
def test_a_source_alone_in_its_group_raises_the_bound_while_it_plans(tmp_path: Path, by_split: str) -> None:
    for split in ("x", "y"):
        write_parquet(tmp_path, split, "a", range(0, 10_000, 10))
    options = {**aligned(100, splitAlignment=by_split), "updateInterval": "", **VIRTUAL}
    query = DrivenFiles(tmp_path, numSubtasks="2", **options)
    assert query.batch()
    reached = [query.times(split)[-1] for split in ("x", "y")]
    assert min(reached) >= 15 * 90
    assert max(reached) - min(reached) <= 100
    query.run()
    assert [query.times(split) for split in ("x", "y")] == [list(range(0, 10_000, 10))] * 2


def test_source_9_part_2_bounds_each_split_of_a_subtask(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, **aligned(250), **VIRTUAL)
    assert query.batch()
    assert query.batch_times() == {"slow": [0, 100, 200], "fast": list(range(250))}


def test_part_1_bounds_the_subtask_by_its_slowest_split_only(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a-slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "b-slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "c-fast", "a", range(50, 1001))
    query = DrivenFiles(tmp_path, numSubtasks="2", splitAlignment="false", **aligned(250), **VIRTUAL)
    assert query.batch()  # the bound is 249; "a-slow" and "c-fast" are of the same subtask
    assert query.batch_times() == {
        "a-slow": [0, 100, 200],
        "b-slow": [0, 100, 200],
        "c-fast": list(range(50, 1001)),
    }
    assert query.offset["watermarks"] == [199, 199]


def test_part_1_blocks_a_subtask_that_is_ahead_with_all_its_splits(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [100, 1000, 1001])
    write_parquet(tmp_path, "b", "a", [0, 10, 2000])
    write_parquet(tmp_path, "c", "a", [101, 1100, 1101])
    query = DrivenFiles(
        tmp_path, available_now=False, numSubtasks="2", splitAlignment="false", **aligned(50), **VIRTUAL
    )
    batches = []
    for _ in range(5):
        query.batch()
        batches.append(query.batch_times())
    assert batches == [
        {"b": [0, 10]},  # the bound is 49, and the other subtask is at 99
        {"b": [2000]},  # it holds the minimum, 9
        {"a": [100], "c": [101, 1100, 1101]},  # "a" is the slowest of its subtask, "c" is not
        {"a": [1000]},
        {"a": [1001]},
    ]


def test_source_2_the_slowest_reads_its_next_record_however_far_it_is(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [0, 10_000, 10_000, 10_001])
    write_parquet(tmp_path, "b", "a", [1, 9_000, 9_001, 20_000])
    query = DrivenFiles(tmp_path, **aligned(0), **VIRTUAL)
    batches = []
    while query.batch():
        batches.append(query.batch_times())
    assert batches == [
        {"a": [0]},
        {"a": [10_000, 10_000]},
        {"b": [1]},
        {"b": [9_000]},
        {"b": [9_001]},
        {"b": [20_000]},
        {"a": [10_001]},
    ]


def test_source_1_a_split_that_is_ahead_does_not_read_late_records(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [0, 10_000, 5, 6, 10_000], row_group=2)
    write_parquet(tmp_path, "b", "a", [1, 9_000])
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="1", **aligned(0), **VIRTUAL)
    query.run()
    times = [(row["progress"]["split"], row["time"]) for row in query.rows()]
    assert times == [("a", 0), ("a", 10_000), ("b", 1), ("b", 9_000), ("a", 5), ("a", 6), ("a", 10_000)]


def test_align_1_a_split_counts_before_its_first_record(tmp_path: Path) -> None:
    write_parquet(tmp_path, "late", "a", [50_000])
    write_parquet(tmp_path, "early", "a", range(0, 60_000, 1000))
    query = DrivenFiles(tmp_path, **aligned(10_000), **VIRTUAL)
    query.run()
    assert len(query.rows()) == 61
    log = [(offset["bound"], offset["watermarks"][0]) for offset in query.log]
    assert log[:2] == [(9_999, MIN), (18_999, MIN)]  # nothing of "late", which is not waited for
    assert log[-1][1] == 49_999


def test_source_1_disorder_is_allowed_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [1000, 1100, 1050, 1200])
    write_parquet(tmp_path, "fast", "a", [1000, 1400, 1150, 1401, 1300])
    query = DrivenFiles(tmp_path, maxOutOfOrderness="200 milliseconds", **aligned(401), **VIRTUAL)
    assert query.batch()  # 1000 - 200 - 1 + 401: event times up to 1400
    assert query.offset["bound"] == 1200
    assert query.batch_times() == {"slow": [1000, 1100, 1050, 1200], "fast": [1000, 1400, 1150]}
    assert query.offset["watermarks"] == [999]
    query.run()
    assert query.times("fast") == [1000, 1400, 1150, 1401, 1300]


def test_source_4_without_alignment_nobody_is_held_back(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0])
    write_parquet(tmp_path, "fast", "a", [10**12, 10**15])
    query = DrivenFiles(tmp_path, available_now=False)
    assert query.batch()
    assert query.batch_times() == {"slow": [0], "fast": [10**12, 10**15]}
    assert query.offset["bound"] is None


def test_a_split_that_has_caught_up_is_waited_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", range(0, 1001, 10))
    options = {"discoveryInterval": "5 seconds", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.batch()
    assert query.times("fast")[-1] == 340  # 99 + 250
    write_parquet(tmp_path, "slow", "b", [200])
    query.batch()
    query.batch()
    query.batch()
    assert query.batch_times() == {}
    query.batch()  # at 6 s: the listing of 1 s is 5 s old
    assert query.batch_times() == {"slow": [200]}
    query.batch()
    assert query.times("fast")[-1] == 440


def test_align_5_a_split_that_is_finished_is_not_waited_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", range(0, 1001, 10))
    (tmp_path / "slow" / "_FINISHED").touch()
    query = DrivenFiles(tmp_path, available_now=False, **aligned(250), **VIRTUAL)
    for _ in range(5):
        query.batch()
    assert query.times("fast")[-1] == 1000
    assert query.offset["watermarks"] == [999]
    shutil.rmtree(tmp_path / "slow")
    query.restart()
    query.batch()


def test_a_split_that_is_finished_later_is_remembered(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [0])
    query = DrivenFiles(tmp_path, WallClock(), available_now=False, discoveryInterval="0 seconds")
    query.batch()
    (tmp_path / "x" / "_FINISHED").touch()
    query.restart()
    assert query.batch()
    assert (query.rows("x")[1:], query.finished("x")) == ([], True)
    shutil.rmtree(tmp_path / "x")
    query.restart()
    assert not query.batch()
    write_parquet(tmp_path, "y", "a", [7])
    query.restart()
    query.batch()
    assert query.planned() == {"y": 1}
    write_parquet(tmp_path, "x", "a", [8])
    query.restart()
    query.batch()
    assert query.times("x") == [0, 8]  # it is a new one, of the same name


def test_source_6_a_slow_split_that_comes_later_does_not_lower_the_watermark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(0, 1001, 100))
    options = {"discoveryInterval": "1 second", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.batch()
    assert query.offset["watermarks"] == [399]
    write_parquet(tmp_path, "y", "a", [0, 50, 600, 700])
    query.batch()
    assert query.offset["bound"] == 649
    assert query.batch_times() == {"x": [500, 600], "y": [0, 50, 600]}
    assert query.offset["watermarks"] == [599]


def test_source_6_a_split_without_a_record_holds_the_watermark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(0, 2001, 100))
    options = {"discoveryInterval": "1 second", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    (tmp_path / "y").mkdir()
    for _ in range(3):
        query.batch()
    assert query.times("x")[-1] == 400
    assert (query.offset["bound"], query.offset["watermarks"]) == (449, [199])


def test_an_update_interval_keeps_the_bound(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, **aligned(250, updateInterval="3 seconds"), **VIRTUAL)
    for _ in range(7):
        query.batch()
    assert [offset["bound"] for offset in query.log] == [249, 249, 249, 449, 449, 449, 649]


# Splits and subtasks


def test_new_splits_go_to_the_subtasks_that_have_the_fewest(tmp_path: Path) -> None:
    for split in "bdac":
        write_parquet(tmp_path, split, "a", [0])
    (tmp_path / "b" / "_FINISHED").touch()
    query = DrivenFiles(
        tmp_path, WallClock(), available_now=False, numSubtasks="3", discoveryInterval="0 seconds"
    )
    query.batch()
    assert _subtasks(query) == {"a": 0, "b": 1, "c": 2, "d": 0}
    for split in ("A", "e"):
        write_parquet(tmp_path, split, "a", [0])
    query.restart()
    query.batch()
    assert _subtasks(query) == {"a": 0, "b": 1, "c": 2, "d": 0, "A": 1, "e": 1}


def _subtasks(query: DrivenFiles) -> dict[str, int]:
    return {split: position[0] for split, position in query.offset["splits"].items()}


def test_discovery_in_the_background_finds_what_is_new(tmp_path: Path) -> None:
    clock = WallClock()
    write_parquet(tmp_path, "x", "a", [0])
    query = DrivenFiles(tmp_path, clock, available_now=False, discoveryInterval="1 second")
    query.batch()
    write_parquet(tmp_path, "y", "a", [1])
    clock.now += 999
    assert not query.batch()
    assert query.reader._discovery._coming is None
    clock.now += 1
    query.batch()
    while not query.batch():
        pass
    assert query.batch_times() == {"y": [1]}
    query.reader.stop()


def test_what_cannot_be_planned_is_not_tried_again_until_something_is_different(tmp_path: Path) -> None:
    clock = WallClock()
    write_parquet(tmp_path, "x", "a", [1, 1000])
    write_parquet(tmp_path, "y", "a", [0])
    query = DrivenFiles(tmp_path, clock, available_now=False, **aligned(250))
    assert query.batch()
    plannings = []
    planning = query.reader._planning_of
    query.reader._planning_of = lambda *arguments: plannings.append(arguments) or planning(*arguments)
    for _ in range(5):
        assert not query.batch()
        clock.now += 10
    assert len(plannings) == 1


def test_what_could_not_be_planned_is_when_the_group_has_moved(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [0, 1000])
    with coordination() as address:
        group = {**aligned(250), "updateInterval": "", "coordinator": address}
        query = DrivenFiles(tmp_path, WallClock(), available_now=False, **group)
        report(Address.parse(address), "g", "other", -2)
        assert query.batch()
        assert not query.batch()
        assert not query.batch()
        report(Address.parse(address), "g", "other", 750)
        assert query.batch()
    assert query.times("x") == [0, 1000]
