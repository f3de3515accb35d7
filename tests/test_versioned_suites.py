"""Versions of the suites: what was added after a release runs, and is not scored for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, run_module
from msgspec.structs import replace

from tidegauge.adapter import Implementation
from tidegauge.adapter_loading import describe, load_adapter
from tidegauge.assembly import assemble
from tidegauge.commands.summary import print_summary
from tidegauge.components.job.jobs import JOBS
from tidegauge.components.job.properties import JOB_PROPERTIES
from tidegauge.components.registry import COMPONENTS
from tidegauge.journal import AnyEvent, Finished, JournalReader, Started
from tidegauge.judging.examination import FoundFailure, ItemReport, PropertyCount
from tidegauge.judging.jobs import RULES_OF_JOB_PROPERTIES
from tidegauge.judging.verdicts import Circumstances, Findings, verdict
from tidegauge.plan import PlannedItem, plan
from tidegauge.request import Request, check_request
from tidegauge.results import Results, decode_results
from tidegauge.scenario import BadInput
from tidegauge.scored_results import not_scored
from tidegauge.scoring import scored_events, without
from tidegauge.vectors import load_vectors
from tidegauge_reference import CORE
from tidegauge_reports.compliance.html import render
from tidegauge_spec import (
    FIRST_VERSION,
    NEXT_VERSION,
    RELEASED,
    SPEC_VERSION,
    added_after,
    in_order,
    load_registry,
    vector_versions,
)

LATER = "1.1"
WRONG = "mutant:valve-no-flush"
BROKEN_RULE = "VALVE-15"
"""What this engine breaks, and the properties in which it shows."""


def test_versions_are_compared_as_numbers() -> None:
    assert added_after("1.10", "1.9")
    assert not added_after("1.9", "1.10")
    assert not added_after("1.0", "1.0")
    assert added_after("2.0", "1.10")
    assert in_order(["1.10", "1.9", "1.9", "1.0"]) == ("1.0", "1.9", "1.10")


def test_every_check_names_a_version_that_exists() -> None:
    known = {*RELEASED, NEXT_VERSION}
    scopes = [scope for one in COMPONENTS.values() for scopes in one.covers.values() for scope in scopes]
    named = [
        *(rule.since for rule in load_registry().rules.values()),
        *(property.since for one in COMPONENTS.values() for property in one.properties),
        *(property.since for property in JOB_PROPERTIES),
        *(job.spec for job in JOBS.values()),
        *(scope.since for scope in scopes),
        *vector_versions(),
    ]
    assert len(named) > 300
    assert set(named) <= known
    assert FIRST_VERSION in vector_versions()


def test_the_next_version_is_not_released() -> None:
    assert in_order([*RELEASED, NEXT_VERSION]) == (*RELEASED, NEXT_VERSION)
    assert NEXT_VERSION not in RELEASED
    assert RELEASED[-1] == SPEC_VERSION


def smoke_run(folder: Path, adapter: str) -> Path:
    """The folder of a smoke run of the valve."""
    arguments = ("--component", "valve", "--budget", "smoke", "-n", "2", "--out", "out", "--suite", "1.0")
    ended = run_module(folder, "tidegauge")("run", "--adapter", adapter, *arguments)
    assert ended.returncode == (1 if adapter == WRONG else 0), ended.stdout + ended.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def run_of_a_wrong_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that fails."""
    return smoke_run(tmp_path_factory.mktemp("wrong"), WRONG)


@pytest.fixture(scope="module")
def run_of_a_right_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that passes."""
    return smoke_run(tmp_path_factory.mktemp("right"), "reference")


@pytest.fixture
def results(run_of_a_wrong_engine: Path) -> Results:
    """What it came to."""
    return decode_results((run_of_a_wrong_engine / "results.json").read_bytes(), "results.json")


def test_results_say_for_which_suite_they_are(results: Results) -> None:
    assert results.suite == "1.0"
    assert all(found.scored for found in (*results.rules, *results.properties, *results.items))
    assert not_scored(results) == ""


Assembled = Callable[..., Results]


@pytest.fixture
def assembled(run_of_a_wrong_engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assembled:
    """Makes the results of that run (or of another one's events) again, as if checks had been added later."""

    def again(
        rules: Iterable[str] = (),
        properties: Iterable[str] = (),
        items: Iterable[str] = (),
        events: Sequence[AnyEvent] | None = None,
    ) -> Results:
        registry = load_registry().rules
        for rule in rules:
            monkeypatch.setitem(registry, rule, changed(registry[rule], since=LATER))
        valve = COMPONENTS["valve"]
        dated = tuple(
            changed(one, since=LATER) if one.name in set(properties) else one for one in valve.properties
        )
        monkeypatch.setitem(COMPONENTS, "valve", changed(valve, properties=dated))
        of_properties = [f"valve-properties-{name}-000" for name in properties]
        since = dict.fromkeys((*items, *of_properties), LATER)
        happened = JournalReader(run_of_a_wrong_engine).new_events() if events is None else events
        dated_events = [replace(one, since=since) if isinstance(one, Started) else one for one in happened]
        return assemble(dated_events, tmp_path, ["tidegauge"], 1.0)

    return again


def test_the_journal_gives_the_same_results_again(assembled: Assembled, results: Results) -> None:
    again = assembled()
    assert (again.counts, again.exit_code) == (results.counts, 1)
    assert [rule.verdict for rule in again.rules] == [rule.verdict for rule in results.rules]


def violated(results: Results) -> list[str]:
    """The properties that fail."""
    return [property.name for property in results.properties if property.verdict == "fail"]


def test_a_run_passes_if_all_that_fails_was_added_later(assembled: Assembled, results: Results) -> None:
    again = assembled(rules=[BROKEN_RULE], properties=violated(results))
    assert again.exit_code == 0
    (rule,) = [rule for rule in again.rules if rule.id == BROKEN_RULE]
    assert (rule.verdict, rule.scored, rule.since) == ("fail", False, LATER)
    assert rule.counterexample is not None
    assert {one.name for one in again.properties if not one.scored} == set(violated(results))
    assert violated(again) == violated(results), "they are judged nevertheless"
    assert again.counts["fail"] == 0
    assert again.counts["scenarios"] == results.counts["scenarios"]
    assert again.counts["pass"] == len(again.rules) - 1


def test_the_rest_is_scored_all_the_same(assembled: Assembled, results: Results) -> None:
    rule_only = assembled(rules=[BROKEN_RULE])
    assert violated(rule_only) == violated(results) != []
    assert rule_only.exit_code == 1


def instead(events: Sequence[AnyEvent], other: Finished) -> list[AnyEvent]:
    """Events in which an item ended in another way."""
    return [other if isinstance(one, Finished) and one.item == other.item else one for one in events]


def ended(folder: Path, item: str) -> Finished:
    """How an item of a run ended."""
    events = JournalReader(folder).new_events()
    (found,) = [event for event in events if isinstance(event, Finished) and event.item == item]
    return found


def test_an_item_added_later_fails_no_run_and_no_rule(
    assembled: Assembled, run_of_a_right_engine: Path, run_of_a_wrong_engine: Path
) -> None:
    failing = ended(run_of_a_wrong_engine, "valve-vectors")
    events = instead(JournalReader(run_of_a_right_engine).new_events(), failing)
    scored = assembled(events=events)
    assert (scored.exit_code, failed(scored)) == (1, [BROKEN_RULE])
    later = assembled(events=events, items=["valve-vectors"])
    assert (later.exit_code, failed(later)) == (0, [])
    assert {rule.verdict for rule in later.rules} == {"pass"}
    (item,) = [item for item in later.items if not item.scored]
    assert (item.id, item.outcome) == ("valve-vectors", "failed")
    assert BROKEN_RULE in item.text
    assert later.counts["failing_scenarios"] == 0
    assert later.counts["scenarios"] == scored.counts["scenarios"]


def test_a_later_rule_is_judged_in_later_items_too(
    assembled: Assembled, run_of_a_right_engine: Path, run_of_a_wrong_engine: Path
) -> None:
    failing = ended(run_of_a_wrong_engine, "valve-vectors")
    events = instead(JournalReader(run_of_a_right_engine).new_events(), failing)
    again = assembled(events=events, items=["valve-vectors"], rules=[BROKEN_RULE])
    assert (again.exit_code, failed(again)) == (0, [BROKEN_RULE])


def failed(results: Results) -> list[str]:
    """The rules that fail."""
    return [rule.id for rule in results.rules if rule.verdict == "fail"]


def test_an_engine_that_crashes_in_an_item_added_later_is_not_held_to_it(
    assembled: Assembled, run_of_a_right_engine: Path
) -> None:
    vector = load_vectors("valve")[0].id
    crashed = Finished("valve-vectors", "crashed", 1.0, running=vector)
    events = instead(JournalReader(run_of_a_right_engine).new_events(), crashed)
    scored = assembled(events=events)
    assert scored.exit_code == 1
    assert any(rule.verdict == "not-run" for rule in scored.rules)
    later = assembled(events=events, items=["valve-vectors"])
    assert later.exit_code == 0
    assert {rule.verdict for rule in later.rules} == {"pass"}
    assert not_scored(later).endswith("was run and not scored, it fails: valve-vectors.")


def test_a_rule_that_only_a_later_rule_hides_is_not_held_against_the_engine(
    assembled: Assembled, run_of_a_wrong_engine: Path
) -> None:
    def without_counts(event: AnyEvent) -> AnyEvent:
        if isinstance(event, Finished) and event.report is not None:
            kept = {rule: count for rule, count in event.report.rules.items() if rule != "VALVE-3"}
            return replace(event, report=replace(event.report, rules=kept))
        return event

    events = list(map(without_counts, JournalReader(run_of_a_wrong_engine).new_events()))
    (before,) = [rule for rule in assembled(events=events).rules if rule.id == "VALVE-3"]
    assert (before.verdict, before.scored) == ("not-judged", True)
    again = assembled(events=events, rules=[BROKEN_RULE])
    (after,) = [rule for rule in again.rules if rule.id == "VALVE-3"]
    assert (after.verdict, after.scored) == ("not-judged", False)
    assert after.reason.endswith("what hides it was added after suite 1.0")
    assert not_scored(again).startswith("1 check added after suite 1.0 "), "that one is not of them"


def test_the_summary_and_the_report_say_what_was_not_scored(
    assembled: Assembled, results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    again = assembled(rules=[BROKEN_RULE], properties=violated(results), items=["valve-fuzz"])
    names = ", ".join([BROKEN_RULE, *violated(results), "valve-fuzz"])
    count = 2 + len(violated(results))
    sentence = f"{count} checks added after suite 1.0 were run and not scored, {count} of them fail: {names}."
    assert not_scored(again) == sentence
    print_summary(again, [])
    printed = capsys.readouterr().out
    assert sentence in printed
    assert "22 pass of 22 rules" in printed
    page = render(again)
    assert sentence in page
    assert "Conforms: all 22 claimed rules pass" in page
    assert "<b>Not scored</b> for suite 1.0; the rule was added in version 1.1." in page
    assert "Does not conform" not in page


def test_later_checks_that_pass_are_counted(assembled: Assembled, results: Results) -> None:
    again = assembled(rules=["VALVE-3"])
    assert not_scored(again) == "1 check added after suite 1.0 was run and not scored; none of them fails."
    (one,) = [rule for rule in again.rules if not rule.scored]
    assert (one.id, one.verdict) == ("VALVE-3", "pass")
    assert again.counts["pass"] == results.counts["pass"] - 1


def test_what_a_later_property_of_jobs_found_does_not_count() -> None:
    name, other = list(RULES_OF_JOB_PROPERTIES)[:2]
    job = next(iter(JOBS.values()))
    failures = [FoundFailure(job, None, job.id, [], property=one) for one in (name, other)]
    counts = {one: PropertyCount(checked=1, violated=1) for one in (name, other)}
    report = ItemReport("job-x", "job", failing=2, failures=failures, properties=counts)
    scored = without(report, {name})
    assert (scored.failing, [failure.property for failure in scored.failures]) == (1, [other])
    assert list(scored.properties) == [other]
    assert report.failing == 2


def test_a_rule_of_jobs_does_not_wait_for_later_properties() -> None:
    rule = next(one for one in load_registry().rules.values() if one.checked_by == ("job",))
    names = [name for name, rules in RULES_OF_JOB_PROPERTIES.items() if rule.id in rules]
    *counted, later = names
    findings = Findings(properties={name: PropertyCount(checked=1) for name in counted})
    claimed = frozenset({"job", "alignment", "restart", "job-idleness", "job-windows"})
    waiting = Circumstances(claimed, frozenset(), {})
    assert verdict(rule, findings, {}, waiting)[0] == "not-judged"
    not_waiting = Circumstances(claimed, frozenset(), {}, not_counted=frozenset({later}))
    assert verdict(rule, findings, {}, not_waiting)[0] == "pass"


@pytest.fixture(scope="module")
def reference() -> Implementation:
    """The reference as an engine."""
    return describe("reference", load_adapter("reference", {}))


def planned(reference: Implementation, **options: Any) -> dict[str, PlannedItem]:
    """The items of a smoke run by their ids."""
    request = Request(adapter="reference", budget="smoke", **options)
    return {item.id: item for item in plan(request, reference, CORE)}


def test_items_say_since_when_their_checks_are_there(
    reference: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {id for id, item in planned(reference).items() if item.since != FIRST_VERSION}
    assert "source-vectors-1.1" in before
    valve = COMPONENTS["valve"]
    first, *others = valve.properties
    (scope,) = valve.covers["smoke"]
    monkeypatch.setitem(
        COMPONENTS,
        "valve",
        changed(
            valve,
            properties=(changed(first, since=LATER), *others),
            covers={"smoke": (changed(scope, since=LATER),)},
        ),
    )
    name, job = next(iter(JOBS.items()))
    monkeypatch.setitem(JOBS, name, replace(job, spec=LATER))
    later = {id for id, item in planned(reference).items() if item.since == LATER}
    assert later - before == {
        f"valve-properties-{first.name}-000",
        f"valve-state-cover-{scope.name}-000",
        f"job-{name}",
    }


def test_all_items_of_a_later_component_are_later(
    reference: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = load_registry()
    chapter = registry.chapters["valve"]
    later = changed(chapter, rules=tuple(changed(rule, since=LATER) for rule in chapter.rules))
    monkeypatch.setitem(registry.chapters, "valve", later)
    items = planned(reference, components=("valve", "clock")).values()
    assert {(item.component, item.since) for item in items} == {("valve", LATER), ("clock", "1.0")}


def test_nothing_is_taken_away_from_what_has_no_later_checks(run_of_a_wrong_engine: Path) -> None:
    events = JournalReader(run_of_a_wrong_engine).new_events()
    (started,) = [event for event in events if isinstance(event, Started)]
    finished = {event.item: event for event in events if isinstance(event, Finished)}
    assert scored_events(finished, started) is finished
    dated = replace(started, since={"valve-fuzz": LATER})
    assert set(finished) - set(scored_events(finished, dated)) == {"valve-fuzz"}
    newer = replace(dated, request=replace(dated.request, suite=LATER))
    assert set(scored_events(finished, newer)) == set(finished)


def test_an_unknown_suite_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"unknown suite '1\.1'; known are 1\.0"):
        check_request(Request(adapter="reference", suite=NEXT_VERSION))
    check_request(Request(adapter="reference"))


def test_the_command_refuses_an_unknown_suite(tidegauge: Command) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--suite", "0.9")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "tidegauge: unknown suite '0.9'; known are 1.0\n"
