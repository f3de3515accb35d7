"""Files that are read, and late ones that sort among them: nothing is lost or read again unsaid."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from spark_programs.driven_files import VIRTUAL, DrivenFiles, write_parquet

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.files.folder.log_files import LostFileError

ONE_SPLIT = {"splitBy": "none", "discoveryInterval": "0 seconds", **VIRTUAL}


def put(folder: Path, below: str, job: str, times: list[int | None], at: int) -> Path:
    """Write a file that was modified at a moment (s)."""
    file = write_parquet(folder, below, f"part-00000-{job}.parquet", times)
    os.utime(file, (at, at))
    return file


def read_three(folder: Path, *below: str, available_now: bool = True) -> DrivenFiles:
    """Return a query that has read three files."""
    for at in (1, 2, 3):
        put(folder, below[at - 1] if below else "", f"j{at}", [at], at)
    query = DrivenFiles(folder, available_now=available_now, **ONE_SPLIT)
    query.batch()
    query.commit()
    assert query.times("all") == [1, 2, 3]
    return query


@pytest.mark.parametrize(("removed", "at", "why"), [(1, 50, "is newer than all"), (1, 2, "are not those")])
@pytest.mark.parametrize("restarted", [True, False])
def test_a_late_file_is_an_error_though_others_were_removed(
    tmp_path: Path, removed: int, at: int, why: str, restarted: bool
) -> None:
    query = read_three(tmp_path, "day=1", "day=2", "day=3", available_now=False)
    shutil.rmtree(tmp_path / f"day={removed}")
    put(tmp_path, "day=2", "late", [777], at)
    put(tmp_path, "day=4", "j4", [4], 60)
    if restarted:
        query.restart()
    with pytest.raises(BrokenLogError, match=f"a file was added to the split 'all' .* {why}"):
        query.batch()


def test_read_files_may_be_removed_from_any_place(tmp_path: Path) -> None:
    query = read_three(tmp_path, "day=1", "day=2", "day=3", available_now=False)
    for day in (2, 3, 1):
        shutil.rmtree(tmp_path / f"day={day}")
        query.restart()
        query.batch()
    put(tmp_path, "day=4", "j4", [4], 60)
    query.batch()
    assert query.times("all") == [1, 2, 3, 4]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("restarted", [True, False])
def test_a_file_that_was_read_and_is_touched_is_not_read_again(
    tmp_path: Path, number: int, restarted: bool
) -> None:
    query = read_three(tmp_path, available_now=False)
    os.utime(tmp_path / f"part-00000-j{number}.parquet", (90, 90))
    put(tmp_path, "", "j4", [4], 60)
    if restarted:
        query.restart()
    with pytest.raises(BrokenLogError, match=f"j{number}.parquet' was modified after it was found"):
        query.batch()


def test_files_that_were_read_may_not_change_while_the_query_runs(tmp_path: Path) -> None:
    query = read_three(tmp_path / "touched", available_now=False)
    (tmp_path / "touched" / "part-00000-j3.parquet").unlink()
    for number in (1, 2):
        os.utime(tmp_path / "touched" / f"part-00000-j{number}.parquet", (50, 50))
    with pytest.raises(BrokenLogError, match=r"j1.parquet' was modified .* that time \(1000000000 ns"):
        query.batch()
    query = read_three(tmp_path / "longer", available_now=False)
    put(tmp_path / "longer", "", "j1", list(range(100)), 1)
    with pytest.raises(BrokenLogError, match=r"j1.parquet' has changed from \d+ to \d+ bytes"):
        query.batch()


@pytest.mark.parametrize("fail", ["true", "false"])
def test_a_split_that_vanishes_unread_is_an_error_unless_it_may(tmp_path: Path, fail: str) -> None:
    put(tmp_path, "region=eu", "a", [1, 2], 1)
    put(tmp_path, "region=eu", "b", [3, 4], 2)
    options = {**ONE_SPLIT, "splitBy": "region", "maxRowsPerTrigger": "2", "failOnDataLoss": fail}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.commit()
    shutil.rmtree(tmp_path / "region=eu")
    put(tmp_path, "region=us", "a", [9], 3)
    query.restart()
    if fail == "true":
        with pytest.raises(LostFileError, match="files of the split 'region=eu' .* have vanished before"):
            query.batch()
    else:
        query.batch()
        assert query.planned() == {"region=eu": 2, "region=us": 1}


@pytest.mark.parametrize("fail", ["true", "false"])
def test_a_finished_split_stays_finished_when_its_folder_is_removed(tmp_path: Path, fail: str) -> None:
    put(tmp_path, "region=eu", "a", [10], 1)
    put(tmp_path, "region=us", "a", [20], 1)
    (tmp_path / "region=eu" / "_FINISHED").touch()
    options = {**ONE_SPLIT, "splitBy": "region", "failOnDataLoss": fail}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.commit()
    shutil.rmtree(tmp_path / "region=eu")
    put(tmp_path, "region=us", "b", [500], 2)
    query.restart()
    query.batch()
    assert query.offset["watermarks"] == [499]
