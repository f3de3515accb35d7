"""JOB-4 over folders of files: crashes, restarts, and the offsets of checkpoints."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spark_programs.driven_files import (
    SCHEMA,
    VIRTUAL,
    DrivenFiles,
    aligned,
    files_reader,
    read_rows,
    write_parquet,
    write_table,
)
from spark_programs.driven_query import make_reader

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError, sealed


def test_job_4_files_that_appear_later_change_nothing_about_a_batch(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2])
    write_parquet(tmp_path, "x", "m", [3, 4])
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="3")
    query.batch()
    write_parquet(tmp_path, "x", "b", [10])
    write_parquet(tmp_path, "x", "z", [5])
    fresh = files_reader(SCHEMA, **query.options)
    assert [row["time"] for row in read_rows(fresh, query.start, query.log[0])] == [1, 2, 3]


@pytest.mark.parametrize(
    ("seed", "split_by"),
    [
        *((seed, "folder") for seed in range(5)),
        (5, "partNumber"),
        (6, "partNumber"),
        (7, "region"),
        (8, "region"),
    ],
)
def test_job_4_crashes_anywhere_lose_nothing_and_repeat_nothing(
    tmp_path: Path, seed: int, split_by: str
) -> None:
    """With new splits, files of all sizes and finished splits, and the bound checked at each batch."""
    draw = random.Random(seed)
    disorder, drift = draw.choice([0, 30]), draw.choice([0, 50, 400])
    log = GrowingLog(tmp_path, draw, disorder, split_by)
    log.grow()
    query = DrivenFiles(
        tmp_path,
        available_now=False,
        splitBy=split_by,
        numSubtasks=str(draw.randint(1, 3)),
        maxOutOfOrderness=f"{disorder} milliseconds",
        maxRowsPerTrigger=str(draw.choice([1, 9, 50, 1000])),
        discoveryInterval="2 seconds",
        **aligned(drift),
        **VIRTUAL,
    )
    for _ in range(60):
        match draw.randrange(5):
            case 0:
                query.restart()
            case 1:
                query.reader.latestOffset(query.offset, query.limit)  # planned, and not logged
                query.restart()
            case 2:
                query.plan()
                query.restart()  # logged, and not read
            case 3:
                log.grow()
            case 4:
                query.batch()
        if len(query.log) > 1:
            check_bound(query, drift, disorder)
    log.finish()
    for _ in range(4000):
        query.batch()
        if query.planned() == {split: len(times) for split, times in log.times.items()}:
            break
    for split, times in log.times.items():
        assert query.times(split) == times


class GrowingLog:
    """A log of a few splits, whose files come little by little; `times` is what each split has."""

    def __init__(self, folder: Path, draw: random.Random, disorder: int, split_by: str) -> None:
        self.folder, self.draw, self.disorder, self.split_by = folder, draw, disorder, split_by
        self.times: dict[str, list[int | None]] = {}
        self.files = 0

    def grow(self) -> None:
        names = {"folder": "{}", "partNumber": "0000{}", "region": "region={}"}
        for split in map(names[self.split_by].format, self.draw.sample(range(4), 2)):
            times = self.times.setdefault(split, [])
            last = max((time for time in times if time is not None), default=0)
            new: list[int | None] = []
            for _ in range(self.draw.choice([0, 1, 5, 40])):
                last += self.draw.choice([0, 1, 10, 10, 200])
                new.append(last - self.draw.randint(0, self.disorder))
            times += new
            self.files += 1
            below, name = self._place(split)
            hidden = write_parquet(self.folder, below, "_new", new, row_group=self.draw.choice([1, 7, 100]))
            os.utime(hidden, (self.files, self.files))
            hidden.rename(hidden.with_name(name))

    def _place(self, split: str) -> tuple[str, str]:
        """Return folder and name of a file that comes last in a split; names that Spark gives say nothing."""
        job = f"{self.draw.randrange(2**32):08x}"
        if self.split_by == "region":
            return f"hour={self.files // 8}/{split}", f"part-{self.draw.randrange(9):05}-{job}.parquet"
        if self.split_by == "partNumber":
            return "", f"part-{split}-{job}.parquet"
        return split, f"{self.files:04}"

    def finish(self) -> None:
        """Say that no split gets more files."""
        for split in self.times if self.split_by == "folder" else [""]:
            (self.folder / split / "_FINISHED").touch()


def check_bound(query: DrivenFiles, drift: int, disorder: int) -> None:
    """Check that no split is past the bound but those that were the slowest, by one event time."""
    before, after = query.log[-2]["splits"], query.log[-1]["splits"]
    bound = query.log[-1]["bound"]
    for split, position in after.items():
        latest, was = position[9], before.get(split, [None] * 9 + [MIN])[9]
        if latest == was or latest - disorder <= bound:
            continue
        assert was == MIN or was - disorder - 1 <= bound - drift
        read = query.times(split)[-(position[8] - (before[split][8] if split in before else 0)) :]
        assert {max(latest, time or 0) for time in read} == {latest}


@pytest.mark.parametrize(
    "change", [{"path": "/elsewhere"}, {"fileFormat": "json", "pathMoved": "true"}], ids=str
)
def test_job_4_a_checkpoint_of_other_files_is_refused(tmp_path: Path, change: dict[str, str]) -> None:
    write_parquet(tmp_path, "x", "a", [1])
    query = DrivenFiles(tmp_path)
    query.batch()
    other = files_reader(SCHEMA, **{**query.options, **change})
    with pytest.raises(IllegalOffsetError, match="set them as before, set pathMoved to true if"):
        other.latestOffset(query.offset, query.limit)


def test_job_4_a_checkpoint_of_other_event_times_is_refused(tmp_path: Path) -> None:
    """Its watermarks are of them: the first records of the new ones would be late."""
    write_table(tmp_path, "x", "a", pa.table({"time": [1], "id": [1], "made": [9]}))
    query = DrivenFiles(tmp_path, eventTimeUnit="s")
    query.batch()
    for change, named in (
        ({"eventTimeUnit": "us"}, "'time' in s, the options name the column 'time' in us: set"),
        ({"eventTimeColumn": "id"}, "'time' in s, the options name the column 'id' in s: set"),
    ):
        other = files_reader(SCHEMA, **{**query.options, **change})
        with pytest.raises(IllegalOffsetError, match=named):
            other.latestOffset(query.offset, query.limit)
    said = {name: value for name, value in query.offset.items() if name not in ("version", "checksum")}
    del said["event_time"]  # as earlier versions wrote it
    write_table(tmp_path, "x", "b", pa.table({"time": [2], "id": [2]}))
    reader = files_reader(SCHEMA, **{**query.options, "eventTimeUnit": "us"})
    assert reader.latestOffset(sealed(said), query.limit)["event_time"] == "the column 'time' in us"


def test_job_4_the_files_may_move_and_the_subtasks_be_more_or_fewer(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for split in "abcd":
        write_parquet(here, split, "1", range(100))
    query = DrivenFiles(here, numSubtasks="2", maxRowsPerTrigger="50", **aligned(20))
    query.batch()
    query.batch()
    here.rename(there)
    query.options |= {"path": str(there), "pathMoved": "true", "numSubtasks": "4"}
    query.restart()
    query.batch()
    query.batch()
    assert {row["progress"]["subtask"] for row in query.rows()[-50:]} == {0, 1, 2, 3}
    query.options |= {"numSubtasks": "1"}
    query.restart()
    query.run()
    assert {split: query.times(split) for split in "abcd"} == {split: list(range(100)) for split in "abcd"}


def test_the_subtasks_that_operators_wait_for_stay_as_many(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1])
    query = DrivenFiles(tmp_path, numSubtasks="2", inBandWatermarks="true", idleTimeout="1 second")
    query.batch()
    query.options["numSubtasks"] = "3"
    with pytest.raises(IllegalOffsetError, match="of 2 subtasks, numSubtasks is 3: with inBandWatermarks"):
        query.restart()


def test_an_offset_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    files, numbers = DrivenFiles(tmp_path), make_reader()
    with pytest.raises(IllegalOffsetError, match="not one of a source over files"):
        files.reader.latestOffset(numbers.initialOffset(), files.limit)
    with pytest.raises(IllegalOffsetError, match="not one of this source"):
        numbers.latestOffset(files.start, files.limit)


def test_a_damaged_offset_is_refused_whatever_was_changed(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(20), row_group=5)
    write_parquet(tmp_path, "y", "a", range(20))
    query = DrivenFiles(tmp_path, numSubtasks="2", maxRowsPerTrigger="13")
    query.batch()
    damaged = list(_damaged(query.offset))
    assert len(damaged) > 40
    for offset in damaged:
        with pytest.raises(IllegalOffsetError, match="checkpoint"):
            files_reader(SCHEMA, **query.options).latestOffset(offset, query.limit)


def _damaged(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each with one change in it."""
    if isinstance(value, dict):
        for key in value:
            yield {name: each for name, each in value.items() if name != key}
            for changed in _damaged(value[key]):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for index in range(len(value)):
            yield [*value[:index], *value[index + 1 :]]
            for changed in _damaged(value[index]):
                yield [*value[:index], changed, *value[index + 1 :]]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield str(value)
    elif isinstance(value, str):
        yield value + "x"


def test_offsets_that_do_not_follow_one_another_are_refused(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(20))
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="5")
    query.run()
    with pytest.raises(IllegalOffsetError, match="two offsets that do not follow one another"):
        query.reader.partitions(query.log[0], query.log[2])
    assert query.reader.partitions(query.log[1], query.log[1]) == []


def test_signals_of_another_form_are_refused_in_one_line(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2])
    query = DrivenFiles(tmp_path, idleTimeout="1 minute", maxRowsPerTrigger="1", **VIRTUAL)
    query.batch()
    (subtask,) = query.offset["signals"]["state"]["subtasks"]
    signals = query.offset["signals"]
    signals = {**signals, "state": {**signals["state"], "subtasks": [subtask[:-1]]}}
    stored = {name: each for name, each in query.offset.items() if name not in ("version", "checksum")}
    with pytest.raises(IllegalOffsetError, match=r"another form of what subtasks said .* new checkpoint"):
        query.reader.latestOffset(sealed({**stored, "signals": signals}), query.limit)
