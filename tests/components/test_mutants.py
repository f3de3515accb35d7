"""Wrong engines: every MUST has one, each says what is wrong; and wrong valves all the way to their messages,
which a stranger understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import others_slower
from engines import VALVE_RULES, compared, cover_sample, histories
from judged import accusations_in, events_of, results_of

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.changes.segments import segments_of_mutant, touch
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.mutants.mutant import Mutant
from tidegauge.wire.results import Results
from tidegauge_reference import CORE, Valve
from tidegauge_reference.outputs import ACTIVE, IDLE, Output
from tidegauge_spec import load_registry

MUTANTS = load_mutants()
WRONG = {name: mutant for name, mutant in MUTANTS.items() if not name.endswith("-does-nothing")}

REPRESENTATIVE = {
    "valve-max-from-nothing": "VALVE-11",
    "valve-no-flush": "VALVE-15",
    "valve-guarded-flush": "VALVE-15",
    "valve-stalled-reactivation": "VALVE-12",
    "valve-lagging-channel-counts": "VALVE-9",
    "valve-strictly-caught-up": "VALVE-10",
    "valve-heard-while-idle": "VALVE-5",
    "valve-lower-watermark-accepted": "VALVE-3",
}
"""Wrong valves and the rule that each breaks: enough of them to see all that a report says."""


@cache
def reports(name: str) -> tuple[ItemReport, ...]:
    """What the state covers (a third of the large one) and 3,000 histories find in a wrong valve."""
    adapter = MutantAdapter(MUTANTS[name], {})
    parts = {
        "large cover": cover_sample(5),
        "small cover": cover_sample(1, "2-channels-1-timestamp-and-end"),
        "histories": histories(3000),
    }
    found = []
    for item, scenarios in parts.items():
        report = compared(adapter, scenarios)
        report.item = item
        found.append(report)
    return tuple(found)


RunOf = Callable[[str], tuple[Results, Path]]


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> RunOf:
    """The results of a smoke run on a wrong valve, made once, and the folder that has its counterexamples."""

    @cache
    def make(name: str) -> tuple[Results, Path]:
        folder, adapter = tmp_path_factory.mktemp(name), MutantAdapter(MUTANTS[name], {})
        events = events_of(adapter, folder, adapter_name=f"mutant:{name}", components=["valve"])
        return results_of(events, folder, adapter), folder

    return make


def test_every_must_is_broken_by_a_wrong_engine() -> None:
    """One that does something: what does nothing is caught by its silence."""
    broken = {rule for mutant in WRONG.values() for rule in mutant.rules}
    assert [
        rule.id for rule in load_registry().rules.values() if rule.level == "MUST" and rule.id not in broken
    ] == []


def test_no_two_wrong_engines_have_one_name() -> None:
    """The later one would take the place of the other without a word."""
    assert sum(len(component.mutants) for component in COMPONENTS.values()) == len(MUTANTS)


@pytest.mark.parametrize("name", COMPONENTS)
def test_wrong_engines_stand_with_the_component_that_they_break(name: str) -> None:
    assert {mutant.component for mutant in COMPONENTS[name].mutants} == {name}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_says_what_is_wrong_and_which_rules_it_breaks(name: str) -> None:
    mutant = WRONG[name]
    chapters = load_registry().chapters
    known = {mutant.component, *chapters[mutant.component].uses}
    assert mutant.rules
    assert {load_registry().rules[rule].component for rule in mutant.rules} <= known
    assert len({*mutant.rules}) == len(mutant.rules)
    assert re.fullmatch(r"[A-Z][^\n]+[^.]\.", mutant.summary)
    assert name.startswith(f"{mutant.component.replace('_', '-')}-")
    assert {right == wrong for right, wrong in mutant.changed_texts} == {False}


@pytest.mark.slower
@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_a_wrong_valve_is_caught_with_a_broken_rule_among_the_top_three(name: str) -> None:
    accusations = accusations_in(*reports(name))
    assert accusations
    for accusation in accusations:
        assert set(accusation.rules) & set(WRONG[name].rules)
    assert REPRESENTATIVE[name] in WRONG[name].rules


@pytest.mark.parametrize("name", others_slower(REPRESENTATIVE, ("valve-no-flush",)))
def test_the_counterexample_is_short_and_says_all_that_a_stranger_needs(name: str, run_of: RunOf) -> None:
    results, folder = run_of(name)
    failing = [rule for rule in results.rules if rule.verdict == "fail"]
    assert failing
    for rule in failing:
        shown = rule.counterexample
        assert shown is not None
        assert len(shown.scenario["history"]) <= 8
        assert shown.diverges_at == len(shown.scenario["history"]) - 1
        assert shown.expected != shown.got
        for part in (
            f"{rule.id} ({rule.level}) {rule.title}",
            rule.sentence,
            f"-> step {shown.diverges_at + 1}: ",
            f"expected: {shown.expected}",
            f"got:      {shown.got}",
            f"Check {rule.check}",
            f"Replay: tidegauge replay {folder / shown.file} --adapter mutant:{name} --profile core",
        ):
            assert part in shown.message
        assert (folder / shown.file).is_file()
    assert results.exit_code == 1


@pytest.mark.parametrize("name", others_slower(REPRESENTATIVE, ("valve-no-flush",)))
def test_rules_that_a_wrong_valve_keeps_are_not_failed_with_it(name: str, run_of: RunOf) -> None:
    results, _ = run_of(name)
    verdicts = {rule.id: rule.verdict for rule in results.rules if rule.component == "valve"}
    failed = {rule for rule, value in verdicts.items() if value == "fail"}
    assert failed
    assert failed <= set(WRONG[name].rules)
    assert {verdicts[rule] for rule in WRONG[name].rules} <= {"fail", "not-tested"}
    assert sum(value == "pass" for value in verdicts.values()) >= 12


def test_the_valve_that_does_nothing_fails_every_must_it_claims(run_of: RunOf) -> None:
    results, _ = run_of("valve-does-nothing")
    claimed = [rule for rule in results.rules if rule.component == "valve" and rule.level == "MUST"]
    assert [rule.id for rule in claimed] == VALVE_RULES, "each is a MUST"
    assert {rule.verdict for rule in claimed} == {"fail"}


def test_a_text_that_does_not_stand_exactly_once_is_refused() -> None:
    right = WRONG["valve-strictly-caught-up"]
    for wrong, count in (("no such text", 0), ("return []", None), ("cite(", None)):
        broken = replace(right, replacements=((wrong, "pass"),))
        with pytest.raises(ValueError, match="occurs") as refused:
            MutantAdapter(broken, {})
        assert f"{wrong!r} occurs" in str(refused.value)
        if count is not None:
            assert f"occurs {count} times in valve.py" in str(refused.value)


def test_a_mutant_is_loaded_beside_the_original() -> None:
    broken = MutantAdapter(WRONG["valve-lower-watermark-accepted"], {})._module.Valve(1)
    assert broken is not Valve
    assert type(broken) is not Valve
    original = Valve(1, CORE)
    for valve in (broken, original):
        valve.watermark(0, 5)
        valve.watermark(0, 3)
    assert broken.state() != original.state()


def test_a_mutant_takes_no_options() -> None:
    with pytest.raises(ValueError, match="mutants take no options, got engine"):
        MutantAdapter(WRONG["valve-no-flush"], {"engine": "x"})


def test_an_unchanged_copy_would_pass() -> None:
    """That the failures above come from the changes, and not from being a mutant."""
    unchanged = Mutant("valve-unchanged", "valve", "valve", (), "", "Nothing.", ())
    adapter = MutantAdapter(unchanged, {})
    assert compared(adapter, histories(300)).failing == 0


def _always_idle(self: Any, channel: int) -> list[Output]:
    self._channel(channel).idle = True
    return [IDLE]


def test_a_function_stands_in_place_of_that_of_the_reference() -> None:
    mutant = Mutant(
        "valve-always-idle",
        "valve",
        "valve",
        ("VALVE-14",),
        "",
        "A.",
        functions=(("Valve.idle", _always_idle),),
    )
    assert mutant.load("valve").Valve(2).idle(0) == [IDLE]
    assert Valve(2).idle(0) == []
    other = WRONG["valve-lower-watermark-accepted"]
    assert not touch(segments_of_mutant(mutant) + segments_of_mutant(other))


@pytest.mark.parametrize(
    ("decision", "outputs"), [("VALVE-13", [[IDLE], []]), ("VALVE-13!", [[IDLE], [ACTIVE]])]
)
def test_a_decision_that_is_turned_goes_one_way(decision: str, outputs: list[list[Output]]) -> None:
    name = f"valve-turned-{'!' in decision}"
    mutant = Mutant(name, "valve", "valve", ("VALVE-13",), "", "A.", turned=(("Valve.active", decision),))
    valve = mutant.load("valve").Valve(1)
    assert [valve.idle(0), valve.active(0)] == outputs


def test_what_the_reference_does_not_have_is_refused_by_its_name() -> None:
    for changed, problem in (
        ({"functions": (("Valve.sleep", _always_idle),)}, "no function valve.Valve.sleep"),
        ({"turned": (("Valve.active", "VALVE-2"),)}, "valve.Valve.active does not decide by VALVE-2"),
    ):
        mutant = Mutant("valve-none", "valve", "valve", ("VALVE-2",), "", "A.", **changed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=problem):
            mutant.load("valve")
