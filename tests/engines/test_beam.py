"""The windows of Apache Beam for Python under the kit, as `pip install 'tidegauge[beam]'` brings them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from beam_pipeline import results_of_pipeline
from conftest import Command, results_in
from declared_engines import undeclared_differences
from python_engines import first_difference, python_engine

from tidegauge.wire.steps.window import (
    ExpiredStateStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from tidegauge.wire.vocabulary import Drop, Fire, StateSize, Step, Watermark

pytestmark = pytest.mark.engines

TRIGGERS = ("default", "after-watermark")


def windows(assigner: Any, **fields: Any) -> WindowSetup:
    return WindowSetup(assigner, late_output=False, **fields)


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("lateness", [0, 5])
def test_a_record_is_admitted_at_the_very_watermark_that_ends_its_window(trigger: str, lateness: int) -> None:
    steps = [RecordStep(5, 1), WatermarkStep(9 + lateness), RecordStep(6, 2)]
    adapter = python_engine("beam", {"trigger": trigger})
    found = first_difference(adapter, windows(Tumbling(10), allowed_lateness=lateness), steps)
    assert found is not None
    assert (found.step, found.expected, found.got) == (2, (Drop(),), (Fire(0, 10, (1, 2)),))
    assert "WIN-10" in found.rules


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_late_record_vanishes_without_a_trace(trigger: str) -> None:
    steps = [RecordStep(5, 1), WatermarkStep(10), RecordStep(6, 2)]
    found = first_difference(python_engine("beam", {"trigger": trigger}), windows(Tumbling(10)), steps)
    assert found is not None
    assert (found.step, found.expected, found.got) == (2, (Drop(),), ())
    assert "WIN-12" in found.rules


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_sessions_that_touch_are_not_merged(trigger: str) -> None:
    steps = [RecordStep(5, 1), RecordStep(15, 2), WatermarkStep(30)]
    found = first_difference(python_engine("beam", {"trigger": trigger}), windows(Session(10)), steps)
    assert found is not None
    assert found.expected == (Fire(5, 25, (1, 2)), Watermark(30))
    assert found.got == (Fire(5, 15, (1,)), Fire(15, 25, (2,)), Watermark(30))
    assert "WIN-2" in found.rules


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_lateness_is_judged_before_sessions_are_merged(trigger: str) -> None:
    steps = [WatermarkStep(11), RecordStep(9, 1), RecordStep(0, 2), WatermarkStep(20)]
    found = first_difference(python_engine("beam", {"trigger": trigger}), windows(Session(10)), steps)
    assert found is not None
    assert found.expected == (Fire(0, 19, (1, 2)), Watermark(20))
    assert found.got == (Fire(9, 19, (1,)), Watermark(20))
    assert "WIN-2" in found.rules


def test_a_late_merge_fires_a_session_early_and_not_again_after_the_watermark_trigger() -> None:
    setup = windows(Session(10), allowed_lateness=50)
    steps = [RecordStep(5, 1), WatermarkStep(14), RecordStep(12, 2), WatermarkStep(21)]
    assert first_difference(python_engine("beam", {"trigger": "default"}), setup, steps) is None
    adapter = python_engine("beam", {"trigger": "after-watermark"})
    found = first_difference(adapter, setup, steps)
    assert found is not None
    assert (found.step, found.expected, found.got) == (2, (), (Fire(5, 22, (1, 2)),))
    assert "WIN-4" in found.rules
    session = adapter.session(setup)
    assert [session.step(step) for step in steps][3] == (Watermark(21),), "the session does not fire again"


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_state_is_never_dropped_in_the_accumulating_mode(trigger: str) -> None:
    steps: list[Step] = [RecordStep(5, 1), WatermarkStep(9), WatermarkStep(1_000), ExpiredStateStep()]
    adapter = python_engine("beam", {"trigger": trigger})
    found = first_difference(adapter, windows(Tumbling(10)), steps)
    assert found is not None
    assert (found.expected, found.got) == ((StateSize(0),), (StateSize(1),))
    assert "WIN-13" in found.rules
    assert first_difference(adapter, windows(Tumbling(10), accumulation="discarding"), steps) is None


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_watermark_fires_windows_in_the_order_of_their_ends(trigger: str) -> None:
    steps = [RecordStep(15, 1), RecordStep(5, 2), WatermarkStep(30)]
    assert first_difference(python_engine("beam", {"trigger": trigger}), windows(Tumbling(10)), steps) is None


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_record_fires_its_windows_the_latest_first(trigger: str) -> None:
    steps = [WatermarkStep(30), RecordStep(12, 1)]
    setup = windows(Sliding(10, 5), allowed_lateness=50)
    found = first_difference(python_engine("beam", {"trigger": trigger}), setup, steps)
    assert found is not None
    assert found.expected == (Fire(5, 15, (1,)), Fire(10, 20, (1,)))
    assert found.got == (Fire(10, 20, (1,)), Fire(5, 15, (1,)))
    assert "WIN-6" in found.rules


@pytest.mark.parametrize(
    ("setup", "steps"),
    [
        (windows(Tumbling(10)), [RecordStep(5, 1), WatermarkStep(9), RecordStep(6, 2), WatermarkStep(10)]),
        (windows(Tumbling(10)), [RecordStep(5, 1), WatermarkStep(10), RecordStep(6, 2)]),
        (windows(Tumbling(10)), [RecordStep(15, 1), RecordStep(5, 2), WatermarkStep(30)]),
        (windows(Session(10)), [RecordStep(5, 1), RecordStep(15, 2)]),
        (windows(Session(10)), [RecordStep(5, 1), RecordStep(14, 2)]),
        (
            windows(Session(10), allowed_lateness=50),
            [RecordStep(5, 1), WatermarkStep(14), RecordStep(12, 2), WatermarkStep(21)],
        ),
    ],
    ids=["at-the-watermark", "late", "two-windows", "touching", "overlapping", "late-merge"],
)
def test_a_pipeline_on_the_direct_runner_has_the_same_results(
    setup: WindowSetup, steps: Sequence[Step]
) -> None:
    adapter = python_engine("beam", {"trigger": "default"})
    session = adapter.session(setup)
    outputs = [output for step in (*steps, WatermarkStep("MAX")) for output in session.step(step)]
    assert results_of_pipeline(setup, steps) == [
        (fire.start, fire.end, list(fire.values)) for fire in outputs if isinstance(fire, Fire)
    ]


def test_a_pipeline_stalls_after_a_late_merge_after_the_watermark_trigger() -> None:
    """The session that does not fire again holds the watermark. The runner raises a tuple in place of its exception
    "Monitor task detected a pipeline stall."."""
    python_engine("beam", {})
    setup = windows(Session(10), allowed_lateness=50)
    steps = [RecordStep(5, 1), WatermarkStep(14), RecordStep(12, 2), WatermarkStep(21)]
    with pytest.raises(TypeError, match="exceptions must derive from BaseException"):
        results_of_pipeline(setup, steps, "after-watermark")
    assert (5, 22, [1, 2]) in results_of_pipeline(setup, steps, "default")


def test_everything_else_is_declared() -> None:
    python_engine("beam", {})
    differing = undeclared_differences("beam", {"trigger": "default"}, component="window", scenarios=1_500)
    assert differing == []


def test_under_its_own_profile_no_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--adapter", "beam", "--budget", "smoke", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["profile"] == "beam-python-2.77"
    verdicts = {rule["id"]: rule["verdict"] for rule in results["rules"] if not rule["deviation"]}
    assert not {"fail", "suspect", "error"} & set(verdicts.values())


def test_under_core_six_differences_explain_every_failing_scenario(
    tidegauge: Command, tmp_path: Path
) -> None:
    arguments = ["--component", "window", "--budget", "smoke", "--profile", "core", "--deviations", "none"]
    ended = tidegauge("run", "--adapter", "beam", *arguments, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    (diagnosis,) = (line for line in ended.stdout.splitlines() if line.startswith("Diagnosis:"))
    for term in (
        "window_touching_sessions = separate",
        "window_session_lateness = before-merging",
        "window_late_at_watermark = in-time",
        "window_order_at_a_record = latest-first",
        "window-late-without-a-trace",
        "window-state-kept-for-ever",
        "this explains all",
    ):
        assert term in diagnosis
    verdicts = {rule["id"]: rule["verdict"] for rule in results_in(tmp_path / "out")["rules"]}
    assert _of(verdicts, "fail") == {"WIN-2", "WIN-6", "WIN-10", "WIN-11", "WIN-12", "WIN-13"}
    assert _of(verdicts, "pass") == {"WIN-1", "WIN-3", "WIN-4", "WIN-5", "WIN-8"}
    assert _of(verdicts, "not-applicable") == {"WIN-7", "WIN-9", "WIN-14", "WIN-15", "WIN-16"}


def _of(verdicts: dict[str, str], verdict: str) -> set[str]:
    return {rule for rule, given in verdicts.items() if given == verdict}
