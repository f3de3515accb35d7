"""Source coordinators and their aggregator answer as Apache Flink 2.3.0 did."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from flink_facts import IS_OWN, Trace, corpus, scenarios_of, traces_of

from tidegauge_reference import CORE, FLINK_2_3, MAX, MIN, IllegalArgument, Policies
from tidegauge_reference.coordinator import Coordinators

COORDINATORS = [trace for file in corpus("coord") for trace in traces_of(file)]
AGGREGATORS = [trace for file in corpus("agg") for trace in traces_of(file)]
REFUSED = ["refused"]

METHODS: dict[str, Any] = {
    "ready": Coordinators.ready,
    "failed": Coordinators.failed,
    "reset": Coordinators.reset,
    "rep": Coordinators.report,
    "ann": Coordinators.announce,
}

OUTSIDE = {
    "announced before the start": "Flink starts to announce with the start: the recording calls a private "
    "method. Nothing comes out; the spec refuses the source, which it does not know yet",
    "failed announcing": "a subtask that does not exist has reported; after the announcements Flink's own "
    "code stumbles over it. The spec's steps either output or are refused, so the announcements stand",
}
"""What the spec leaves out of the recordings on purpose, and why."""


def answer(coordinators: Coordinators, described: list[list[Any]], step: list[Any]) -> list[Any]:
    """One recorded step on the reference, its outputs in the words of the recording; an error's class is
    Java's own affair."""
    kind, number, *rest = step
    try:
        if kind == "start":
            group, drift, parallelism, *name = described[number]
            coordinators.start(str(number), name[0] if name else f"c{number}", group, drift, parallelism)
            return []
        outputs = METHODS[kind](coordinators, str(number), *rest) or []
    except IllegalArgument:
        return [REFUSED]
    return [["al", *map(int, receiver.split("/")), bound] for _, bound, receiver in outputs]


def recorded(outputs: list[list[Any]]) -> list[Any]:
    """Flink's recorded answer to one step: a failed job is a refusal, too."""
    return [REFUSED if output[0] in ("x", "fail") else output for output in outputs]


def first_difference(trace: Trace, policies: Policies, outside: Counter[str] | None = None) -> str | None:
    """Where the reference departs from a trace; None: nowhere. Counts what is left out."""
    coordinators = Coordinators(policies)
    counted: Counter[str] = Counter() if outside is None else outside
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        given, expected = answer(coordinators, trace["coords"], step), recorded(outputs)
        if step[0] == "ann" and str(step[1]) not in coordinators.sources and not expected:
            counted["announced before the start"] += 1
            expected = [REFUSED]
        elif step[0] == "ann" and expected[-1:] == [REFUSED]:
            counted["failed announcing"] += 1
            expected = expected[:-1]
        if given != expected:
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
    return None


def test_the_corpora_are_there() -> None:
    assert COORDINATORS
    assert AGGREGATORS
    assert not IS_OWN or (len(COORDINATORS), len(AGGREGATORS)) == (400, 800)


def test_every_trace_of_coordinators_is_reproduced() -> None:
    outside: Counter[str] = Counter()
    differences = [found for t in COORDINATORS if (found := first_difference(t, FLINK_2_3, outside))]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(COORDINATORS)} traces differ", *differences[:5]]
    )
    assert set(outside) <= set(OUTSIDE)
    assert not IS_OWN or outside == {"announced before the start": 83, "failed announcing": 275}


@pytest.mark.parametrize(
    "policy",
    ["align_announced_subtasks", "align_group_update", "align_report_of_min", "align_unknown_subtask"],
)
def test_every_recorded_policy_of_the_profile_is_needed_to_reproduce_it(policy: str) -> None:
    policies = replace(FLINK_2_3, **{policy: getattr(CORE, policy)})
    assert any(first_difference(trace, policies) for trace in COORDINATORS)


def test_a_wrong_announcement_is_noticed() -> None:
    trace = next(trace for trace in COORDINATORS if any(trace["out"]))
    place = next(place for place, outputs in enumerate(trace["out"]) if outputs)
    outputs = [*trace["out"]]
    outputs[place] = [["al", 0, 0, 77]]
    assert f"step {place} " in str(first_difference({**trace, "out": outputs}, FLINK_2_3))


class Aggregator:
    """A source whose subtasks stand for the keys, with a drift of 0: its bound is the aggregate."""

    def __init__(self, policies: Policies, keys: list[Any]) -> None:
        self.coordinators = Coordinators(policies)
        self.keys = {key: subtask for subtask, key in enumerate(dict.fromkeys(keys))}
        self.coordinators.start("all", "all", "group", 0, max(1, len(self.keys)))
        for subtask in self.keys.values():
            self.coordinators.ready("all", subtask)

    def aggregate(self, key: Any, timestamp: int) -> None:
        self.coordinators.report("all", self.keys[key], timestamp)

    def aggregated(self) -> int:
        announced = self.coordinators.announce("all")
        return announced[0][1] if announced else MIN

    def reporting(self) -> list[Any]:
        told = {int(receiver.split("/")[1]) for _, _, receiver in self.coordinators.announce("all")}
        return sorted(key for key, subtask in self.keys.items() if subtask in told)


def first_aggregate_difference(trace: Trace, policies: Policies) -> str | None:
    """Where the reference departs from a trace of Flink's aggregator; None: nowhere."""
    aggregator = Aggregator(policies, [step[1] for step in trace["steps"] if step[0] == "a"])
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        if step[0] == "a" and step[2] is None:
            assert [output[0] for output in outputs] == ["x"], "a watermark that is none cannot be said"
            continue
        before = aggregator.aggregated()
        if step[0] == "a":
            aggregator.aggregate(*step[1:])
            changed = aggregator.aggregated() != before
            given: list[Any] = [["e", aggregator.aggregated()]] if changed else []
        else:
            given = [["g", before]] if step[0] == "g" else [["k", aggregator.reporting()]]
        expected = [["k", sorted(outputs[0][1])]] if step[0] == "k" else outputs
        if given != expected:
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
    return None


def test_every_trace_of_the_aggregator_is_reproduced() -> None:
    differences = [found for t in AGGREGATORS if (found := first_aggregate_difference(t, FLINK_2_3))]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(AGGREGATORS)} traces differ", *differences[:5]]
    )
    missing = sum(step[0] == "a" and step[2] is None for trace in AGGREGATORS for step in trace["steps"])
    assert not IS_OWN or missing == 18


def test_a_wrong_aggregate_is_noticed() -> None:
    trace = next(trace for trace in AGGREGATORS if any(trace["out"]))
    place = next(place for place, outputs in enumerate(trace["out"]) if outputs)
    outputs = [*trace["out"]]
    outputs[place] = [["e", 77]]
    assert f"step {place} " in str(first_aggregate_difference({**trace, "out": outputs}, FLINK_2_3))


NOT_STEPS = {
    "source_coordinator_alignment-006": "when a runtime begins to announce: announcing is a step here",
    "source_coordinator_alignment-013": "a drift of MAX ms turns alignment off: a matter of the strategy",
}
"""Flink's own tests that say nothing about coordinators that are stepped, and why."""

SCENARIOS = scenarios_of("source_coordinator_alignment")
STEPPED = [s for s in SCENARIOS if s["id"] not in NOT_STEPS and not s["setup"].get("aggregator")]


def unmet(scenario: dict[str, Any], policies: Policies) -> str | None:
    """Which expectation of a scenario the reference does not meet; None: it meets all."""
    coordinators = Coordinators(policies)
    setup, names = scenario["setup"], {step.get("do") for step in scenario["steps"]}
    for number, described in enumerate(setup["coordinators"]):
        coordinators.start(
            str(number), described["name"], described["group"], described["drift_ms"], setup["parallelism"]
        )
        for subtask in range(setup["parallelism"] if "ready" not in names else 0):
            coordinators.ready(str(number), subtask)
    methods: dict[str, Any] = {
        "report": coordinators.report,
        "report_before_ready": coordinators.report,
        "ready": coordinators.ready,
        "fail": coordinators.failed,
        "reset": coordinators.reset,
    }
    latest: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for number, step in enumerate(scenario["steps"]):
        arguments = step.get("args", {})
        source = str(arguments.get("coordinator"))
        if step.get("do") == "announce":
            for _, bound, receiver in coordinators.announce(source):
                latest[receiver] = bound
                counts[receiver] += 1
        elif "do" in step and step["do"] != "start":
            methods[step["do"]](source, *list(arguments.values())[1:])
        for expectation, expected in step.get("expect", {}).items():
            seen = {"latest_alignment": latest, "alignment_count": counts, "job_failed": False}[expectation]
            if isinstance(seen, dict):
                seen = {receiver: seen.get(receiver, 0) for receiver in expected}
            if seen != expected:
                return f"step {number}: expected {expectation} {expected}, got {seen}"
    return None


def test_all_of_flinks_own_tests_are_here_and_hold_for_2_3() -> None:
    assert len(SCENARIOS) == 14
    assert len(STEPPED) == 10
    assert {scenario["applies_to"] for scenario in SCENARIOS} == {"2.3.0"}
    assert set(NOT_STEPS) <= {scenario["id"] for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", STEPPED, ids=lambda scenario: str(scenario["id"]))
def test_coordinators_meet_every_expectation(scenario: dict[str, Any]) -> None:
    assert unmet(scenario, FLINK_2_3) is None


def test_what_flink_2_3_does_by_policy_differs_under_core() -> None:
    differing = {scenario["source_test"].partition("#")[2] for scenario in STEPPED if unmet(scenario, CORE)}
    assert differing >= {"onlyReportersAreAnnounced", "minWatermarkNoUnderflow", "sameOperatorNameCollides"}


def test_sources_of_one_name_need_their_policy() -> None:
    (scenario,) = (s for s in STEPPED if s["source_test"].endswith("#sameOperatorNameCollides"))
    assert unmet(scenario, replace(FLINK_2_3, align_source_key="identity")) is not None


def test_flinks_own_test_of_the_aggregator() -> None:
    (scenario,) = (s for s in SCENARIOS if s["source_test"].endswith("#testWatermarkAggregator"))
    aggregator = Aggregator(FLINK_2_3, [step["args"]["key"] for step in scenario["steps"] if "do" in step])
    for step in scenario["steps"]:
        if "do" in step:
            aggregator.aggregate(step["args"]["key"], step["args"]["watermark"])
        else:
            assert aggregator.aggregated() == step["expect"]["aggregated"]


@pytest.mark.parametrize("idle", [True, False])
def test_flinks_random_test_of_the_aggregator(idle: bool) -> None:
    """After each step the aggregate is the smallest of the latest by key; MAX or MIN with 1 in 100."""
    (scenario,) = (s for s in SCENARIOS if s["source_test"].endswith("#testWatermarkAggregatorRandomly"))
    assert [20, 1000, idle] in scenario["steps"][0]["args"]["rounds_keys_idle"]
    chance, keys = random.Random(7), list(range(50))
    aggregator = Aggregator(FLINK_2_3, keys)
    latest: dict[int, int] = {}
    for turn in range(20):
        for key in keys:
            latest[key] = 1000 * turn + chance.randrange(1000)
            if idle and chance.randrange(100) == 0:
                latest[key] = chance.choice([MIN, MAX])
            aggregator.aggregate(key, latest[key])
            assert aggregator.aggregated() == min(latest.values())


def test_a_restarted_coordinator_of_flink_leaves_its_last_minimum_to_the_group() -> None:
    """Read from the code, not recorded: its reports are gone, the group's entry stays until it changes."""

    def bounds(policies: Policies) -> list[Any]:
        coordinators = Coordinators(policies)
        for source in ("a", "b"):
            coordinators.start(source, source, "group", 0, 2)
            for subtask in (0, 1):
                coordinators.ready(source, subtask)
        for subtask, watermark in ((0, 5), (1, 8)):
            coordinators.report("a", subtask, watermark)
        coordinators.report("b", 0, 10)
        coordinators.restart("a")
        found: list[Any] = [coordinators.announce("a"), coordinators.announce("b")[0][1]]
        coordinators.report("a", 1, 8)
        return [*found, coordinators.announce("b")[0][1]]

    assert bounds(FLINK_2_3) == [[], 5, 8]
    assert bounds(replace(FLINK_2_3, align_restarted_coordinator="keeps-reports")) == [[], 5, 5]


def test_the_tracker_of_the_kinesis_consumer_is_no_part_of_the_spec() -> None:
    """It throttles records by look-ahead and times subtasks out; nothing of it is in the documents."""
    assert len(scenarios_of("global_watermark_tracker")) == 3
