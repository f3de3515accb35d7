"""`GrowingLog`: an event log that is read while it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from written_logs import written

from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.monitor import growing_log
from tidegauge_pipeline.monitor.growing_log import GrowingLog

LINES = [
    json.dumps(row) + "\n"
    for row in written([{"kind": "watermark", "event_time": at} for at in range(1, 7)]).to_pylist()
]


def sequences(log: GrowingLog) -> list[int]:
    return list(log.poll()["sequence"].to_pylist())


def test_lines_are_read_once_and_a_line_without_its_end_waits(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("")
    log = GrowingLog(tmp_path)
    assert sequences(log) == []
    file.write_text(LINES[0] + LINES[1][:30])
    assert sequences(log) == [1]
    assert sequences(log) == []
    file.write_text("".join(LINES[:3]))
    assert sequences(log) == [2, 3]
    assert GrowingLog(file).poll()["sequence"].to_pylist() == [1, 2, 3]


def test_files_that_appear_are_read_once(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    assert sequences(log) == []
    rows = written([{"kind": "watermark", "event_time": at} for at in range(4)])
    (tmp_path / "source=orders").mkdir()
    pq.write_table(rows.slice(0, 2).drop_columns("source"), tmp_path / "source=orders" / "0.parquet")
    (tmp_path / "_1.parquet.unfinished").write_bytes(b"PAR1")
    table = log.poll()
    assert (table["sequence"].to_pylist(), set(table["source"].to_pylist())) == ([1, 2], {"orders"})
    pq.write_table(rows.slice(2), tmp_path / "1.parquet")
    assert sequences(log) == [3, 4]
    assert sequences(log) == []


def test_a_file_that_is_still_written_waits(tmp_path: Path) -> None:
    pq.write_table(written([{"kind": "idle"}]), tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    (tmp_path / "whole").unlink()
    log = GrowingLog(tmp_path)
    (tmp_path / "0.parquet").write_bytes(whole[:100])
    assert (sequences(log), log.waits) == ([], True)
    (tmp_path / "0.parquet").write_bytes(whole[:200])
    assert (sequences(log), log.waits) == ([], True)
    (tmp_path / "0.parquet").write_bytes(whole)
    assert (sequences(log), log.waits) == ([1], False)


def test_a_bad_file_is_refused_or_skipped_once(tmp_path: Path) -> None:
    (tmp_path / "0.parquet").write_bytes(b"PAR1")
    (tmp_path / "1.jsonl").write_text(LINES[0])
    (tmp_path / "2.jsonl").write_text("{}\n")
    log = GrowingLog(tmp_path)
    with pytest.raises(BadInput, match=r"2\.jsonl: no column 'job'.*; --skip-bad-files reads the others"):
        log.poll()
    skipped: list[str] = []
    log = GrowingLog(tmp_path, skipped.append)
    assert [sequences(log) for _ in range(3)] == [[1], [], []]
    assert [problem.split(":")[0].rpartition("/")[2] for problem in skipped] == ["2.jsonl", "0.parquet"]


def test_a_file_that_was_replaced_is_read_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(LINES[:3]))
    log = GrowingLog(tmp_path)
    assert sequences(log) == [1, 2, 3]
    file.write_text(LINES[0])
    assert sequences(log) == [1]


def test_a_poll_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_log, "MOST_BYTES", 2 * len(LINES[0]) + 10)
    monkeypatch.setattr(growing_log, "MOST_ROWS", 3)
    (tmp_path / "log.jsonl").write_text("".join(LINES))
    log = GrowingLog(tmp_path)
    assert [sequences(log) for _ in range(3)] == [[1, 2, 3, 4], [5, 6], []]
    (tmp_path / "long.jsonl").write_text(" " * 1000)
    with pytest.raises(BadInput, match=r"long\.jsonl: has a line of more than"):
        log.poll()


def test_what_cannot_be_followed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        GrowingLog(tmp_path / "absent")
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(BadInput, match="is a Delta table, which cannot be followed: use check-log"):
        GrowingLog(tmp_path)
