"""Whether the watermark of a query follows what its sources say, as the progress of its batches shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegauge_spark.source.watermark_check import SourceProgress, WatermarkFollower

CHECK = Path("check")


def said(watermark: int | None, moved: bool = True) -> SourceProgress:
    return SourceProgress(watermark, moved, CHECK)


def test_a_watermark_is_there_in_the_batch_after_it_was_said() -> None:
    follower = WatermarkFollower()
    assert follower.loss(0, 99, [said(99)]) is None
    assert follower.loss(99, 150, [said(150)]) is None
    assert follower.loss(150, None, [said(150, moved=False)]) is None
    loss = follower.loss(149, 150, [said(200)])
    assert loss == "its sources have reported 150 ms, and the watermark of the query is 149 ms"


@pytest.mark.parametrize("largest", [None, 98])
def test_the_row_of_a_lone_source_is_missed_in_its_own_batch(largest: int | None) -> None:
    loss = WatermarkFollower().loss(0, largest, [said(99)])
    assert loss == f"its source has reported 99 ms, and Spark has found {largest} ms"


def test_of_several_sources_the_smallest_counts_once_all_have_said_one() -> None:
    follower = WatermarkFollower()
    assert follower.loss(0, None, [said(99), said(None)]) is None
    assert follower.loss(0, None, [said(300), said(50)]) is None
    assert follower.loss(50, None, [said(300, moved=False), said(80)]) is None
    assert follower.loss(79, None, [said(300), said(80)]) is not None


def test_what_a_checkpoint_had_before_is_no_loss() -> None:
    follower = WatermarkFollower()
    assert follower.loss(500, 99, [said(99)]) is None
    assert follower.loss(500, 100, [said(100)]) is None
