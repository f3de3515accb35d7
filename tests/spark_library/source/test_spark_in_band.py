"""What sources say in band: watermarks, idleness on the activity clock, low watermarks, backlog."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark_programs.driven_files import SCHEMA, DrivenFiles, write_parquet

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.files.reader import AlignedFilesReader
from tidegauge_spark.source.options.source import parse_options

SECOND = 1_000


class Told(DrivenFiles):
    """Files with in-band rows on a virtual clock of one second a batch."""

    def __init__(self, folder: Path, **options: str) -> None:
        defaults = {
            "inBandWatermarks": "true",
            "clockStep": "1 second",
            "discoveryInterval": "0 seconds",
            "sourceName": "s",
        }
        super().__init__(folder, available_now=False, **{**defaults, **options})

    def said(self, subtask: int = 0) -> list[tuple[int, str, int | None]]:
        """Time of the batch (s), kind and timestamp of all that a subtask said."""
        return [
            (row["progress"]["planned_at"] // SECOND, row["progress"]["kind"], row["progress"]["timestamp"])
            for row in self.rows()
            if row["progress"]["kind"] != "record" and row["progress"]["subtask"] == subtask
        ]

    def batches_until(self, seconds: int) -> None:
        """Run until that time of the virtual clock."""
        while self.now < seconds * SECOND:
            assert self.batch()


def test_a_watermark_follows_the_records_of_its_batch(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5, 9])
    query = Told(tmp_path)
    query.batches_until(2)
    kinds = [(row["progress"]["kind"], row["time"], row["progress"]["timestamp"]) for row in query.rows()]
    assert kinds == [("record", 5, 5), ("record", 9, 9), ("watermark", None, 8)]


def test_an_empty_split_becomes_idle_after_the_timeout_and_is_active_again(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    query = Told(tmp_path, idleTimeout="3 seconds")
    query.batches_until(7)
    assert query.said() == [(1, "watermark", 4), (5, "idle", None)]
    write_parquet(tmp_path, "x", "b", [50])
    query.batches_until(8)
    assert query.said()[2:] == [(8, "active", None), (8, "watermark", 49)]


def test_a_split_that_is_held_back_by_hand_does_not_become_idle(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    query = Told(tmp_path, idleTimeout="3 seconds")
    query.batches_until(1)
    (tmp_path / "x" / "_PAUSED").touch()
    query.batches_until(10)
    write_parquet(tmp_path, "x", "b", [50])
    query.batches_until(20)
    (tmp_path / "x" / "_PAUSED").unlink()
    query.batches_until(21)
    assert query.said() == [(1, "watermark", 4), (21, "watermark", 49)]


def test_a_split_blocked_by_alignment_does_not_become_idle_and_an_idle_one_is_not_waited_for(
    tmp_path: Path,
) -> None:
    write_parquet(tmp_path, "fast", "a", [0, 9_000, 90_000])
    write_parquet(tmp_path, "slow", "a", [0])
    query = Told(
        tmp_path,
        numSubtasks="2",
        idleTimeout="3 seconds",
        watermarkGroup="g",
        maxAllowedWatermarkDrift="10 seconds",
    )
    query.batches_until(4)
    assert query.times("fast") == [0, 9_000]
    assert query.said(0) == [(1, "watermark", 8_999)]
    query.batches_until(6)
    assert query.said(1) == [(1, "watermark", -1), (5, "idle", None)]
    assert query.times("fast") == [0, 9_000, 90_000]  # SOURCE-8


def test_a_restart_goes_on_with_the_countdown(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    query = Told(tmp_path, idleTimeout="3 seconds")
    query.batches_until(3)
    query.restart()
    query.batches_until(6)
    assert query.said() == [(1, "watermark", 4), (5, "idle", None)]


def test_a_subtask_without_splits_emits_the_low_watermark_and_gets_splits_later(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "1", [5])
    query = Told(tmp_path, numSubtasks="2")
    query.batches_until(2)
    write_parquet(tmp_path, "a", "2", [70])
    query.batches_until(4)
    write_parquet(tmp_path, "b", "1", [90])
    query.batches_until(5)
    assert query.said(0) == [(1, "watermark", 4), (3, "watermark", 69)]
    # LOW-13: it follows; with a split of its own it speaks for itself.
    assert query.said(1) == [(1, "watermark", 4), (3, "watermark", 69), (5, "watermark", 89)]


def test_all_is_said_when_there_will_be_no_more_splits(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    (tmp_path / "x" / "_FINISHED").touch()
    query = Told(tmp_path)
    query.batches_until(2)
    assert query.said() == [(1, "watermark", 4), (1, "idle", None)]
    (tmp_path / "_FINISHED").touch()
    query.batches_until(3)
    assert query.said()[2:] == [(3, "active", None), (3, "watermark", MAX)]
    assert not query.batch()


def test_backlog_is_said_once_until_it_is_caught_up(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [-100 * SECOND])
    query = Lagging(tmp_path)
    query.batches_until(1)
    write_parquet(tmp_path, "x", "b", [1_500])
    query.batches_until(2)
    write_parquet(tmp_path, "x", "c", [2_500])
    query.batches_until(3)
    told = [(row["progress"]["kind"], row["progress"]["backlog"]) for row in query.rows()]
    assert told == [
        ("record", None),
        ("watermark", None),
        ("record-attributes", True),
        ("record", True),
        ("watermark", True),
        ("record-attributes", False),
        ("record", False),
        ("watermark", False),
    ]


class Lagging(Told):
    """With a threshold of the job."""

    def _new_reader(self) -> Any:
        return AlignedFilesReader(parse_options(self.options, 10 * SECOND), SCHEMA)


def test_a_batch_is_larger_while_there_is_a_backlog(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [*range(-100_000, -99_990), *range(900, 910)])
    query = Lagging(tmp_path, maxRowsPerTrigger="2", maxRowsPerTriggerInBacklog="12")
    query.batches_until(4)
    assert [len(query.batch_times(batch)["x"]) for batch in range(4)] == [2, 12, 2, 2]
