"""Checkpoints of the kit's queries are written without checksum files, those of users' queries with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery
from tidegauge_adapters.spark.streaming.streaming_processors import StreamingProcessors
from tidegauge_adapters.spark_session.checksums import without_checksums
from tidegauge_adapters.spark_session.session import DEFAULT_MASTER, running_spark
from tidegauge_reference import PROFILES

pytestmark = pytest.mark.xdist_group("spark")


def checksum_files(folder: Path) -> list[str]:
    """Write a file with Spark; the checksum files beside it."""
    running_spark().session.range(1).write.parquet(str(folder))
    assert any(folder.glob("*.parquet"))
    return [file.name for file in folder.rglob(".*.crc")]


def test_files_have_no_checksums_until_the_last_block_ends(tmp_path: Path) -> None:
    session = running_spark().session
    assert checksum_files(tmp_path / "before")
    with without_checksums(session):
        with without_checksums(session):
            assert not checksum_files(tmp_path / "inner")
        assert not checksum_files(tmp_path / "outer")
    assert checksum_files(tmp_path / "after")


def test_a_block_that_fails_ends_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), without_checksums(running_spark().session):
        raise ZeroDivisionError
    assert checksum_files(tmp_path / "after")


def test_checkpoints_of_the_adapter_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[int, int]] = []
    stop = CheckpointedQuery.stop

    def looked_at(query: CheckpointedQuery) -> None:
        folder = running_spark().folder.path
        found.append((len([*folder.rglob("offsets/*")]), len([*folder.rglob(".*.crc")])))
        stop(query)

    monkeypatch.setattr(CheckpointedQuery, "stop", looked_at)
    scenario = draw_history(COMPONENTS["valve"], 7, 0, PROFILES["core"])
    (transcript,) = StreamingProcessors(VALVE_BINDING, DEFAULT_MASTER, None).transcripts([scenario])
    assert transcript.failure is None
    assert max(offsets for offsets, _ in found) > 0
    assert {checksums for _, checksums in found} == {0}
