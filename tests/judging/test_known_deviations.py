"""Known deviations: the reference runs with them, so that everything else is judged exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Command, results_in
from engines import VALVE_RULES, ValveAdapter, cover_sample, histories
from judged import EFFORT
from report_samples import missing_minimum, rule, suspects

from tidegauge import Adapter
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.components.valve.properties import PROPERTIES
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import DeviationCount, ItemReport
from tidegauge.judging.items.merged import Findings
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.judging.reference.deviating_reference import with_deviations
from tidegauge.judging.reference.deviation_file import update_file
from tidegauge.judging.reference.deviations import Deviation, Flaky, KnownDeviations, read_deviations
from tidegauge.judging.reference.oracle import expect
from tidegauge.judging.verdicts.known_deviations import as_known, deviation_results
from tidegauge.mutants.mutant import Mutant
from tidegauge.run.assembly import exit_code_of
from tidegauge.wire.results import ACCUSED, ItemResult, Suspect, Verdict
from tidegauge.wire.scenario import BadInput
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, FLINK_2_3, Valve

NO_FLUSH = Deviation(like="mutant:valve-no-flush", reason="until version 3", link="https://example.org/7")
STRICT = Deviation(
    like="mutant:valve-strictly-caught-up", reason="an old client", link="https://example.org/8"
)
SCENARIOS = [*histories(800), *cover_sample(60)]


def mutant(*names: str) -> MutantAdapter:
    """An engine with all the defects of these wrong engines."""
    several = [load_mutants()[name] for name in names]
    first = several[0]
    changed = tuple(pair for one in several for pair in one.changed_texts)
    return MutantAdapter(
        Mutant("-and-".join(names), first.component, first.module, first.rules, "", "Several.", changed), {}
    )


def compared(adapter: Adapter, *deviations: Deviation) -> ItemReport:
    """What comparing an engine with the reference that deviates so finds."""
    report = ItemReport("item", "valve")
    examiner = Examiner(adapter, adapter.describe(), CORE, deviations=deviations, effort=EFFORT)
    examiner.compare(report, examiner.applicable(SCENARIOS))
    return report


def test_an_engine_that_deviates_as_known_does_not_fail() -> None:
    assert compared(mutant("valve-no-flush")).failing > 50
    report = compared(mutant("valve-no-flush"), NO_FLUSH)
    assert report.failing == 0
    assert report.failures == []
    counted = report.deviations[NO_FLUSH.name]
    assert counted.shown > 50
    assert counted.absent == 0


def test_what_else_is_wrong_is_judged_exactly() -> None:
    report = compared(mutant("valve-no-flush", "valve-strictly-caught-up"), NO_FLUSH)
    assert report.failing > 0
    assert {one.scenario.id for one in report.differences} <= {
        one.scenario.id for one in compared(mutant("valve-strictly-caught-up")).differences
    }
    both = compared(mutant("valve-no-flush", "valve-strictly-caught-up"), NO_FLUSH, STRICT)
    assert both.failing == 0
    assert {name: one.absent for name, one in both.deviations.items()} == {NO_FLUSH.name: 0, STRICT.name: 0}


def test_a_right_engine_does_without_a_deviation_that_is_listed() -> None:
    report = compared(ReferenceAdapter({}), NO_FLUSH)
    assert report.failing == 0, "to be right is no failure of a rule"
    counted = report.deviations[NO_FLUSH.name]
    assert counted.shown == 0
    assert counted.absent > 50


def test_of_two_listed_deviations_the_one_that_is_gone_is_named() -> None:
    report = compared(mutant("valve-strictly-caught-up"), NO_FLUSH, STRICT)
    assert report.failing == 0
    assert report.deviations[STRICT.name].absent == 0
    assert report.deviations[STRICT.name].shown > 0
    assert report.deviations[NO_FLUSH.name].absent > 0


def test_policies_can_deviate() -> None:
    names = [name for name in CORE.__dataclass_fields__ if name.startswith("valve_")]
    known = [
        Deviation(policy=name, value=getattr(FLINK_2_3, name), reason="Flink", link="https://example.org")
        for name in names
    ]
    engine = ValveAdapter(lambda channels: Valve(channels, FLINK_2_3))
    assert compared(engine).failing > 50
    assert compared(engine, *known).failing == 0
    assert with_deviations(CORE, known) == replace(CORE, **{one.policy: one.value for one in known})  # type: ignore[arg-type]


def test_a_property_that_the_known_deviation_violates_is_not_held_against_the_engine() -> None:
    property = next(one for one in PROPERTIES if one.name == "valve-idle-order")
    adapter = mutant("valve-no-flush")
    for deviations, violated in (((), True), ((NO_FLUSH,), False)):
        report = ItemReport("item", "valve")
        examiner = Examiner(adapter, adapter.describe(), CORE, deviations=deviations, effort=NO_EFFORT)
        examiner.check(report, property, examiner.applicable(SCENARIOS))
        counted = report.properties[property.name]
        assert bool(counted.violated) is violated
        assert bool(counted.known) is not violated
        assert counted.checked > 0


def test_a_wrong_engine_of_another_module_changes_all_that_builds_on_it() -> None:
    """The reference's idleness is built on the clock of the same copy."""
    deviating = with_deviations(CORE, [Deviation(like="mutant:clock-system-time")])
    drawn = [draw_history(COMPONENTS["idleness"], 1, index, CORE) for index in range(400)]
    assert any(expect(one, deviating).outputs != expect(one, CORE).outputs for one in drawn)
    assert all(expect(one, CORE).outputs == expect(one, with_deviations(CORE, [])).outputs for one in drawn)


COMPOSED = {
    "idleness-empty-is-idle": ("source", "generator"),
    "generator-last-timestamp": ("source", "idleness"),
    "clock-milliseconds": ("source", "idleness"),
}
"""Deviations of a component, each with components that are composed of it."""


@pytest.mark.parametrize(
    ("name", "component"), [(name, each) for name, several in COMPOSED.items() for each in several]
)
def test_a_deviation_reaches_the_components_that_are_composed_of_it(name: str, component: str) -> None:
    """An engine with the defect in its idleness has it in its source, too, and is judged so."""
    engine = MutantAdapter(replace(load_mutants()[name], component=component), {})
    known = Deviation(like=f"mutant:{name}", reason="until version 3", link="https://example.org/7")
    scenarios = [draw_history(COMPONENTS[component], 1, index, CORE) for index in range(300)]
    found = {transcript.scenario: list(transcript.outputs) for transcript in engine.run(scenarios)}

    def differing(deviations: list[Deviation]) -> int:
        semantics = with_deviations(CORE, deviations)
        return sum(expect(one, semantics).outputs != found[one.id] for one in scenarios)

    assert differing([]) > 0
    assert differing([known]) == 0


@pytest.mark.parametrize(
    ("shown", "absent", "whole", "status"),
    [
        (3, 0, True, "as-known"),
        (0, 3, True, "unexpected-pass"),
        (3, 3, True, "unexpected-pass"),
        (0, 0, True, "stale"),
        (0, 0, False, "not-tried"),
    ],
)
def test_what_becomes_of_a_deviation(shown: int, absent: int, whole: bool, status: str) -> None:
    findings = Findings(deviations={NO_FLUSH.name: DeviationCount(shown, absent)})
    (result,) = deviation_results(KnownDeviations((NO_FLUSH,)), findings, whole)
    assert result.status == status
    assert result.rules == ["VALVE-15"]
    assert result.explanation


ENTRY = 'reason = "r"\nlink = "l"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"[[deviation]]\n{ENTRY}", "deviation 1: give either policy and value, or like"),
        (
            f'[[deviation]]\nlike = "mutant:no-such"\n{ENTRY}',
            "deviation 1 (mutant:no-such): there is no such",
        ),
        (f'[[deviation]]\nlike = "valve-no-flush"\n{ENTRY}', "there is no such mutant"),
        (f'[[deviation]]\npolicy = "x"\nvalue = "y"\n{ENTRY}', "there is no such policy; known are"),
        (
            f'[[deviation]]\npolicy = "split_none"\nvalue = "y"\n{ENTRY}',
            "the values of this policy are idle, unchanged",
        ),
        ('[[deviation]]\nlike = "mutant:valve-no-flush"\nlink = "l"', "has no reason: give both"),
        ('[[deviation]]\nlike = "mutant:valve-no-flush"\n', "has no reason and no link: give both"),
        (f'[[deviation]]\nlike = "mutant:valve-no-flush"\n{ENTRY}' * 2, "stands twice in the list"),
        (
            f'[[deviation]]\npolicy = "split_none"\nvalue = "idle"\n{ENTRY}'
            f'[[deviation]]\npolicy = "split_none"\nvalue = "unchanged"\n{ENTRY}',
            "this policy is given twice",
        ),
        (f'[[flaky]]\nrule = "VALVE-99"\n{ENTRY}', "flaky 1: unknown rule 'VALVE-99'"),
        ('[[flaky]]\nrule = "VALVE-1"\nreason = "r"', "flaky 1 (VALVE-1) has no link"),
        ("[[deviations]]\n", "is no list of known deviations: Object contains unknown field `deviations`"),
        ("[[deviation]\n", "is no list of known deviations"),
    ],
)
def test_a_malformed_list_is_refused_in_one_line(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        read_deviations(path)
    assert complaint in str(refused.value)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_two_deviations_that_change_the_same_words_are_refused() -> None:
    guarded = replace_like(NO_FLUSH, "mutant:valve-does-nothing")
    with pytest.raises(BadInput, match="change the same words: leave one out"):
        with_deviations(CORE, [guarded, Deviation(like="mutant:valve-stalled-reactivation"), guarded])


def replace_like(deviation: Deviation, like: str) -> Deviation:
    """The same for another wrong engine."""
    return Deviation(like=like, reason=deviation.reason, link=deviation.link)


def test_updating_keeps_comments_and_order_and_leaves_the_reason_to_a_person(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        "# ours\n\n[[deviation]]\n# an old client\n"
        'like = "mutant:valve-strictly-caught-up"\nreason = "r"\nlink = "l"\n\n'
        '[[deviation]]\nlike = "mutant:valve-no-flush"\nreason = "r"\nlink = "l"\n\n'
        '[[flaky]]\nrule = "JOB-2"\nreason = "r"\nlink = "l"\n',
        encoding="utf-8",
    )
    update_file(path, [NO_FLUSH], [Deviation(policy="split_none", value="unchanged")])
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ours")
    assert "# an old client" in text
    assert "no-flush" not in text
    with pytest.raises(BadInput, match=r"deviation 2 \(split_none = unchanged\) has no reason and no link"):
        read_deviations(path)
    path.write_text(text.replace('reason = ""', 'reason = "r"').replace('link = ""', 'link = "l"'), "utf-8")
    known = read_deviations(path)
    assert [one.name for one in known.deviation] == [STRICT.name, "split_none = unchanged"]
    assert [one.rule for one in known.flaky] == ["JOB-2"]


@pytest.mark.slower
def test_a_list_is_made_explained_used_and_emptied(tidegauge: Command, tmp_path: Path) -> None:
    """The whole way of an engineer whose engine is known to be wrong, and of the day when it is mended."""
    run = ("run", "--component", "valve", "--budget", "smoke", "--deviations", "known.toml", "-n", "2")
    wrong = (*run, "--adapter", "mutant:valve-no-flush")
    path = tmp_path / "known.toml"

    found = tidegauge(*wrong, "--update-deviations", "--out", "found")
    assert found.returncode == 1
    assert "put in: mutant:valve-no-flush; give its reason and link" in found.stdout

    refused = tidegauge(*wrong)
    assert refused.returncode == 2
    assert "deviation 1 (mutant:valve-no-flush) has no reason and no link: give both" in refused.stderr

    text = path.read_text("utf-8").replace('reason = ""', 'reason = "until 3"')
    path.write_text(text.replace('link = ""', 'link = "https://example.org/7"'), "utf-8")
    known = tidegauge(*wrong, "--out", "known")
    assert known.returncode == 0, known.stdout
    results = results_in(tmp_path / "known")
    (flush,) = [rule for rule in results["rules"] if rule["id"] == "VALVE-15"]
    assert flush["verdict"] == "fail", "a known deviation is no pass"
    assert (
        flush["deviation"] == "as the known deviation mutant:valve-no-flush: until 3 (https://example.org/7)"
    )
    assert {rule["verdict"] for rule in results["rules"] if rule["id"] != "VALVE-15"} == {"pass"}
    assert {name: results["counts"][name] for name in ("known_deviations", "fail", "pass")} == {
        "known_deviations": 1,
        "fail": 0,
        "pass": len(VALVE_RULES) - 1,
    }
    report = (tmp_path / "known" / "report.html").read_text("utf-8")
    deviates = f"Deviates as known: 1 of {len(VALVE_RULES)} claimed rules is not kept, the others pass"
    assert deviates in report
    assert "until 3" in report

    mended = tidegauge(*run, "--adapter", "reference", "--update-deviations", "--out", "mended")
    assert mended.returncode == 1
    assert "known deviation mutant:valve-no-flush unexpected pass" in mended.stdout
    assert "taken out: mutant:valve-no-flush" in mended.stdout
    assert "no-flush" not in path.read_text("utf-8")
    report = (tmp_path / "mended" / "report.html").read_text("utf-8")
    assert "FAILED: 1 known deviation is not what the engine does" in report

    again = tidegauge(*run, "--adapter", "reference", "--out", "again")
    assert again.returncode == 0, again.stdout


@pytest.mark.slower
def test_a_replay_is_compared_with_what_is_known(tidegauge: Command, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(f'[[deviation]]\nlike = "{NO_FLUSH.like}"\n{ENTRY}', encoding="utf-8")
    ended = tidegauge(
        "run", "--component", "valve", "--budget", "smoke", "--adapter", "mutant:valve-no-flush", "-n", "2"
    )
    assert ended.returncode == 1
    file = "tidegauge-results/counterexamples/VALVE-15.jsonl"
    replay = ("replay", file, "--adapter", "mutant:valve-no-flush")
    assert tidegauge(*replay).returncode == 1
    assert tidegauge(*replay, "--deviations", "known.toml").returncode == 0


FLAKY_ENGINE = """
import random
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Moody(Valve):
    def idle(self, channel):
        outputs = super().idle(channel)
        return [("watermark", random.randrange(2**40))] if outputs else []

class Flaky(ComponentAdapter):
    name = "moody"
    extras = ("int64",)
    def valve(self, setup):
        return Moody(setup.channels)
"""


@pytest.mark.slower
def test_a_changing_answer_counts_unless_it_is_known_to_change(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(FLAKY_ENGINE, encoding="utf-8")
    run = ("run", "--component", "valve", "--budget", "smoke", "--adapter", "moody:Flaky", "-n", "1")
    assert tidegauge(*run).returncode == 1
    rules = results_in(tmp_path / "tidegauge-results")["rules"]
    accused = [one for one in rules if one["verdict"] in ACCUSED]
    assert accused
    assert not any(one["counterexample"]["deterministic"] for one in accused)
    assert {one["flaky"] for one in accused} == {None}
    entries = "".join(f'[[flaky]]\nrule = "{one["id"]}"\n{ENTRY}' for one in accused)
    (tmp_path / "known.toml").write_text(entries, encoding="utf-8")
    ended = tidegauge(*run, "--deviations", "known.toml")
    results = results_in(tmp_path / "tidegauge-results")
    listed = {one["id"] for one in accused}
    again = [one for one in results["rules"] if one["verdict"] in ACCUSED and one["id"] in listed]
    assert again
    assert {one["flaky"] for one in again} == {"r (l)"}
    assert "Known to be flaky, so not held against the engine: r (l)" in ended.stdout


FLAKY_RULE = KnownDeviations(flaky=(Flaky(rule="VALVE-2", reason="r", link="l"),))


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_flaky_rule_excuses_a_changing_answer_and_all_suspects_of_it(deterministic: bool) -> None:
    shown = missing_minimum(deterministic=deterministic)
    rules = [*suspects(9, 2, counterexample=shown), *suspects(5, 4, counterexample=shown), rule(1)]
    found = {one.id: one.flaky for one in as_known(rules, [], FLAKY_RULE)}
    excuse = None if deterministic else "r (l)"
    assert found == {"VALVE-9": excuse, "VALVE-2": excuse, **dict.fromkeys(["VALVE-5", "VALVE-4", "VALVE-1"])}


@pytest.mark.parametrize("verdict", ACCUSED)
@pytest.mark.parametrize(("number", "excused"), [(2, True), (3, False)])
def test_an_accused_rule_that_is_known_to_be_flaky_lets_a_run_succeed(
    verdict: Verdict, number: int, excused: bool
) -> None:
    shown = missing_minimum(deterministic=False)
    accused = rule(number, verdict, counterexample=shown, suspects=[Suspect(f"VALVE-{number}", 0.6)])
    rules = as_known([rule(1), accused], [], FLAKY_RULE)
    failed = ItemResult(id="valve-fuzz", outcome="failed", scenarios=9, steps=9, duration_s=1)
    assert exit_code_of(rules, [], [failed], succeeded=True) == (0 if excused else 1)
