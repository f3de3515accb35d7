"""A run in which nothing was shown never succeeds."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command, results_in

DOES_NOTHING = '''
from tidegauge import ComponentAdapter
from tidegauge.components.registry import COMPONENTS


class Nothing:
    """Has every method and every part, and keeps none that is given to it."""

    def __getattr__(self, name):
        return self

    def __setattr__(self, name, value):
        pass

    def __call__(self, *arguments):
        return []


class Adapter(ComponentAdapter):
    """Claims everything, accepts every step and never outputs anything."""

    name = "nothing"
    extras = ("snapshot", "int64", "alignment", "restart", "job-windows", "job-idleness", "job-backpressure", "watermark-lag")


for component in COMPONENTS:
    setattr(Adapter, component, lambda self, setup: Nothing())
'''


@pytest.fixture
def nothing(tmp_path: Path) -> str:
    """The adapter of an engine that does nothing."""
    (tmp_path / "nothing.py").write_text(DOES_NOTHING, encoding="utf-8")
    return "nothing:Adapter"


@pytest.mark.parametrize(
    ("components", "at_least"),
    [
        pytest.param(("--component", "clock"), 4, id="one component"),
        pytest.param((), 140, id="every component", marks=pytest.mark.slower),
    ],
)
def test_an_engine_that_does_nothing_fails_every_must(
    nothing: str, tidegauge: Command, tmp_path: Path, components: tuple[str, ...], at_least: int
) -> None:
    smoke = ("--budget", "smoke", "-n", "2")
    assert tidegauge("run", "--adapter", nothing, *components, *smoke).returncode == 1
    rules = results_in(tmp_path / "tidegauge-results")["rules"]
    musts = [rule for rule in rules if rule["level"] == "MUST"]
    assert len(musts) > at_least
    assert {rule["verdict"] for rule in musts} == {"fail"}


@pytest.mark.slower
def test_a_run_in_which_no_rule_is_judged_fails(tidegauge: Command) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--budget", "smoke", "--rule", "GEN-7", "-n", "1")
    assert ended.returncode == 1
    assert "1 not applicable of 1 rules" in ended.stdout


@pytest.mark.slower
def test_rules_of_time_are_judged_in_what_they_decide(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--budget", "smoke", "--component", "time", "-n", "2")
    assert ended.returncode == 0, ended.stdout
    rules = results_in(tmp_path / "tidegauge-results")["rules"]
    assert {(rule["component"], rule["verdict"]) for rule in rules} == {("time", "pass")}


@pytest.mark.slower
def test_a_rule_that_decides_only_behind_a_breakdown_is_named(tidegauge: Command, tmp_path: Path) -> None:
    """An engine that breaks down at the first idle channel does not pass what comes after."""
    (tmp_path / "young.py").write_text(
        """
from tidegauge import ComponentAdapter, Unsupported
from tidegauge_reference import Valve

class Young(Valve):
    def idle(self, channel):
        raise Unsupported

class Adapter(ComponentAdapter):
    name = "young"
    extras = ("int64",)
    def valve(self, setup):
        return Young(setup.channels)
""",
        encoding="utf-8",
    )
    ended = tidegauge("run", "--adapter", "young:Adapter", "--budget", "smoke", "-n", "2")
    assert ended.returncode == 1
    rules = {rule["id"]: rule for rule in results_in(tmp_path / "tidegauge-results")["rules"]}
    hidden = [name for name, rule in rules.items() if rule["verdict"] == "not-tested"]
    assert {"VALVE-6", "VALVE-7", "VALVE-9", "VALVE-13", "VALVE-14", "VALVE-15"} & {
        name for name, rule in rules.items() if rule["verdict"] == "pass"
    } == set()
    assert len(hidden) > 10
    assert all(rules[name]["reason"] and rules[name]["stands_in_the_way"] for name in hidden)
    assert all(name in ended.stdout for name in hidden)
