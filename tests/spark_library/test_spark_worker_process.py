"""What readers and operators do to the Python process of an executor, which is its own, and to no other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import create_autospec
from uuid import uuid4

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import LongType, StructField, StructType
from spark_programs.driven_files import VIRTUAL, DrivenFiles, write_parquet

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import TumblingWindows, WindowSettings
from tidegauge_spark.operators import operator_input, stepped_processor, window, window_results
from tidegauge_spark.operators.aggregates import count
from tidegauge_spark.operators.operator_input import _Packing
from tidegauge_spark.operators.record_columns import RecordColumns
from tidegauge_spark.operators.valve import ValveProcessor
from tidegauge_spark.source.planning import splits_reader
from tidegauge_spark.worker_process import spare_collections


def test_outside_of_tasks_nothing_is_changed() -> None:
    before = gc.get_freeze_count()
    spare_collections()
    assert gc.get_freeze_count() == before


def test_a_reader_does_it_before_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(splits_reader, "spare_collections", lambda: done.append("spared"))
    write_parquet(tmp_path, "x", "a", [1, 2])
    query = DrivenFiles(tmp_path, **VIRTUAL)
    query.plan()
    assert done == []
    query.execute()
    assert done == ["spared"]


RECORDS = RecordColumns(StructType([StructField("number", LongType())]))

PROCESSORS: dict[ModuleType, StatefulProcessor] = {
    operator_input: operator_input.OperatorInputProcessor(2),
    stepped_processor: ValveProcessor(),
    window: window.WindowProcessor(WindowSettings(TumblingWindows(10)), RECORDS, {"count": count()}),
}


@pytest.mark.parametrize("module", PROCESSORS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_an_operator_does_it_when_a_task_begins(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(module, "spare_collections", lambda: done.append("spared"))
    PROCESSORS[module].init(create_autospec(StatefulProcessorHandle))
    assert done == ["spared"]


def test_records_are_packed_and_results_unpacked_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for module in (operator_input, window_results):
        monkeypatch.setattr(module, "spare_collections", lambda: done.append("spared"))
    processor = PROCESSORS[window]
    assert isinstance(processor, window.WindowProcessor)
    assert [*_Packing(RECORDS, 1, {})(iter(()))] == []
    assert [*processor.results.unpack(iter(()))] == []
    assert done == ["spared", "spared"]


@pytest.fixture
def on_new_workers(monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """The running Spark session, whose next tasks run in a process that has run none before.

    Spark uses processes again for tasks that have the same environment. One that other tests have used has
    its first tasks behind it, and has loaded their modules since.
    """
    session = running_spark().session
    monkeypatch.setitem(session.sparkContext.environment, "TIDEGAUGE_TEST_OF_WORKERS", uuid4().hex)
    return session


@pytest.mark.xdist_group("spark")
def test_in_later_tasks_what_is_loaded_is_passed_over(on_new_workers: SparkSession) -> None:
    def left(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        before = gc.get_freeze_count()
        spare_collections()
        yield from (
            pa.RecordBatch.from_pydict({"before": [before], "left": [len(gc.get_objects())]}) for _ in batches
        )

    tasks = on_new_workers.range(1).coalesce(1).mapInArrow(left, "before long, left long")
    found = [row for _ in range(4) for row in tasks.collect()]
    assert found[0].before == 0
    assert found[-1].left < 2_000 < gc.get_freeze_count() + len(gc.get_objects())


@pytest.mark.xdist_group("spark")
def test_after_the_first_tasks_what_comes_is_collected_again(on_new_workers: SparkSession) -> None:
    def frozen(_: int) -> tuple[int, int, int]:
        before = gc.get_freeze_count()
        for _ in range(3):
            spare_collections()
        first = gc.get_freeze_count()
        kept = [[number] for number in range(1_000)]
        spare_collections()
        return before, first, gc.get_freeze_count() if kept else 0

    (found,) = on_new_workers.sparkContext.parallelize([0], 1).map(frozen).collect()
    assert found[0] == 0
    assert found[1] == found[2] > 10_000
