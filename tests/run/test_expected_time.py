"""What a run says of its duration: the weight of its work, corrected by the pace so far."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Command
from msgspec.structs import replace

from tidegauge.run.expected_time import ExpectedTime, about
from tidegauge.run.plan import PlannedItem
from tidegauge.wire.implementation import Implementation

CHEAP = Implementation(name="x", version="1", capabilities=("valve",))
SLOW = Implementation(
    name="slow",
    version="1",
    capabilities=("valve", "clock", "job"),
    layer="streaming",
    layers={"clock": "in-process"},
    seconds={"vectors": 10.0, "state-cover": 2.0, "jobs": 30.0},
)
PLANNED = (
    PlannedItem("clock-vectors", "clock", "vectors", "1.0", 0, 20),
    PlannedItem("valve-vectors", "valve", "vectors", "1.0", 0, 40),
    PlannedItem("valve-state-cover-2-channels-000", "valve", "state-cover", "2-channels", 0, 4_000),
    PlannedItem("job-flip-182", "job", "jobs", "flip-182", 0, 1),
)
SECONDS = 0.5 + 10 + 2 + 30


def left_after(expected: ExpectedTime, items: int, seconds: float) -> float:
    """The time left after the first items."""
    for item in PLANNED[:items]:
        expected.finished(item.id, differs=False)
    left = expected.left(seconds)
    assert left is not None
    return left


def test_what_is_declared_is_added_up_and_what_runs_elsewhere_is_cheap() -> None:
    expected = ExpectedTime(PLANNED, SLOW)
    assert expected.total == SECONDS
    assert SECONDS < left_after(expected, 0, 0.0) < SECONDS + 10
    assert left_after(expected, 0, 1_000.0) == 0


def test_the_pace_so_far_corrects_the_weights() -> None:
    in_time = left_after(ExpectedTime(PLANNED, SLOW), 2, 13.5)
    assert 32 < in_time < 42
    assert in_time < left_after(ExpectedTime(PLANNED, SLOW), 2, 105.0) < 320


def test_items_have_the_weights_that_were_measured() -> None:
    """A job takes as long as thousands of scenarios."""
    assert ExpectedTime(PLANNED, CHEAP).left(5.0) is None, "before the first item nothing tells"
    first_item, all_but_the_job, everything = (
        left_after(ExpectedTime(PLANNED, CHEAP), items, 5.0) for items in (1, 3, 4)
    )
    assert first_item - all_but_the_job < all_but_the_job - everything


def test_a_difference_makes_the_later_phases_longer() -> None:
    agreeing, differing = ExpectedTime(PLANNED, CHEAP), ExpectedTime(PLANNED, CHEAP)
    agreeing.finished("valve-vectors", differs=False)
    differing.finished("valve-vectors", differs=True)
    assert (agreeing.left(5.0) or 0) < (differing.left(5.0) or 0)


def test_work_is_left_until_the_reports_are_written() -> None:
    expected = ExpectedTime(PLANNED, CHEAP)
    left = [left_after(expected, 4, 5.0)]
    for phase, share in (("diagnosing", 0.5), ("confirming", 0.0), ("reports", 0.0), ("reports", 0.9)):
        expected.reached(phase, share)
        left.append(expected.left(5.0) or 0)
    assert left == sorted(left, reverse=True)
    assert left[-1] > 0


def test_of_a_slow_engine_that_declares_nothing_nothing_is_said() -> None:
    expected = ExpectedTime(PLANNED, replace(SLOW, seconds={}))
    assert expected.total is None
    expected.finished("clock-vectors", differs=False)
    assert expected.left(5.0) is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "10 s"), (3, "10 s"), (41, "50 s"), (100, "2 min"), (265, "4 min")]
)
def test_an_estimate_is_not_more_precise_than_it_is(seconds: float, words: str) -> None:
    assert about(seconds) == f"about {words}"


DECLARES = """
from msgspec.structs import replace
from tidegauge_adapters.reference import ReferenceAdapter

class Declares(ReferenceAdapter):
    def describe(self):
        return replace(super().describe(), seconds={"vectors": 240.0})
"""


@pytest.mark.slower
def test_a_run_says_at_its_start_how_long_it_takes(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("declares", DECLARES)
    arguments = ("--budget", "smoke", "--component", "clock")
    ran = tidegauge("run", "--adapter", "declares:Declares", *arguments)
    assert ran.stdout.splitlines()[0].endswith("items: about 4 min on two free cores")
    assert "free cores" not in tidegauge("run", "--adapter", "reference", *arguments).stdout
