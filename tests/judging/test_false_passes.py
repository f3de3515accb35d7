"""Engines for which the kit once printed `pass` on rules that they break, or `fail` on rules that they keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import defective_engines
import pytest
from defective_engines import ClockAdapter, GeneratorAdapter
from engines import VALVE_RULES, ValveAdapter
from judged import events_of, judged, results_of
from naive_valve import MyAdapter

from tidegauge import Adapter
from tidegauge.wire.results import Results, RuleResult
from tidegauge.words.suspects import names_of, suspected_together
from tidegauge_reference import Valve

MakeResults = Callable[[str], Results]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> MakeResults:
    """The results of a smoke run on a valve of `defective_engines`, or on the naive one."""
    known: dict[str, Results] = {}

    def make(name: str) -> Results:
        if name not in known:
            make_valve = getattr(defective_engines, name, Valve)
            adapter = MyAdapter({}) if name == "MyValve" else ValveAdapter(make_valve)
            folder = tmp_path_factory.mktemp(name)
            known[name] = results_of(events_of(adapter, folder, components=["valve"]), folder, adapter)
        return known[name]

    return make


def with_verdict(results: Results, verdict: str) -> set[str]:
    """The numbers of the valve's rules with a verdict."""
    return {rule.id.removeprefix("VALVE-") for rule in results.rules if rule.verdict == verdict}


def numbers(text: str) -> set[str]:
    """Rules by their numbers."""
    return set(text.split())


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("MyValve", "3 4 5 7 16 17 21"),
        pytest.param("FourDefects", "5 7 8 10", marks=pytest.mark.slower),
        pytest.param("FiveDefects", "5 7 8 10 14", marks=pytest.mark.slower),
        pytest.param("FourOfFive", "7 8 10 14", marks=pytest.mark.slower),
        pytest.param("NoIdleAfterAFlush", "14", marks=pytest.mark.slower),
    ],
)
def test_no_rule_that_a_valve_breaks_passes(results: MakeResults, name: str, broken: str) -> None:
    assert with_verdict(results(name), "pass") & numbers(broken) == set()
    assert results(name).exit_code == 1


@pytest.mark.slower
@pytest.mark.parametrize(("name", "broken"), [("FourDefects", "5 7 8 10"), ("FiveDefects", "5 7 8 10 14")])
def test_of_several_defects_one_is_accused_and_rules_that_are_kept_pass(
    results: MakeResults, name: str, broken: str
) -> None:
    found = results(name)
    failing, suspects = with_verdict(found, "fail"), suspected_together(found)
    assert failing or suspects
    assert failing <= numbers(f"{broken} 9")
    for together in suspects:
        names = {rule.removeprefix("VALVE-") for rule in names_of(together[0])}
        assert names & numbers(broken), "one of the suspects is broken"
    assert with_verdict(found, "pass") >= numbers("6 19 20 22")


def test_a_rule_that_is_not_tested_names_the_scenario_in_its_way(results: MakeResults) -> None:
    found = {rule.id: rule for rule in results("MyValve").rules}
    hindered = [rule for rule in found.values() if rule.verdict == "not-tested"]
    assert len(hindered) > 15
    assert all(rule.reason for rule in hindered)
    by_model = "the model that explains the differences may break the rule"
    unnamed = [rule for rule in hindered if not rule.stands_in_the_way]
    assert all(rule.reason.startswith(by_model) for rule in unnamed)
    assert len(unnamed) < len(hindered) / 2
    assert found["VALVE-23"].verdict == "not-applicable"


def test_a_forgotten_return_is_an_error_and_breaks_no_rule(results: MakeResults) -> None:
    found = results("ForgottenReturn")
    assert with_verdict(found, "fail") == set()
    assert with_verdict(found, "error") >= numbers("2 3 5 15 19"), "what watermarks decide"
    assert with_verdict(found, "pass") <= numbers("13"), "that needs no watermark"
    (error,) = found.errors
    assert error.kind == "protocol"
    assert "a missing `return`?" in error.text
    assert error.scenarios <= error.of
    assert found.exit_code == 1


def test_a_bare_tuple_is_an_error_told_once_for_each_kind_of_output(results: MakeResults) -> None:
    found = results("BareTuple")
    assert with_verdict(found, "fail") == set()
    assert with_verdict(found, "error") >= numbers("1 2 3 4 5 17 19")
    assert [error.kind for error in found.errors] == ["protocol", "protocol"]
    assert {error.text.partition(";")[0].partition("(")[2][:4] for error in found.errors} == {"'wat", "'idl"}


def test_a_lost_connection_is_an_error_of_the_rules_that_decide_there(results: MakeResults) -> None:
    found = results("LostConnection")
    assert with_verdict(found, "fail") == set()
    assert with_verdict(found, "error") >= numbers("1 2 3 4 5 10 17 19 22")
    (error,) = found.errors
    assert error.text.startswith("RuntimeError: lost connection to broker")
    assert 'raise RuntimeError("lost connection to broker")' in error.traceback
    assert found.counts["error_scenarios"] == error.scenarios
    assert found.counts["failing_scenarios"] == 0


def test_nonsense_instead_of_a_refusal_is_no_refusal(results: MakeResults) -> None:
    found = results("RefusesByNonsense")
    assert with_verdict(found, "error") == numbers("22")
    assert with_verdict(found, "fail") == set()
    assert with_verdict(found, "pass") == {rule.removeprefix("VALVE-") for rule in VALVE_RULES} - {"22"}


def rules_of(adapter: Adapter, component: str, folder: Path) -> dict[str, RuleResult]:
    """The rules of a component after a smoke run."""
    return judged(adapter, folder, components=[component])


def test_a_strategy_that_cannot_be_aligned_does_not_pass_the_rule_on_alignment(tmp_path: Path) -> None:
    rules = rules_of(GeneratorAdapter({}), "generator", tmp_path)
    assert rules["GEN-14"].verdict == "error", "it would have decided after what raised"
    assert "before the rule decides" in rules["GEN-14"].reason
    assert rules["GEN-15"].verdict == "error", "it decides where it raised"
    others = {rule.verdict for name, rule in rules.items() if name not in ("GEN-7", "GEN-14", "GEN-15")}
    assert others == {"pass"}


def test_a_clock_that_cannot_be_read_passes_nothing_that_only_readings_show(tmp_path: Path) -> None:
    rules = rules_of(ClockAdapter({}), "clock", tmp_path)
    assert {name: rule.verdict for name, rule in rules.items()} == {
        f"CLOCK-{number}": "error" for number in range(1, 7)
    }
