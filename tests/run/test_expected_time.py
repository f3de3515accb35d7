"""What a run says of its duration: what the engine declares, corrected by the pace so far."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Command
from msgspec.structs import replace

from tidegauge.run.expected_time import ExpectedTime, about
from tidegauge.wire.implementation import Implementation

SLOW = Implementation(
    name="slow",
    version="1",
    capabilities=("valve", "clock", "job"),
    layer="streaming",
    layers={"clock": "in-process"},
    seconds={"vectors": 10.0, "state-cover": 2.0, "jobs": 30.0},
)
PLANNED = ("clock-vectors", "valve-vectors", "valve-state-cover-2-channels-000", "job-flip-182")
SECONDS = 0.5 + 10 + 2 + 30


def test_what_is_declared_is_added_up_and_what_runs_elsewhere_is_cheap() -> None:
    expected = ExpectedTime(PLANNED, SLOW)
    assert expected.total == SECONDS
    assert expected.left((), 12.5) == SECONDS - 12.5
    assert expected.left((), 1_000.0) == 0


def test_the_pace_so_far_corrects_what_is_declared() -> None:
    expected = ExpectedTime(PLANNED, SLOW)
    done = ("clock-vectors", "valve-vectors")
    in_time, late = expected.left(done, 10.5), expected.left(done, 105.0)
    assert in_time == pytest.approx(32)
    assert late is not None
    assert 32 < late < 320
    assert expected.left(PLANNED, 50.0) == 0


def test_without_a_declaration_only_the_pace_tells() -> None:
    expected = ExpectedTime(PLANNED, Implementation(name="x", version="1", capabilities=("valve",)))
    assert expected.total is None
    assert expected.left((), 5.0) is None
    assert expected.left(PLANNED[:1], 5.0) == 15.0


def test_of_a_slow_engine_that_declares_nothing_nothing_is_said() -> None:
    expected = ExpectedTime(PLANNED, replace(SLOW, seconds={}))
    assert expected.total is None
    assert expected.left(PLANNED[:1], 5.0) is None


@pytest.mark.parametrize(("seconds", "words"), [(3, "10 s"), (41, "50 s"), (100, "2 min"), (265, "4 min")])
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
