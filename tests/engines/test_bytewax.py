"""The windows of Bytewax under the kit, as `pip install 'tidegauge[bytewax]'` brings them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
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
from tidegauge.wire.vocabulary import Fire, Late, Restore, Snapshot, StateSize, Step, Watermark

pytestmark = pytest.mark.engines

DEFAULT = {"ordered": "true"}
AS_THEY_ARRIVE = {"ordered": "false"}


def test_a_record_behind_the_watermark_is_late_although_its_window_is_open() -> None:
    steps = [WatermarkStep(6), RecordStep(5, 1), WatermarkStep(9)]
    found = first_difference(python_engine("bytewax", DEFAULT), WindowSetup(Tumbling(10)), steps)
    assert found is not None
    assert (found.step, found.expected, found.got) == (1, (), (Late(1),))
    assert "WIN-10" in found.rules


def test_a_late_record_is_reported_once_for_all_of_its_windows() -> None:
    steps = [WatermarkStep(20), RecordStep(5, 1)]
    assert first_difference(python_engine("bytewax", DEFAULT), WindowSetup(Sliding(10, 5)), steps) is None


def test_a_session_closes_when_the_watermark_has_passed_its_end() -> None:
    steps = [RecordStep(5, 1), WatermarkStep(14), ExpiredStateStep(), WatermarkStep(15)]
    adapter = python_engine("bytewax", DEFAULT)
    found = first_difference(adapter, WindowSetup(Session(10)), steps)
    assert found is not None
    assert found.step == 1
    assert found.expected == (Fire(5, 15, (1,)), Watermark(14))
    assert found.got == (Watermark(14),)
    assert "WIN-3" in found.rules
    session = adapter.session(WindowSetup(Session(10)))
    outputs = [session.step(step) for step in steps]
    assert outputs[2] == (StateSize(0),), "Bytewax can still add a record to the session"
    assert outputs[3] == (Fire(5, 15, (1,)), Watermark(15))


def test_sessions_that_touch_are_merged() -> None:
    steps = [RecordStep(5, 1), RecordStep(15, 2), RecordStep(26, 3), WatermarkStep(50)]
    for options in (DEFAULT, AS_THEY_ARRIVE):
        assert first_difference(python_engine("bytewax", options), WindowSetup(Session(10)), steps) is None


def test_windows_close_in_the_order_of_their_creation_unless_records_are_ordered() -> None:
    steps = [RecordStep(15, 1), RecordStep(5, 2), WatermarkStep(30)]
    setup = WindowSetup(Tumbling(10))
    assert first_difference(python_engine("bytewax", DEFAULT), setup, steps) is None
    found = first_difference(python_engine("bytewax", AS_THEY_ARRIVE), setup, steps)
    assert found is not None
    assert found.expected == (Fire(0, 10, (2,)), Fire(10, 20, (1,)), Watermark(30))
    assert found.got == (Fire(10, 20, (1,)), Fire(0, 10, (2,)), Watermark(30))
    assert "WIN-6" in found.rules


def test_the_end_of_the_input_closes_all_windows() -> None:
    steps = [RecordStep(5, 1), RecordStep(26, 3), WatermarkStep("MAX"), ExpiredStateStep()]
    for setup in (WindowSetup(Session(10)), WindowSetup(Tumbling(10)), WindowSetup(Sliding(10, 5))):
        assert first_difference(python_engine("bytewax", DEFAULT), setup, steps) is None


def test_windows_resume_from_a_snapshot_as_in_a_recovery() -> None:
    steps: list[Step] = [RecordStep(5, 1), Snapshot(), RecordStep(6, 2), Restore(), WatermarkStep(9)]
    for options in (DEFAULT, AS_THEY_ARRIVE):
        adapter = python_engine("bytewax", options)
        assert first_difference(adapter, WindowSetup(Tumbling(10)), steps) is None


@pytest.mark.parametrize(("wait", "late"), [(0, [4]), (100, [])])
def test_a_dataflow_that_runs_does_the_same(wait: int, late: list[int]) -> None:
    """In a whole dataflow, the clock of Bytewax has the largest timestamp minus `wait` as the watermark."""
    python_engine("bytewax", {})
    import bytewax.operators as operators
    import bytewax.operators.windowing as windowing
    from bytewax.dataflow import Dataflow
    from bytewax.testing import TestingSink, TestingSource, run_main

    def time(second: int) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)

    flow, closed, too_late = Dataflow("flow"), list[Any](), list[Any]()
    records = operators.input("records", flow, TestingSource([15, 5] if wait else [5, 4]))
    keyed = operators.key_on("key", records, lambda second: "all")
    clock = windowing.EventClock(
        time, timedelta(seconds=wait), now_getter=lambda: time(0), to_system_utc=lambda _: None
    )
    windower = windowing.TumblingWindower(length=timedelta(seconds=10), align_to=time(0))
    windows = windowing.collect_window("windows", keyed, clock, windower, ordered=False)
    operators.output("closed", windows.down, TestingSink(closed))
    operators.output("late", windows.late, TestingSink(too_late))
    run_main(flow)
    assert [second for _, (_, second) in too_late] == late
    assert [values for _, (_, values) in closed] == ([[15], [5]] if wait else [[5]])


@pytest.mark.parametrize("options", [DEFAULT, AS_THEY_ARRIVE])
def test_everything_else_is_declared(options: dict[str, str]) -> None:
    python_engine("bytewax", options)
    assert undeclared_differences("bytewax", options, component="window", scenarios=1_000) == []


def test_under_its_own_profile_no_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--adapter", "bytewax", "--budget", "smoke", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["profile"] == "bytewax-0.21"
    assert results["counts"]["fail"] == results["counts"]["suspect"] == results["counts"]["error"] == 0


def test_under_core_the_rules_that_bytewax_breaks_are_accused(tidegauge: Command, tmp_path: Path) -> None:
    arguments = ["--component", "window", "--budget", "smoke", "--profile", "core"]
    ended = tidegauge("run", "--adapter", "bytewax", *arguments, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    verdicts = {rule["id"]: rule["verdict"] for rule in results["rules"]}
    assert results["counts"]["error"] == 0
    outside = {rule for rule, verdict in verdicts.items() if verdict == "not-applicable"}
    assert outside == {"WIN-4", "WIN-5", "WIN-7", "WIN-9", "WIN-14", "WIN-15"}
    assert {verdicts[rule] for rule in ("WIN-3", "WIN-10")} <= {"fail", "suspect"}
    assert verdicts["WIN-13"] != "pass"
    assert {verdicts[rule] for rule in ("WIN-1", "WIN-12", "WIN-16")} == {"pass"}
    assert verdicts["WIN-11"] in ("pass", "not-tested")
