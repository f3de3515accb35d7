"""Checkpoints of the kit's queries are written without checksum files, those of users' queries with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.wire.steps.valve import ValveScenario, ValveSetup
from tidegauge.wire.steps.valve import WatermarkStep as ValveWatermarkStep
from tidegauge.wire.steps.window import RecordStep, Tumbling, WatermarkStep, WindowScenario, WindowSetup
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery
from tidegauge_adapters.spark.streaming.streaming_processors import StreamingProcessors
from tidegauge_adapters.spark_native.adapter import SparkNativeAdapter
from tidegauge_adapters.spark_native.query import NativeQuery
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


@dataclass
class Seen:
    """Files in the folder of Spark whenever a query is about to end: of offsets, and of checksums."""

    offsets: list[int] = field(default_factory=list)
    checksums: list[int] = field(default_factory=list)


def seen_before(query: type[Any], end: str, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """What there is, from now on, before a method of a query that ends it."""
    seen, ending = Seen(), getattr(query, end)

    def looked_at(ended: Any) -> None:
        folder = running_spark().folder.path
        seen.offsets.append(len([*folder.rglob("offsets/*")]))
        seen.checksums.append(len([*folder.rglob(".*.crc")]))
        ending(ended)

    monkeypatch.setattr(query, end, looked_at)
    return seen


def test_checkpoints_of_the_adapter_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_before(CheckpointedQuery, "stop", monkeypatch)
    scenario = draw_history(COMPONENTS["valve"], 7, 0, PROFILES["core"])
    (transcript,) = StreamingProcessors(VALVE_BINDING, DEFAULT_MASTER, None).transcripts([scenario])
    assert transcript.failure is None
    assert max(seen.offsets) > 0
    assert {*seen.checksums} == {0}


def test_checkpoints_of_the_adapter_of_spark_itself_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_before(NativeQuery, "end", monkeypatch)
    passing = (RecordStep(1, 1), WatermarkStep(9))
    windows = WindowScenario(id="windows", setup=WindowSetup(Tumbling(4)), history=passing)
    valve = ValveScenario(id="valve", setup=ValveSetup(1), history=(ValveWatermarkStep(0, 4),))
    transcripts = list(SparkNativeAdapter({}).run([windows, valve]))
    assert [one.failure for one in transcripts] == [None, None]
    assert max(seen.offsets) > 0
    assert {*seen.checksums} == {0}
