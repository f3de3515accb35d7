"""An engine put through scenarios: what is counted, what is found, and how the engine may be seen."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from engines import (
    VALVE_RULES,
    SeenLessClosely,
    ValveAdapter,
    compared,
    cover_sample,
    examiner_of,
    histories,
    valve_scenario,
)
from judged import accusations_in, accused_in
from msgspec.structs import replace

from tidegauge import Adapter, Failure, Implementation, Scenario, Transcript
from tidegauge.components.property import Property
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.kept_answers import KeptAnswers
from tidegauge.judging.items.merged import merged
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.wire.transcript import Observation
from tidegauge_reference import CORE, FLINK_2_3, Valve
from tidegauge_reference.outputs import Output

SCENARIOS = histories(400) + cover_sample(60) + cover_sample(3, "2-channels-1-timestamp-and-end")


def blamed_first(*reports: ItemReport) -> set[str]:
    """Return the most plausible rule of each accusation."""
    return {one.rules[0] for one in accusations_in(*reports)}


def test_the_reference_agrees_with_itself_and_everything_is_counted() -> None:
    report = compared(ValveAdapter(), SCENARIOS)
    assert (report.failing, report.failures) == (0, [])
    assert report.scenarios == len(SCENARIOS)
    assert report.steps == sum(len(scenario.history) for scenario in SCENARIOS)
    assert report.outputs > 1000
    assert report.spectrum.failures == 0
    assert set(report.rules) == set(VALVE_RULES)
    assert all(counted.steps >= counted.scenarios for counted in report.rules.values())


def decided(report: ItemReport, rule: str) -> tuple[int, int]:
    """Return in how many scenarios and in how many steps a rule decided."""
    counted = report.rules[rule]
    return counted.scenarios, counted.steps


def test_evidence_is_counted_by_scenario_and_by_step() -> None:
    report = compared(
        ValveAdapter(), [valve_scenario(1, "w0=5", "w0=7", "w0=7", id="a"), valve_scenario(2, "w0=1")]
    )
    assert (report.scenarios, report.steps, report.outputs, report.failing) == (2, 4, 2, 0)
    assert decided(report, "VALVE-2") == (1, 2), "nothing came out in the second scenario"
    assert decided(report, "VALVE-3") == (1, 2), "nor after the third step of the first"
    assert report.spectrum.passed["VALVE-3!"] == 2


@pytest.mark.parametrize("observes", ["group", "scenario"])
def test_a_right_engine_seen_less_closely_is_judged_right(observes: Observation) -> None:
    report = compared(SeenLessClosely(ValveAdapter(), observes), SCENARIOS)
    assert (report.failing, report.failures) == (0, [])
    assert report.rules["VALVE-15"].scenarios > 10


@pytest.mark.parametrize("observes", ["group", "scenario"])
@pytest.mark.parametrize("name", ["valve-no-flush", "valve-strictly-caught-up", "valve-heard-while-idle"])
def test_a_wrong_engine_seen_less_closely_is_judged_wrong_by_the_right_rule(
    observes: Observation, name: str
) -> None:
    mutant = load_mutants()[name]
    report = compared(SeenLessClosely(MutantAdapter(mutant, {}), observes), SCENARIOS)
    assert report.failing
    assert accused_in(report, observes=observes) & set(mutant.rules)
    assert min(len(failure.scenario.history) for failure in report.failures) <= 8


def test_an_engine_is_judged_under_the_policies_of_the_run() -> None:
    released = ValveAdapter(lambda channels: Valve(channels, FLINK_2_3))
    scenarios = histories(400, policies=FLINK_2_3)
    assert compared(released, scenarios, FLINK_2_3).failing == 0
    assert compared(released, scenarios, CORE).failing > 0
    assert compared(ValveAdapter(), scenarios, FLINK_2_3).failing > 0


class Flickering(Valve):
    """Now and then it forgets a watermark."""

    made = itertools.count()

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        self.forgets = next(Flickering.made) % 3 == 0

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        outputs = super().watermark(channel, timestamp)
        return [] if self.forgets else outputs


def test_an_answer_that_changes_from_run_to_run_is_found_out_and_not_shrunk() -> None:
    scenarios = histories(60)
    report = compared(ValveAdapter(Flickering), scenarios)
    changing = [failure for failure in report.failures if not failure.deterministic]
    assert changing
    originals = {scenario.id: scenario for scenario in scenarios}
    assert all(failure.scenario == originals[failure.found_as] for failure in changing)


class Raising(Valve):
    """It cannot take the end of input."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        if timestamp == 2**63 - 1:
            raise KeyError(channel)
        return super().watermark(channel, timestamp)


def test_an_exception_is_no_failure_but_an_error_of_the_rules_that_decide_there() -> None:
    report = compared(ValveAdapter(Raising), SCENARIOS)
    ending = [one for one in SCENARIOS if any(getattr(s, "timestamp", 0) == "MAX" for s in one.history)]
    assert (report.failing, report.failures, report.differences) == (0, [], [])
    assert report.unanswered > 0
    assert {error.scenario for error in report.errors.values()} <= {one.id for one in ending}
    (error,) = report.errors.values()
    assert (error.kind, error.scenarios) == ("exception", report.unanswered)
    assert error.text.startswith("KeyError: ")
    assert "raise KeyError(channel)" in error.traceback
    assert "VALVE-22" in error.rules
    assert all(number <= report.unanswered for number in error.rules.values())
    assert error.rules["VALVE-19"] < error.rules["VALVE-22"], "it does not decide in each of them"
    assert "VALVE-23" in error.unreached


def test_a_scenario_without_an_answer_is_no_evidence() -> None:
    scenarios = [valve_scenario(1, "w0=5", "w0=MAX", id="ends"), valve_scenario(1, "w0=5", id="goes on")]
    report = compared(ValveAdapter(Raising), scenarios)
    assert (report.scenarios, report.unanswered) == (2, 1)
    assert decided(report, "VALVE-2") == (1, 1)
    assert report.spectrum.passed["VALVE-2"] == 1


class Bare(Valve):
    """It outputs what is no list, and something else at the end of input."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        return ("watermark", timestamp) if timestamp < 2**63 - 1 else "the end"


def test_errors_that_differ_in_a_number_are_one() -> None:
    scenarios = [valve_scenario(1, f"w0={value}", id=value) for value in ("1", "-20", "333", "MAX")]
    report = compared(ValveAdapter(Bare), scenarios)
    assert [(one.scenario, one.scenarios) for one in report.errors.values()] == [("1", 3), ("MAX", 1)]


class Garbled(Valve):
    """Its ACTIVE is spelled in its own way."""

    def active(self, channel: int) -> list[Any]:
        return ["ACTIVE"] if super().active(channel) else []


def test_garbage_is_an_error_of_the_protocol_where_it_comes() -> None:
    scenario = valve_scenario(2, "i0", "i1", "a1", "w1=3", id="comes back")
    report = compared(ValveAdapter(Garbled), [scenario, *SCENARIOS])
    (error,) = report.errors.values()
    assert (error.kind, error.scenario, error.scenarios) == ("protocol", scenario.id, report.unanswered)
    assert "'ACTIVE'" in error.text
    assert report.failing == 0
    judgement, transcript = examiner_of(ValveAdapter(Garbled)).judged([scenario])[0]
    assert transcript is not None
    assert len(transcript.outputs) == 2
    assert "VALVE-13" in judgement.deciding
    assert "VALVE-2" in judgement.unreached


class Forgetful(Valve):
    """Its snapshot does not say which channels are aligned."""

    def restore(self, saved: Any) -> None:
        super().restore(saved)
        for channel in self.channels:
            channel.aligned = not channel.idle


def test_a_snapshot_that_lacks_something_fails_the_rule_of_the_restored_valve() -> None:
    scenarios = histories(3000)
    report = compared(ValveAdapter(Forgetful), scenarios)
    assert report.failing
    assert blamed_first(report) == {"VALVE-23"}
    assert min(len(failure.scenario.history) for failure in report.failures) <= 8


class Losing(Adapter):
    """The transcripts of some scenarios never come back; the others come in another order."""

    def describe(self) -> Implementation:
        return ValveAdapter().describe()

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        transcripts = list(ValveAdapter().run(scenarios))
        return (t for t in reversed(transcripts) if not t.scenario.startswith("valve:seed:1:1"))


def test_transcripts_are_matched_by_id_and_a_missing_one_is_an_error() -> None:
    report = compared(Losing({}), histories(30))
    assert (report.failing, report.unanswered) == (0, 11)
    (error,) = report.errors.values()
    assert (error.kind, error.scenarios, error.scenario) == ("missing", 11, "valve:seed:1:1")


def test_the_examiner_says_what_it_is_about_to_run() -> None:
    announced: list[str] = []
    examiner = examiner_of(ValveAdapter(), about_to_run=announced.append)
    examiner.judged(SCENARIOS[:20])
    assert announced == [*(scenario.id for scenario in SCENARIOS[:20]), ""]


def test_scenarios_that_need_what_the_engine_does_not_claim_are_left_out() -> None:
    class WithoutSnapshot(ValveAdapter):
        extras = ()

    scenarios = histories(300)
    kept = examiner_of(WithoutSnapshot()).applicable(scenarios)
    assert kept == [scenario for scenario in scenarios if not scenario.needs]
    assert 0 < len(kept) < len(scenarios)


def checked(property: Property, make: Any, count: int = 400) -> ItemReport:
    """A property checked on histories of a valve made by `make`."""
    report = ItemReport("item", "valve")
    examiner_of(ValveAdapter(make)).check(report, property, [*histories(count), *PENDING])
    return report


class AnswersNoVariant(ValveAdapter):
    """A valve that raises in the variants that a property compares."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            if "~" in scenario.id:
                yield Transcript(scenario.id, (), Failure("exception", "no such order of steps"))
            else:
                yield from super().run([scenario])


class HidesVariants(AnswersNoVariant):
    """It says so, too."""

    def inexpressible(self, scenario: Scenario) -> str | None:
        return "another order of steps" if "~" in scenario.id else None


@pytest.mark.parametrize(("adapter", "errors"), [(AnswersNoVariant(), 1), (HidesVariants(), 0)])
def test_a_variant_that_the_adapter_does_not_express_is_no_error(adapter: ValveAdapter, errors: int) -> None:
    report = ItemReport("item", "valve")
    examiner_of(adapter).check(report, PROPERTIES["valve-idle-order"], histories(100))
    assert len(report.errors) == errors
    assert report.properties["valve-idle-order"].checked == 0


PENDING = (
    valve_scenario(3, "i2", "w0=2", "w1=1", "i0", "a2", "i1", "a0", "w0=3", id="itself"),
    valve_scenario(3, "w0=3", "w1=2", "i2", "i0", "a2", "i1", "a0", "w2=1", id="another"),
)
"""Scenarios in which Flink 2.3.0 holds back a watermark after a channel returns from idleness, until this
channel or another one receives a watermark. Random scenarios rarely contain this."""

PROPERTIES = {property.name: property for property in COMPONENTS["valve"].properties}


@pytest.mark.parametrize("property", PROPERTIES.values(), ids=PROPERTIES)
def test_a_property_holds_for_the_reference_and_its_situation_arises(property: Property) -> None:
    report = checked(property, Valve)
    assert report.properties[property.name].checked >= 30
    assert report.properties[property.name].violated == 0
    assert report.failures == []


RELEASED = [
    name
    for name, property in PROPERTIES.items()
    if any(getattr(FLINK_2_3, policy) != value for policy, value in property.holds_under.items())
]


@pytest.mark.parametrize("name", RELEASED)
def test_a_property_that_needs_policies_is_violated_by_an_engine_without_them(name: str) -> None:
    report = checked(PROPERTIES[name], lambda channels: Valve(channels, FLINK_2_3), count=2000)
    counted = report.properties[name]
    assert 0 < counted.violated <= counted.checked
    (failure,) = report.failures
    assert failure.property == name
    assert len(failure.scenario.history) <= 10
    assert report.failing == counted.violated


class Repeating(Valve):
    """It sends each watermark twice, and ACTIVE whenever a channel comes back."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        return super().watermark(channel, timestamp) * 2

    def idle(self, channel: int) -> list[Output]:
        return super().idle(channel)[::-1]

    def active(self, channel: int) -> list[Output]:
        super().active(channel)
        return [("active",)]


class Dated(Valve):
    """It rounds what it outputs."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        outputs = super().watermark(channel, timestamp)
        return [(output[0], output[1] // 7 * 7) if len(output) == 2 else output for output in outputs]


VIOLATIONS = {
    "valve-output-increases": Repeating,
    "valve-status-alternates": Repeating,
    "valve-no-watermark-while-idle": Repeating,
    "valve-shift": Dated,
    "valve-snapshot-restore": Forgetful,
}


def test_every_property_is_shown_to_fail_for_some_wrong_engine() -> None:
    assert set(VIOLATIONS) | set(RELEASED) == set(PROPERTIES)


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_property_is_violated_by_an_engine_without_it(name: str) -> None:
    report = checked(PROPERTIES[name], VIOLATIONS[name])
    assert report.properties[name].violated > 0
    assert report.failures[0].property == name


def test_the_failure_of_a_property_is_a_smallest_history_that_violates_it() -> None:
    for name in ("valve-output-increases", "valve-status-alternates", "valve-no-watermark-while-idle"):
        (failure,) = checked(PROPERTIES[name], Repeating).failures
        assert failure.transcript is not None
        assert PROPERTIES[name].holds([failure.scenario], [failure.transcript]) is False
        assert len(failure.scenario.history) <= 3


def test_a_history_runs_once_for_all_properties_and_again_where_one_is_violated() -> None:
    announced: list[str] = []
    adapter = ValveAdapter(VIOLATIONS["valve-output-increases"])
    examiner = examiner_of(adapter, about_to_run=announced.append, effort=NO_EFFORT, kept=KeptAnswers())
    alone = {name: ItemReport(name, "valve") for name in ("valve-output-increases", "valve-end-of-time")}
    for name, report in alone.items():
        examiner.check(report, PROPERTIES[name], SCENARIOS[:200])
    times = Counter(announced)
    assert {one.id for one in SCENARIOS[:200]} == {id.removesuffix("~0") for id in times if id.endswith("~0")}
    violated = alone["valve-output-increases"].properties["valve-output-increases"].violated
    assert 0 < violated < 200
    asked_again = {id for id, number in times.items() if number > 1 and id}
    assert 1 <= len(asked_again) <= 3, "the one that is shown, and a few that are kept"
    for name, report in alone.items():
        fresh = ItemReport(name, "valve")
        examiner_of(adapter, effort=NO_EFFORT).check(fresh, PROPERTIES[name], SCENARIOS[:200])
        assert fresh.properties == report.properties


def test_a_property_says_nothing_of_an_engine_that_gave_no_answer() -> None:
    scenario = valve_scenario(1, "w0=1", "w0=2", "w0=MAX")
    for make, arose in ((Valve, 1), (Raising, 0)):
        report = ItemReport("item", "valve")
        examiner_of(ValveAdapter(make)).check(report, PROPERTIES["valve-output-increases"], [scenario])
        counted = report.properties["valve-output-increases"]
        assert (counted.checked, counted.violated) == (arose, 0)


def test_an_engine_that_does_nothing_violates_no_property_but_checks_none_of_the_loud_ones() -> None:
    class Silent(Valve):
        def watermark(self, channel: int, timestamp: int) -> list[Output]:
            return []

        idle = active = lambda self, channel: []

    for name, property in PROPERTIES.items():
        counted = checked(property, Silent).properties[name]
        assert counted.violated == 0
        if name != "valve-end-of-time":
            assert counted.checked == 0


def test_published_outputs_are_right_whatever_the_reference_says() -> None:
    scenario = valve_scenario(1, "w0=5")
    report = ItemReport("item", "valve")
    examiner_of(ValveAdapter()).compare(report, [scenario], {scenario.id: [()]})
    assert report.failing == 1
    other = ItemReport("item", "valve")
    right = examiner_of(ValveAdapter()).judged([scenario])[0][1]
    assert right is not None
    examiner_of(ValveAdapter()).compare(other, [scenario], {scenario.id: list(right.outputs)})
    assert other.failing == 0


def test_items_add_up_whatever_their_order() -> None:
    mutant = MutantAdapter(load_mutants()["valve-no-flush"], {})
    parts = [
        replace(compared(mutant, SCENARIOS[start : start + 200]), item=f"item-{start}")
        for start in (0, 200, 400)
    ]
    forwards, backwards = merged(parts), merged(parts[::-1])
    assert forwards == backwards
    assert forwards.scenarios == 600
    assert forwards.failing == sum(part.failing for part in parts)
    assert [one.plausibility for one in accusations_in(*parts)] == [
        one.plausibility for one in accusations_in(*parts[::-1])
    ]
