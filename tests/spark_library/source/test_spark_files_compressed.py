"""Compressed JSON lines files: each is read once, regardless of reader and order."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from spark_programs.driven_files import DrivenFiles, query_of_inferred

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.files import text_lines


def zstd(content: bytes) -> bytes:
    """Return bytes as one zstd frame."""
    with pa.BufferOutputStream() as compressed:
        with pa.CompressedOutputStream(compressed, "zstd") as stream:
            stream.write(content)
        return bytes(compressed.getvalue().to_pybytes())


COMPRESSIONS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstd}


def lines(first: int, rows: int) -> bytes:
    """Return JSON lines with consecutive event times and ids, starting at a number."""
    return b"".join(
        json.dumps({"time": row, "id": row, "more": "é" * 99}).encode() + b"\n"
        for row in range(first, first + rows)
    )


@pytest.mark.parametrize("ending", COMPRESSIONS)
def test_compressed_lines_are_read_once_each(tmp_path: Path, ending: str) -> None:
    compress = COMPRESSIONS[ending]
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / f"a.json.{ending}").write_bytes(
        compress(lines(0, 3_000)) + compress(lines(3_000, 2_000))
    )
    (tmp_path / "x" / f"b.json.{ending}").write_bytes(compress(lines(5_000, 1).rstrip()))
    (tmp_path / "x" / f"c.json.{ending}").write_bytes(compress(b""))
    (tmp_path / "x" / "d.json").write_bytes(lines(5_001, 1))
    query = DrivenFiles(tmp_path, fileFormat="json", maxRowsPerTrigger="999")
    query.run()
    assert [row["id"] for row in query.rows()] == list(range(5_002))
    assert query.offset["watermarks"] == [5_000]
    assert len({each[2] for offset in query.log for each in offset["slices"]["x"]}) > 2


def test_rows_that_are_read_again_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "BLOCK", 10_000)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.json.gz").write_bytes(gzip.compress(lines(0, 3_000)))
    query = DrivenFiles(tmp_path, fileFormat="json", maxRowsPerTrigger="701")
    query.run()
    once = query.rows()
    for batch in reversed(range(1, len(query.log))):
        (partition,) = query.reader.partitions(query.log[batch - 1], query.log[batch])
        again = [row for rows in query.reader.read(partition) for row in rows.to_pylist()]
        assert again == [row for row in once if row in again]
        assert len(again) <= 701
    assert [row["id"] for row in once] == list(range(3_000))


def test_the_text_is_decompressed_once_for_all_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_lines, "BLOCK", 10_000)
    content = lines(0, 3_000)
    file = tmp_path / "a.json.gz"
    file.write_bytes(gzip.compress(content))
    skipped: list[int] = []
    skip: Callable[..., None] = text_lines._Text.skip
    monkeypatch.setattr(text_lines._Text, "skip", lambda text, size: (skipped.append(size), skip(text, size)))
    texts, end, last = [], 0, False
    while not last:
        with pa.OSFile(str(file)) as opened:
            text, end, last = text_lines.whole_lines(opened, repr(str(file)), end)
        texts.append(text)
    assert b"".join(texts) == content
    assert len(texts) > 30
    assert skipped == [0]


def test_a_compressed_file_that_is_cut_off_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    file = tmp_path / "x" / "a.json.gz"
    file.write_bytes(gzip.compress(lines(0, 100))[:-12])
    message = r"x/a.json.gz' is not JSON lines, or is damaged or cut off \(Truncated compressed stream\)"
    with pytest.raises(BrokenLogError, match=message):
        DrivenFiles(tmp_path, fileFormat="json").run()
    file.write_bytes(lines(0, 100))
    with pytest.raises(BrokenLogError, match=r"x/a.json.gz' is not JSON lines, or is damaged"):
        query_of_inferred(tmp_path, fileFormat="json")
    file.rename(file.with_suffix(".lz4"))
    with pytest.raises(
        BrokenLogError, match=r"x/a.json.lz4' is compressed as its ending .lz4 says, and only .gz"
    ):
        query_of_inferred(tmp_path, fileFormat="json")
