"""Hints on counterexamples of windows: the user's own rows, their timers, and a cause in state, timers or clock."""

from __future__ import annotations

from typing import Any

import pytest
from test_windows_under_test import adapter_of

from tidegauge.wire.steps.window import (
    ExpiredStateStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowScenario,
    WindowSetup,
)

KINDS = {"sessions": Session(30_000), "means": Sliding(60_000, 20_000)}


def hints(name: str, bug: str, *steps: Any) -> list[str]:
    setup = WindowSetup(KINDS.get(name, Tumbling(60_000)), late_output=name != "sums")
    return list(adapter_of(name, bug).hints(WindowScenario(id="w", setup=setup, history=steps)))


def test_a_wrong_aggregate_is_shown_as_the_users_row_with_the_expected_result() -> None:
    steps = [RecordStep(5, 1), RecordStep(6, 2), RecordStep(7, 3), WatermarkStep(59_999)]
    (hint,) = hints("sums", "forgets_the_third", *steps)
    assert hint == (
        "Adapter returned (window_end=1970-01-01 00:01:00 total=3 n=3) by the timer at 1970-01-01 00:01:00; "
        "expected is [3, 6], from amount=[1, 2, 3]."
    )


def test_a_window_that_a_stale_timer_returns_is_shown_with_the_timer() -> None:
    (hint,) = hints("sessions", "timer_left", RecordStep(0, 1), RecordStep(1, 2), WatermarkStep(29_999))
    assert hint == (
        "Adapter returned (what=fire start=0 end=30001 vals=[1, 2]) by the timer at 30000, which is not the end "
        "of that window."
    )


EXPLAINED = {
    ("counts", "timer_plus1"): ("1 ms after the border", RecordStep(0, 1), WatermarkStep(59_999)),
    ("counts", "late_lt"): ("`<` stands for `<=`", RecordStep(0, 1), WatermarkStep(59_999), RecordStep(0, 2)),
    ("counts", "late_counted"): ("late rows", RecordStep(-1, 1)),
    ("counts", "late_row"): ("behind the watermark", WatermarkStep(5), RecordStep(1, 1)),
    ("sessions", "late_before_merge"): (
        "behind the watermark",
        RecordStep(-9_000, 1),
        RecordStep(-31_000, 2),
    ),
    ("lists", "not_cleared"): (
        "nothing clears it",
        RecordStep(0, 1),
        WatermarkStep(89_999),
        ExpiredStateStep(),
    ),
}


@pytest.mark.parametrize(("name", "bug"), EXPLAINED)
def test_a_cause_is_named_by_timers_state_or_clock(name: str, bug: str) -> None:
    cause, *steps = EXPLAINED[name, bug]
    setup = WindowSetup(
        KINDS.get(name, Tumbling(60_000)), allowed_lateness=30_000 if name == "lists" else 0, late_output=True
    )
    found = adapter_of(name, bug).hints(WindowScenario(id="w", setup=setup, history=tuple(steps)))
    assert found[-1].startswith("It would conform ")
    assert cause in found[-1]


def test_a_bug_without_a_cure_is_not_explained() -> None:
    (hint,) = hints("means", "off_by_a_half", RecordStep(0, 1), WatermarkStep(19_999))
    assert hint.endswith("expected is 1, from value=[1].")


def test_a_scenario_in_which_the_tester_answers_as_expected_says_so() -> None:
    (hint,) = hints("counts", "", RecordStep(0, 1), WatermarkStep(59_999))
    assert hint == "In PySpark's tester, without a query, Adapter answers as expected."
