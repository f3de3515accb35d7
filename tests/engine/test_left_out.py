"""What is not put to an engine: what it cannot express, and more than it can do. It is counted and said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from engines import SeenLessClosely, ValveAdapter, examiner_of, histories, valve_scenario
from judged import judged
from msgspec.structs import replace
from report_samples import property_result, results

from tidegauge import Adapter, Implementation, Scenario, Transcript
from tidegauge.commands.summary import print_summary
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.items.examination import TOO_SLOW, Examiner
from tidegauge.judging.items.item_report import ItemReport, LeftOut, PropertyCount
from tidegauge.judging.items.merged import merged
from tidegauge.judging.reference.deviations import Deviation, deviations_of
from tidegauge.run.items import examine
from tidegauge.run.plan import PlannedItem
from tidegauge.run.property_results import _property_verdict
from tidegauge.run.request import Request
from tidegauge.wire.results import VERDICTS
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.steps.valve import ActiveStep, IdleStep
from tidegauge.words.conclusion import conclude
from tidegauge_reference import CORE, Valve

PROPERTIES = {property.name: property for property in COMPONENTS["valve"].properties}


class Deaf(Valve):
    """A valve that hears no statuses, and says none."""

    def idle(self, channel: int) -> list[tuple[str]]:  # type: ignore[override]
        return []

    active = idle


class WithoutStatuses(Adapter):
    """A valve that has no words for statuses, and never more than a few histories at a time."""

    def __init__(self, **at_most: int) -> None:
        super().__init__({})
        self.at_most = at_most
        self.inner = ValveAdapter()
        self.asked: list[Scenario] = []

    def describe(self) -> Implementation:
        return replace(self.inner.describe(), at_most=self.at_most)

    def inexpressible(self, scenario: Scenario) -> str | None:
        has = any(isinstance(step, IdleStep | ActiveStep) for step in scenario.history)
        return "a status" if has else None

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        several = list(scenarios)
        self.asked += several
        return self.inner.run(several)


def test_what_the_engine_cannot_express_is_left_out_with_its_reason_and_the_rules_that_decide_in_it() -> None:
    left_out = LeftOut()
    scenarios = [valve_scenario(2, "w0=1", "w1=2"), valve_scenario(2, "w0=1", "i1"), valve_scenario(2, "i0")]
    kept = examiner_of(WithoutStatuses()).applicable(scenarios, left_out)
    assert kept == scenarios[:1]
    assert left_out.reasons == {"a status": 2}
    assert left_out.rules["VALVE-14"] == 2
    assert left_out.rules["VALVE-3"] == 1


def test_where_nobody_counts_what_is_left_out_the_reference_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Examiner, "expected")
    scenarios = [valve_scenario(2, "w0=1", "w1=2"), valve_scenario(2, "i0")]
    assert examiner_of(WithoutStatuses()).applicable(scenarios) == scenarios[:1]


def test_an_engine_is_given_as_many_as_it_can_do_half_of_them_such_as_are_rare() -> None:
    drawn = [one for one in histories(600) if WithoutStatuses().inexpressible(one) is None]
    plain = [valve_scenario(1, *(f"w0={number}" for number in range(n + 1)), id=str(n)) for n in range(50)]
    scenarios = [*plain, *(one for one in drawn if one.needs)]
    left_out = LeftOut()
    examiner = examiner_of(WithoutStatuses(vectors=6))
    kept = examiner.applicable(scenarios, left_out, "vectors")
    needing = sum(bool(one.needs) for one in scenarios)
    assert needing >= 1
    assert sum(bool(one.needs) for one in kept) == min(3, needing)
    assert len(kept) == 6
    assert left_out.reasons == {TOO_SLOW: len(scenarios) - 6}
    assert [one.id for one in kept if not one.needs] == [
        str(place * 50 // (6 - min(3, needing))) for place in range(6 - min(3, needing))
    ]
    assert examiner.applicable(scenarios, LeftOut(), "state-cover") == scenarios
    assert len(examiner.applicable(plain[:4], LeftOut(), "vectors")) == 4


def test_the_shrinker_tries_what_can_be_expressed_and_not_too_much_at_a_time() -> None:
    class Backwards(Valve):
        def watermark(self, channel: int, timestamp: int) -> list[tuple[str, int]]:  # type: ignore[override]
            return [("watermark", timestamp)]

    adapter = WithoutStatuses(shrinking=5)
    adapter.inner = ValveAdapter(Backwards)
    report = ItemReport("item", "valve")
    failing = valve_scenario(2, "w0=5", "w1=7", "w0=6", "w1=8", "w0=9")
    examiner_of(adapter).compare(report, [failing])
    (found,) = report.failures
    assert len(found.scenario.history) == 1
    assert {adapter.inexpressible(one) for one in adapter.asked} == {None}
    ids = Counter(one.id for one in adapter.asked)
    assert len([name for name in ids if "shrunk" in name]) <= 5 * 6, "five a round, a few rounds"


@pytest.mark.slower
def test_a_rule_that_decides_only_in_what_is_left_out_is_not_tested(tmp_path: Path) -> None:
    """Without words for a status nothing can be idle. A shape says so; an adapter that hides it does not
    conform."""
    rules = judged(WithoutStatuses(), tmp_path, components=["valve"])
    about_statuses = [f"VALVE-{number}" for number in (6, 7, 8, 9, 10, 12, 13, 14, 15, 16)]
    assert {rules[name].verdict for name in about_statuses} == {"not-tested"}
    assert all(rules[name].reason.startswith("the adapter does not express") for name in about_statuses)
    assert {rules[f"VALVE-{number}"].verdict for number in (1, 2, 3, 19, 22)} == {"pass"}
    assert not {rule.verdict for rule in rules.values()} & {"fail", "error"}


def test_items_are_summed_up() -> None:
    one = ItemReport("a", "valve", left_out=LeftOut({"a status": 2, TOO_SLOW: 1}, {"VALVE-14": 2}))
    other = ItemReport("b", "valve", left_out=LeftOut({"a status": 3}, {"VALVE-14": 1}))
    other.properties["p"] = PropertyCount(inexpressible=True)
    found = merged([one, other])
    assert found.left_out == LeftOut({"a status": 5, TOO_SLOW: 1}, {"VALVE-14": 3})
    assert found.properties["p"].inexpressible


def test_a_property_whose_situation_is_not_expressed_is_not_tested() -> None:
    property = PROPERTIES["valve-status-alternates"]
    examiner = examiner_of(WithoutStatuses())
    assert examiner.arises_in_what_is_left_out(property, histories(50))
    assert not examiner.arises_in_what_is_left_out(property, [valve_scenario(1, "w0=1")])
    assert _property_verdict(True, PropertyCount(inexpressible=True)) == (
        "not-tested",
        "its situation arises only in scenarios that the adapter does not express",
    )
    assert _property_verdict(True, PropertyCount(outside=True, inexpressible=True)) == (
        "not-applicable",
        "its situation arises only outside of the declared shape",
    )
    assert _property_verdict(True, PropertyCount()) == (
        "not-tested",
        "its situation never arose",
    )


def test_a_property_whose_situation_a_known_deviation_excludes_is_known() -> None:
    """Without statuses in the output none can fail to alternate."""
    property = PROPERTIES["valve-status-alternates"]
    known = Deviation(like="mutant:valve-no-statuses", reason="r", link="l")
    for deviations, counted in (((known,), True), ((), False)):
        report = ItemReport("item", "valve")
        adapter = SeenLessClosely(ValveAdapter(Deaf), "group")
        examiner_of(adapter, deviations=deviations).check(report, property, histories(60))
        assert report.properties[property.name].checked == 0
        assert bool(report.properties[property.name].known) is counted


def test_nor_need_it_arise_in_the_few_scenarios_that_an_engine_can_do() -> None:
    property = PROPERTIES["valve-status-alternates"]
    known = Deviation(like="mutant:valve-no-statuses", reason="r", link="l")
    drawn = histories(60)
    assert examiner_of(ValveAdapter(), deviations=(known,)).excluded_by_what_is_known(property, drawn)
    assert not examiner_of(ValveAdapter()).excluded_by_what_is_known(property, drawn)
    silent = [valve_scenario(1, "w0=1")]
    assert not examiner_of(ValveAdapter(), deviations=(known,)).excluded_by_what_is_known(property, silent)
    other = Deviation(like="mutant:valve-never-finished", reason="r", link="l")
    assert not examiner_of(ValveAdapter(), deviations=(other,)).excluded_by_what_is_known(property, drawn)


@pytest.mark.parametrize(
    ("deviates_as", "verdict"), [("valve-no-statuses", "not-applicable"), (None, "not-tested")]
)
def test_a_property_of_a_slow_engine_is_not_open_when_its_deviation_excludes_the_situation(
    deviates_as: str | None, verdict: str
) -> None:
    deviations = [Deviation(like=f"mutant:{deviates_as}", reason="r", link="l")] if deviates_as else []
    item = PlannedItem("i", "valve", "properties", "valve-status-alternates", 0, 61)
    drawn = [valve_scenario(1, "w0=1"), *histories(60)]
    report = ItemReport("i", "valve")
    engine = ValveAdapter(Deaf)
    few = replace(engine.describe(), at_most={"properties": 1}, layer="streaming")
    examine(
        item, Request(adapter="a"), drawn, Examiner(engine, few, CORE, deviations=tuple(deviations)), report
    )
    assert report.properties[item.name].checked == 0
    assert _property_verdict(True, report.properties[item.name])[0] == verdict


def test_an_engine_may_come_with_its_known_deviations(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text('[[deviation]]\nlike = "mutant:valve-no-flush"\nreason = "r"\nlink = "l"\n')
    (suggested,) = deviations_of(None, str(file)).deviation
    assert suggested.like == "mutant:valve-no-flush"
    assert deviations_of("none", str(file)).deviation == ()
    assert deviations_of(None, "").deviation == ()
    assert deviations_of(str(file), "") == deviations_of(None, str(file))
    with pytest.raises(BadInput, match=r"gone\.toml cannot be read"):
        deviations_of(str(tmp_path / "gone.toml"), str(file))
    assert Request(adapter="x").deviations is None


def test_what_was_left_out_is_said_in_the_summary_and_in_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = dict.fromkeys((*VERDICTS, "scenarios", "steps", "failing_scenarios"), 0)
    found = results(left_out={"a status": 1200, TOO_SLOW: 3, "a gap": 5}, counts=counts)
    said = "kipped for time budget: 3 scenarios; "
    said += "not expressible on this engine: 1,205 scenarios (a status: 1,200; a gap: 5)"
    print_summary(found, [])
    assert f"s{said}\n" in capsys.readouterr().out
    assert f"S{said}." in conclude(found).remarks
    print_summary(results(counts=counts), [])
    assert "skipped" not in capsys.readouterr().out


def test_a_property_without_a_verdict_is_said_in_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """It is why the run does not succeed."""
    print_summary(results(properties=[property_result("not-tested")]), [])
    assert "property valve-output-increases not tested: " in capsys.readouterr().out
    print_summary(results(properties=[property_result("not-applicable")]), [])
    assert "valve-output-increases" not in capsys.readouterr().out
