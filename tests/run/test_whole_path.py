"""The kit adds a bounded share to what the reference itself costs: runs stay short on any machine."""

from __future__ import annotations

import runpy
import subprocess
import sys

import pytest
from component_scenarios import DRAWN
from conftest import ROOT

from tidegauge.components.component import Component
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing import histories
from tidegauge.drawing.histories import Answered, answered_history, draw_history, drawn_histories
from tidegauge.wire.scenario import Scenario
from tidegauge_reference import CORE, FLINK_2_3, Policies

BENCHMARK = ROOT / "benchmarks" / "whole_path.py"

MOST = 12
"""Drawing and judging take 2 to 5 times what the bare reference takes; a state that is copied deeply, or an
expectation worked out anew at each step, took 30 times and more."""


@pytest.mark.parametrize("component", DRAWN)
def test_drawing_and_judging_take_a_few_times_what_the_reference_takes(component: str) -> None:
    cost = runpy.run_path(str(BENCHMARK))["measure"](component, 60)
    assert cost.steps > 60 * 5
    assert 0 < cost.drawing < MOST * cost.bare
    assert cost.bare < cost.judging < MOST * cost.bare
    assert cost.property < MOST * cost.bare


def test_the_benchmark_prints_a_line_for_each_component_asked_for() -> None:
    command = [sys.executable, str(BENCHMARK), "--histories", "5", "clock", "valve"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in printed.splitlines()] == ["component", "clock", "valve"]
    assert printed.count(" x") == 6


def test_the_benchmark_names_the_components_there_are() -> None:
    command = [sys.executable, str(BENCHMARK), "teapot"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "unknown component teapot; known are clock, generator" in ended.stderr


def test_all_properties_of_a_component_share_the_histories_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    draws: list[int] = []

    def counted(component: Component, seed: int, index: int, policies: Policies) -> Answered:
        draws.append(index)
        return answered_history(component, seed, index, policies)

    monkeypatch.setattr(histories, "answered_history", counted)
    monkeypatch.setattr(histories, "_BLOCK", 4)
    histories._block.cache_clear()

    def drawn(seed: int, start: int, stop: int, policies: Policies) -> list[Scenario]:
        found = drawn_histories(COMPONENTS["valve"], seed, start, stop, policies)
        return [answered.scenario for answered in found]

    expected = [draw_history(COMPONENTS["valve"], 5, index, CORE) for index in range(12)]
    assert drawn(5, 3, 9, CORE) == expected[3:9]
    assert draws == [*range(12)]
    for start, stop in [(0, 12), (0, 4), (4, 8), (5, 6), (8, 12), (3, 3)]:
        assert drawn(5, start, stop, CORE) == expected[start:stop]
    assert draws == [*range(12)]
    assert drawn(5, 3, 8, FLINK_2_3) != expected[3:8]
    assert drawn(6, 3, 8, CORE) != expected[3:8]
    histories._block.cache_clear()
