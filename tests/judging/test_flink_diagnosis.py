"""What the diagnosis says of stock Apache Flink 2.3.0, by its recorded transcripts
(`data/stock_flink/README.md`)."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from conftest import others_slower
from judged import evidence_from, rules_judged_in

from tidegauge import Adapter, Implementation, Scenario, Transcript
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_evidence
from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.vectors.published import load_vectors
from tidegauge_reference import PROFILES

FOLDER = Path(__file__).parents[1] / "data" / "stock_flink"

FINISHED_SPLIT = {"splits-finished-and-idle-is-the-end", "split_finished=counts"}
NO_SPLITS = {"splits-stays-active-without-splits", "split_none=unchanged"}
SILENT = {"splits-silent-resumption", "split_resumption=rising-watermark"}

UNDER_CORE: dict[str, list[set[str]]] = {
    "valve": [
        {"valve_finished_channel=counts"},
        {"valve-guarded-flush", "valve_flush_when_all_idle=last-channel-at-output"},
        {"valve-stalled-reactivation", "valve_minimum_when_active=deferred"},
        {"valve_minimum_when_idle=channel-at-output"},
    ],
    "splits": [FINISHED_SPLIT, NO_SPLITS, SILENT],
    "splits-bare": [FINISHED_SPLIT, NO_SPLITS, SILENT, {"split_status=idle-at-every-update"}],
    "idleness": [
        {"idleness-zero-is-no-countdown", "idleness_reading_zero=ignored"},
        {"idleness-active-with-the-watermark", "idleness_ends_with=watermark"},
        {"clock_busy_downstream=counted"},
    ],
    "generator": [
        {"idleness_reading_zero=ignored"},
        {"idleness_ends_with=watermark"},
        {"split_resumption=rising-watermark"},
        {"generator-idle-timeouts-nest", "generator_idle_timeouts=nest"},
    ],
    "clock": [{"clock-busy-downstream-counts", "clock_busy_downstream=counted"}],
    "backlog": [{"backlog-awaits-the-silent", "backlog_channels_without_strategy=awaited"}],
}
"""The terms of each model, each with those that explain as much."""

UNDER_FLINK: dict[str, list[set[str]]] = {"splits-bare": [{"split_status=idle-at-every-update"}]}
"""What the profile does not say: it describes the multiplexer with the output behind it, as in a task."""

BUGS = {
    "valve": {"FLINK-38477", "FLINK-40475a", "FLINK-40475b"},
    "splits": {"FLINK-22926", "FLINK-38477", "FLINK-39586", "FLINK-40504"},
    "splits-bare": {"FLINK-22926", "FLINK-38477", "FLINK-39586", "FLINK-40504"},
    "idleness": {"FLINK-40234", "FLINK-40504"},
    "generator": {"FLINK-22926", "FLINK-40504", "flink-idle-timeouts-nest"},
    "clock": {"FLINK-40234"},
    "backlog": set(),
}
"""The live defects of Flink 2.3.0 in it."""

THE_SAME_DEFECT = {"FLINK-2577": "FLINK-39586", "FLINK-23767": "FLINK-40504"}
"""Older reports of what the later one is about."""

FAILING = {
    "valve": {"VALVE-6", "VALVE-12", "VALVE-15", "VALVE-17", "VALVE-18", "VALVE-20", "VALVE-21"},
    "splits": {"SPLIT-7", "SPLIT-8", "SPLIT-11"},
    "splits-bare": {"SPLIT-6", "SPLIT-7", "SPLIT-8", "SPLIT-11"},
    "idleness": {"IDLE-1", "IDLE-2", "IDLE-5"},
    "generator": {"GEN-13"},
    "clock": {"CLOCK-3"},
    "backlog": {"BACKLOG-10"},
}

each_recording = pytest.mark.parametrize("recording", others_slower(UNDER_CORE, ("valve", "generator")))


class Recorded(msgspec.Struct):
    """A line of a recording."""

    scenario: Scenario
    transcript: Transcript


class RecordedFlink(Adapter):
    """Answers what Flink answered."""

    def __init__(self, component: str, transcripts: Iterable[Transcript]) -> None:
        super().__init__({})
        self.component = component
        self.transcripts = {one.scenario: one for one in transcripts}

    def describe(self) -> Implementation:
        return Implementation(name="Apache Flink", version="2.3.0", capabilities=(self.component, "int64"))

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        return (self.transcripts[one.id] for one in scenarios)


@cache
def recorded(recording: str) -> list[Recorded]:
    """The lines of a recording."""
    lines = gzip.decompress((FOLDER / f"{recording}.jsonl.gz").read_bytes())
    return msgspec.json.Decoder(Recorded).decode_lines(lines)


@cache
def judged(recording: str, profile: str, left_out: tuple[str, ...] = ()) -> ComponentJudgement:
    """What is said of Flink by a recording."""
    lines = recorded(recording)
    component = recording.removesuffix("-bare")
    flink = RecordedFlink(component, (one.transcript for one in lines))
    vectors = {vector.id: vector.rules for vector in load_vectors(component)}
    scenarios = [one.scenario for one in lines]
    evidence = evidence_from(flink, scenarios, PROFILES[profile], made_small=False, vectors=vectors)
    return judge_evidence(evidence, rules_judged_in(flink, component), left_out)


def model(judgement: ComponentJudgement) -> set[frozenset[str]]:
    """Return the terms of the model, each with the alternatives that explain as much."""
    return {frozenset(one.name for one in tie) for tie in judgement.fit.ties}


def bugs(judgement: ComponentJudgement) -> set[str]:
    """The known bugs in the model."""
    terms = [term for tie in judgement.fit.ties for term in tie]
    found = {
        bug.id
        for bug in load_known_bugs().values()
        for term in terms
        if term.name in bug.mutants or (term.policy is not None and bug.is_shown_under(*term.policy))
    }
    return {THE_SAME_DEFECT.get(id, id) for id in found}


def broken(judgement: ComponentJudgement) -> set[str]:
    """Return the rules that the model breaks: suspects, since a recording cannot run further scenarios."""
    accused = {rule: one for rule, one in judgement.rules.items() if one.term}
    assert {one.standing for one in accused.values()} <= {"suspect"}
    return set(accused)


@each_recording
def test_flink_is_core_with_policies_and_known_mutants(recording: str) -> None:
    judgement = judged(recording, "core")
    assert judgement.fit.exact
    assert len(judgement.fit.explained) == judgement.examined > 10
    assert model(judgement) == {frozenset(one) for one in UNDER_CORE[recording]}


@each_recording
def test_the_live_defects_of_flink_are_named_and_no_others(recording: str) -> None:
    assert bugs(judged(recording, "core")) == BUGS[recording]


@each_recording
def test_the_rules_that_flink_breaks_fail_and_no_others(recording: str) -> None:
    judgement = judged(recording, "core")
    assert broken(judgement) == FAILING[recording]
    assert not [rule for rule, one in judgement.rules.items() if one.standing == "error"]


@each_recording
def test_under_its_profile_only_what_the_profile_does_not_say_is_left(recording: str) -> None:
    judgement = judged(recording, "flink-2.3")
    left = UNDER_FLINK.get(recording, [])
    assert judgement.fit.exact
    assert len(judgement.fit.explained) == judgement.examined
    assert (judgement.examined > 5) == bool(left)
    assert model(judgement) == {frozenset(one) for one in left}


@pytest.mark.slower
def test_without_one_of_its_terms_the_model_is_not_exact() -> None:
    assert not judged("splits", "core", tuple(sorted(SILENT))).fit.exact


def test_a_subtask_without_splits_is_never_idle() -> None:
    """The rule once passed although the engine differed in 426 of 426 ticks without splits."""
    ruling = judged("splits", "core").rules["SPLIT-7"]
    assert ruling.standing == "suspect"
    assert ruling.term in NO_SPLITS
