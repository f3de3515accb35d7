"""Verdicts do not depend on what else is run; what did not come to its end proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from engines import ValveAdapter
from judged import events_of, judged, results_of

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge.run.journal import AnyEvent, Ended, Finished
from tidegauge.wire.results import ACCUSED, RuleResult
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge_reference import CORE, Valve
from tidegauge_spec import load_registry

SELECTED = ("valve", "splits", "idleness")


class Composed(OfTheReference):
    """Three components with a defect each: a named one, one of two, and a hand-made one."""

    name = "composed"
    extras = ("snapshot", "int64")

    def __init__(self) -> None:
        super().__init__({})
        self.splits = MutantAdapter(load_mutants()["splits-restored-unregistered"], {}).splits  # type: ignore[attr-defined]
        self.idleness = MutantAdapter(load_mutants()["idleness-system-clock"], {}).idleness  # type: ignore[attr-defined]

    def valve(self, setup: ValveSetup) -> Any:
        """It says each watermark twice."""
        return Twice(setup.channels)

    def generator(self, setup: Any) -> Any:
        """The reference."""
        return COMPONENTS["generator"].build(COMPONENTS["generator"].module, setup, CORE)


class Twice(Valve):
    """It repeats what it outputs for a watermark above 3."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        return super().watermark(channel, timestamp) * (1 + (timestamp > 3))


def facts(rules: Iterable[RuleResult]) -> dict[str, tuple[object, ...]]:
    """All that is said of each rule, but for what other components have to do with it: their scenarios count where
    the rule decides in them, and those that fail may be the root."""
    return {
        rule.id: (
            rule.verdict,
            rule.reason,
            rule.suspected,
            rule.stands_in_the_way,
            rule.excludes,
            rule.thin,
            rule.suspects,
            rule.counterexample.scenario["history"] if rule.counterexample else None,
        )
        for rule in rules
    }


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RuleResult]:
    """The rules of a run of everything that the engine claims."""
    return judged(Composed(), tmp_path_factory.mktemp("full"))


@pytest.mark.slower
def test_each_defect_is_seen(full: dict[str, RuleResult]) -> None:
    accused = {rule.component for rule in full.values() if rule.verdict in ACCUSED}
    assert accused == set(SELECTED)
    failing = {rule.component for rule in full.values() if rule.verdict == "fail"}
    assert failing >= {"splits", "idleness"}, "known defects are proved"
    assert {rule.verdict for rule in full.values() if rule.component == "generator"} == {
        "pass",
        "not-applicable",
    }


@pytest.mark.slower
@pytest.mark.parametrize(
    "components",
    [("valve",), ("idleness", "splits"), ("generator",)],
    ids="+".join,
)
def test_a_run_of_some_components_gives_the_verdicts_of_the_full_run(
    full: dict[str, RuleResult], components: tuple[str, ...], tmp_path: Path
) -> None:
    narrowed = judged(Composed(), tmp_path, components=components)
    assert {rule.component for rule in narrowed.values()} == set(components)
    assert facts(narrowed.values()) == facts(full[name] for name in narrowed)


@pytest.mark.slower
@pytest.mark.parametrize(
    "rules",
    [("VALVE-10",), ("SPLIT-1", "IDLE-6"), ("TIME-2",)],
    ids="+".join,
)
def test_a_run_of_some_rules_gives_the_verdicts_of_the_full_run(
    full: dict[str, RuleResult], rules: tuple[str, ...], tmp_path: Path
) -> None:
    """It runs whole components, and shows what it was asked for."""
    narrowed = judged(Composed(), tmp_path, rules=rules)
    assert set(narrowed) == set(rules)
    assert facts(narrowed.values()) == facts(full[name] for name in rules)


@pytest.mark.slower
def test_the_order_of_items_does_not_matter(full: dict[str, RuleResult], tmp_path: Path) -> None:
    events = events_of(Composed(), tmp_path, components=["valve"])
    backwards = [events[0], *events[-2:0:-1], events[-1]]
    again = results_of(backwards, tmp_path)
    assert facts(again.rules) == facts(full[rule.id] for rule in again.rules)


def without(events: list[AnyEvent], left_out: Callable[[Finished], bool]) -> list[AnyEvent]:
    """A journal of a run that ended before these items did."""
    return [
        event
        for event in events
        if not isinstance(event, Ended) and not (isinstance(event, Finished) and left_out(event))
    ]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[AnyEvent], Path]:
    """The journal of a conforming valve and of generators, and a folder."""
    folder = tmp_path_factory.mktemp("right")
    engine = Composed()
    engine.valve = ValveAdapter().valve  # type: ignore[method-assign]
    return events_of(engine, folder, components=["valve", "generator"]), folder


def verdicts(events: list[AnyEvent], folder: Path, component: str) -> set[str]:
    """The verdicts on the rules of a component that can be tested."""
    rules = load_registry().rules
    return {
        rule.verdict
        for rule in results_of(events, folder).rules
        if rule.component == component and not rules[rule.id].checked_by[0].startswith("not testable")
    }


@pytest.mark.slower
def test_a_run_that_came_to_its_end_passes(right: tuple[list[AnyEvent], Path]) -> None:
    assert verdicts(*right, "valve") == verdicts(*right, "generator") == {"pass"}
    assert results_of(*right).exit_code == 0


@pytest.mark.slower
@pytest.mark.parametrize("missing", ["valve-vectors", "valve-random-histories-000", "valve-fuzz"])
def test_an_interrupted_run_passes_no_rule_of_a_component_whose_items_did_not_all_run(
    right: tuple[list[AnyEvent], Path], missing: str
) -> None:
    events, folder = right
    cut = without(events, lambda event: event.item == missing)
    assert verdicts(cut, folder, "valve") == {"not-tested"}
    assert verdicts(cut, folder, "generator") == {"pass"}
    results = results_of(cut, folder)
    assert not results.complete
    assert results.exit_code == 1
    total = sum(one.item.startswith("valve-") for one in events if isinstance(one, Finished))
    reasons = {rule.reason for rule in results.rules if rule.component == "valve"}
    assert reasons == {f"1 of {total} test items of this component were not completed"}


@pytest.mark.slower
def test_what_an_interrupted_run_proved_broken_stays_so(tmp_path: Path) -> None:
    adapter = MutantAdapter(load_mutants()["valve-no-flush"], {})
    events = events_of(adapter, tmp_path, components=["valve"])
    left = without(events, lambda event: event.item == "valve-fuzz")
    cut = results_of(left, tmp_path, adapter)
    by_verdict = {rule.id: rule.verdict for rule in cut.rules}
    assert by_verdict.pop("VALVE-15") == "fail"
    assert set(by_verdict.values()) == {"not-tested"}
    untried = {rule.id: rule.verdict for rule in results_of(left, tmp_path).rules}
    assert untried.pop("VALVE-15") == "suspect", "a model that the engine was not asked about proves nothing"
    assert set(untried.values()) <= {"suspect", "not-tested"}


def test_nothing_that_ran_proves_nothing(right: tuple[list[AnyEvent], Path]) -> None:
    events, folder = right
    results = results_of(events[:1], folder)
    assert {rule.verdict for rule in results.rules} == {"not-tested", "not-applicable"}
    assert results.exit_code == 1


@pytest.mark.parametrize(
    ("outcome", "verdict"), [("crashed", "error"), ("timeout", "error"), ("error", "not-tested")]
)
def test_an_item_that_ended_the_engine_s_process_is_an_error_of_the_rules_in_its_scenario(
    right: tuple[list[AnyEvent], Path], outcome: Any, verdict: str
) -> None:
    events, folder = right
    running = "" if outcome == "error" else "valve/essay-one-upstream"
    ended = Finished("valve-vectors", outcome, 1.0, None, "", running)
    cut = [
        ended if isinstance(event, Finished) and event.item == "valve-vectors" else event for event in events
    ]
    results = results_of(cut, folder)
    found = {rule.id: rule.verdict for rule in results.rules}
    assert found["VALVE-2"] == verdict
    assert found["VALVE-10"] == ("pass" if verdict == "error" else "not-tested")
    assert results.exit_code == 1
    assert [error.kind for error in results.errors] == ([outcome] if running else [])
