"""What a reader does to the Python process of an executor, which is its own, and to no other process."""

from __future__ import annotations

import gc

import pytest

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark.source.worker_process import spare_collections


def test_outside_of_tasks_nothing_is_changed() -> None:
    before = gc.get_freeze_count()
    spare_collections()
    assert gc.get_freeze_count() == before


@pytest.mark.xdist_group("spark")
def test_in_a_task_what_is_loaded_is_passed_over_once() -> None:
    def frozen(_: int) -> tuple[int, int]:
        spare_collections()
        first = gc.get_freeze_count()
        spare_collections()
        return first, gc.get_freeze_count()

    (found,) = running_spark().session.sparkContext.parallelize([0], 1).map(frozen).collect()
    assert found[0] == found[1] > 10_000
