"""Of several failing components the one that the others build on is named first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Command, results_in
from engines import failing_rule

from tidegauge.judging.reference.deviations import KnownDeviations
from tidegauge.judging.verdicts.known_deviations import as_known
from tidegauge.judging.verdicts.root_cause import affected_by
from tidegauge_spec import load_registry

BUILT_ON_A_BROKEN_CLOCK = """
import importlib

from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge_reference import CORE

COPY = load_mutants()["clock-system-time"].load("idleness").__name__.rpartition(".")[0]
load_mutants()["clock-system-time"].load("clock")

class Engine(OfTheReference):
    name = "an engine whose clock runs on while its input is blocked"
    extras = ("snapshot", "int64")

    def clock(self, setup):
        return COMPONENTS["clock"].build(importlib.import_module(f"{COPY}.clock"), setup, CORE)

    def idleness(self, setup):
        return COMPONENTS["idleness"].build(importlib.import_module(f"{COPY}.idleness"), setup, CORE)

    def valve(self, setup):
        return COMPONENTS["valve"].build(COMPONENTS["valve"].module, setup, CORE)
"""


def test_what_a_component_builds_on_is_the_root() -> None:
    registry = load_registry()
    assert affected_by(["CLOCK-1"], registry) == {}
    assert affected_by(["CLOCK-1", "IDLE-6", "IDLE-1"], registry) == {
        "IDLE-6": ["CLOCK-1"],
        "IDLE-1": ["CLOCK-1"],
    }
    assert affected_by(["VALVE-1", "WIN-1"], registry) == {}, "neither builds on the other"
    assert affected_by(["SOURCE-1", "CLOCK-2", "SPLIT-3"], registry) == {"SOURCE-1": ["CLOCK-2", "SPLIT-3"]}
    assert affected_by(["JOB-2", "SOURCE-1", "CLOCK-2"], registry) == {
        "JOB-2": ["CLOCK-2"],
        "SOURCE-1": ["CLOCK-2"],
    }, "the root itself, not what lies between"


def test_components_that_build_on_one_another_are_roots_together() -> None:
    """A strategy is built with idleness, and idleness wraps a generator."""
    assert affected_by(["GEN-1", "IDLE-2"], load_registry()) == {}


@pytest.mark.slower
def test_a_run_names_the_root_first_and_what_is_also_affected(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "built.py").write_text(BUILT_ON_A_BROKEN_CLOCK, encoding="utf-8")
    ended = tidegauge("run", "--adapter", "built:Engine", "--budget", "smoke", "-n", "2")
    assert ended.returncode == 1
    results = results_in(tmp_path / "tidegauge-results")
    failing: dict[str, dict[str, Any]] = {
        rule["id"]: rule for rule in results["rules"] if rule["verdict"] == "fail"
    }
    assert failing["CLOCK-1"]["affected_by"] == []
    on_top = [rule for rule in failing.values() if rule["component"] != "clock"]
    assert {rule["component"] for rule in on_top} == {"idleness"}, "and no rule of the valve"
    assert all("CLOCK-1" in rule["affected_by"] for rule in on_top)
    assert ended.stdout.index("CLOCK-1 (MUST)") < ended.stdout.index("IDLE-1 (MUST)")
    assert "Downstream failure; root cause: CLOCK-1" in ended.stdout
    report = (tmp_path / "tidegauge-results" / "report.html").read_text("utf-8")
    assert "Downstream failures: parts that build on it" in report


def test_rules_of_what_builds_on_a_broken_part_come_after_it() -> None:
    rules = [failing_rule("IDLE-1"), failing_rule("CLOCK-1"), failing_rule("VALVE-2")]
    idle, clock, valve = as_known(rules, [], KnownDeviations())
    assert idle.affected_by == ["CLOCK-1"]
    assert clock.affected_by == valve.affected_by == []
