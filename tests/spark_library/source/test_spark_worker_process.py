"""What a reader does to the Python process of an executor, which is its own, and to no other process."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from spark_programs.driven_files import VIRTUAL, DrivenFiles, write_parquet

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark.source.planning import splits_reader
from tidegauge_spark.source.worker_process import spare_collections


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


@pytest.mark.xdist_group("spark")
def test_in_a_task_what_is_loaded_is_passed_over_once() -> None:
    def frozen(_: int) -> tuple[int, int]:
        spare_collections()
        first = gc.get_freeze_count()
        spare_collections()
        return first, gc.get_freeze_count()

    (found,) = running_spark().session.sparkContext.parallelize([0], 1).map(frozen).collect()
    assert found[0] == found[1] > 10_000
