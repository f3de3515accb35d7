"""A split that a record makes active again is compared with the bound like any other."""

from __future__ import annotations

import pytest
from flink_source import settings

from tidegauge_reference import CORE, MIN, Unsupported
from tidegauge_reference.generators import NoWatermarks
from tidegauge_reference.source_operator import SourceOperator


def far_ahead_and_idle(can_pause: bool) -> SourceOperator:
    """Of two splits, one is at 10 and idle by the reader's word; the bound is 5."""
    source = SourceOperator(settings(NoWatermarks, None, can_pause=can_pause), CORE)
    source.assign("behind")
    source.assign("ahead")
    source.write("ahead", ("watermark", 10))
    source.write("ahead", ("idle",))
    assert source.announcement(5) == []
    return source


def test_it_is_paused_in_that_step_whatever_its_generator_says() -> None:
    """SOURCE-9: "by the end of the step in which it does"."""
    source = far_ahead_and_idle(can_pause=True)
    assert source.record("ahead", MIN) == [("record", MIN), ("splits-paused", ("ahead",))]


def test_the_record_is_refused_if_the_reader_cannot_pause() -> None:
    """SOURCE-12, with no effect."""
    source = far_ahead_and_idle(can_pause=False)
    before = source.state()
    with pytest.raises(Unsupported, match="SOURCE-12"):
        source.record("ahead", MIN)
    assert source.state() == before
