"""What the checks find without a JVM repeats in streaming queries of a real Spark."""

from collections.abc import Iterator
from random import Random

import processor_cases
import pytest
from processor_cases import CASES
from pyspark import cloudpickle

from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.playing.trace import Trace, separated
from tidegauge_adapters.processors.real_query import differs_in_query
from tidegauge_adapters.processors.searching.drawing import Drawing
from tidegauge_adapters.processors.searching.search import searched

pytestmark = [pytest.mark.slower, pytest.mark.xdist_group("spark")]

SEEN_IN_ROWS = [
    ("tumbling", "late_lt"),
    ("tumbling", "late_row"),
    ("tumbling", "timer_plus1"),
    ("sessions", "touch_lt"),
    ("sessions", "timer_left"),
    ("dedup", "extends"),
    ("welford", "n_in_attr"),
    ("welford", "population"),
    ("interval-join", "bound_exclusive"),
    ("sorter", "same_time_lost"),
    ("pandas-count", "replaced"),
    ("running-total", "timeout_once"),
    ("initial-state", "twice"),
]
"""Mistakes that show in the rows that come out, of all forms of processors."""


@pytest.fixture(autouse=True)
def _processors_go_with_the_query() -> Iterator[None]:
    """Workers of Spark find no modules of tests."""
    for module in (processor_cases.job, processor_cases.own):
        cloudpickle.register_pickle_by_value(module)
    yield
    for module in (processor_cases.job, processor_cases.own):
        cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.parametrize(("name", "bug"), SEEN_IN_ROWS)
def test_a_counterexample_repeats_in_a_query(name: str, bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    mistaken = Player(CASES[name].subject(bug))
    counterexample = searched(mistaken, traces=80).broken[0]
    assert differs_in_query(mistaken, counterexample.trace) is None


@pytest.mark.parametrize("name", ["tumbling", "sessions", "pandas-count", "running-total"])
def test_rows_beside_a_risen_watermark_repeat_in_a_query(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark filters them by the watermark before, and fires timers after them."""
    monkeypatch.setenv("TZ", "UTC")
    player = Player(CASES[name].subject())
    trace = next(
        trace
        for number in range(200)
        if _has_rows_between_watermarks(player, trace := Drawing(player).trace(Random(str(number))))
    )
    assert differs_in_query(player, player.ended(trace)) is None


def _has_rows_between_watermarks(player: Player, trace: Trace) -> bool:
    both, separate = player.played(player.batches(trace)), player.played(player.batches(separated(trace)))
    return [output.row for output in both.outputs] != [output.row for output in separate.outputs]


def test_a_query_of_another_processor_returns_other_rows() -> None:
    """So that the tests above can fail."""
    mistaken = Player(CASES["tumbling"].subject("timer_plus1"))
    counterexample = searched(mistaken, traces=80, only=["due"]).broken[0]
    right = Player(CASES["tumbling"].subject())
    right.as_spark = mistaken.as_spark  # type: ignore[method-assign]
    difference = differs_in_query(right, counterexample.trace)
    assert difference is not None
    assert "instead of" in difference
