"""Files that are renamed or compacted after they were read: the query fails and reads no row twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from spark_programs.driven_files import VIRTUAL, DrivenFiles, write_json, write_parquet

from tidegauge_spark import BrokenLogError
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.recent_files import MOST_FILES, RecentFile, stamp_of, unpacked, with_file


def write_lines(folder: Path, split: str, name: str, times: list[int]) -> Path:
    """Write a file of JSON lines with an event time and an id, like `write_parquet`."""
    return write_json(folder, split, name, [{"time": time, "id": row} for row, time in enumerate(times)])


FORMATS = {"parquet": write_parquet, "json": write_lines}


def query_of(folder: Path, format_: str, files: int) -> DrivenFiles:
    """Return a query that has read files of a split: number n has the event times 10n and 10n + 1."""
    for n in range(files):
        FORMATS[format_](folder, "split", f"{n:03}", [10 * n, 10 * n + 1])
    query = DrivenFiles(
        folder, available_now=False, fileFormat=format_, discoveryInterval="0 seconds", **VIRTUAL
    )
    query.batch()
    query.commit()
    assert query.planned() == {"split": 2 * files}
    return query


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("restarted", [True, False])
@pytest.mark.parametrize("number", [0, 2])
def test_a_file_that_was_read_and_renamed_is_not_read_again(
    tmp_path: Path, format_: str, restarted: bool, number: int
) -> None:
    query = query_of(tmp_path, format_, 3)
    (tmp_path / "split" / f"{number:03}").rename(tmp_path / "split" / "renamed")
    if restarted:
        query.restart()
    with pytest.raises(
        BrokenLogError, match=r"split/renamed' .* it was renamed, .*; give it its former name"
    ):
        query.batch()
    (tmp_path / "split" / "renamed").rename(tmp_path / "split" / f"{number:03}")
    FORMATS[format_](tmp_path, "split", "003", [30])
    query.restart()
    query.batch()
    assert query.planned() == {"split": 7}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("restarted", [True, False])
@pytest.mark.parametrize("compacted", [(0, 1, 2), (1, 2), (0, 1), (2,)])
def test_files_that_were_read_and_compacted_are_not_read_again(
    tmp_path: Path, format_: str, restarted: bool, compacted: tuple[int, ...]
) -> None:
    query = query_of(tmp_path, format_, 3)
    for n in compacted:
        (tmp_path / "split" / f"{n:03}").unlink()
    FORMATS[format_](tmp_path, "split", "compact", [10 * n + row for n in compacted for row in range(2)])
    if restarted:
        query.restart()
    said = "a file that was" if len(compacted) == 1 else f"{len(compacted)} files together that were"
    with pytest.raises(
        BrokenLogError,
        match=rf"split/compact' has {2 * len(compacted)} rows .* like {said} read and removed: .* compacted",
    ):
        query.batch()


@pytest.mark.parametrize("times", [[20], [21, 22], [3, 5], [19, 21, 30, 31]])
def test_a_late_file_may_come_while_read_files_are_deleted(tmp_path: Path, times: list[int]) -> None:
    query = query_of(tmp_path, "parquet", 3)
    for n in range(3):
        (tmp_path / "split" / f"{n:03}").unlink()
    write_parquet(tmp_path, "split", "new", times)
    query.batch()
    assert query.planned() == {"split": 6 + len(times)}


def test_the_offset_has_the_last_files_alone() -> None:
    packed = ""
    for n in range(100):
        packed = with_file(packed, RecentFile(n, rows=n, latest=MIN if n == 99 else n))
    assert [each.stamp for each in unpacked(packed)] == list(range(100 - MOST_FILES, 100))
    assert unpacked(packed)[-1] == RecentFile(99, rows=99, latest=MIN)
    assert len(packed) < 400


def test_whole_seconds_tell_no_files_apart() -> None:
    assert stamp_of(10, 1_700_000_000_000_000_000) == 0
    assert stamp_of(10, 1_700_000_000_000_000_001) != stamp_of(11, 1_700_000_000_000_000_001)


def test_a_position_of_an_earlier_version_has_no_recent_files() -> None:
    stored = list(FilePosition(0, "a", 10))[:-1]
    assert FilePosition.from_json(stored).recent == ""
    with pytest.raises(ValueError, match="not a position"):
        FilePosition.from_json([*stored, 7])
