"""The matrix answers questions about engines from the results of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tidegauge.components.registry import load_mutants
from tidegauge.wire.own_profile import Choice
from tidegauge.wire.results import Results
from tidegauge_reports.matrix import markdown
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.questions import NOT_IN_RUN, Answer, Question, answer, read_questions
from tidegauge_reports.matrix.table import build_matrix
from tidegauge_reports.matrix.verdict_table import render_json
from tidegauge_reports.shipped import load_shipped
from tidegauge_spec import load_registry, read_policies


def question(about: str) -> Question:
    (found,) = (each for each in read_questions() if about in (each.policy, *each.rules))
    return found


def with_rules(results: Results, changed: dict[str, dict[str, str]]) -> Results:
    """Return the results with other fields of some rules."""
    rules = [replace(rule, **changed.get(rule.id, {})) for rule in results.rules]
    return replace(results, rules=rules)


def answered(about: str, results: Results) -> Answer:
    given = answer(question(about), results)
    assert given is not None
    return given


@pytest.mark.parametrize("asked", read_questions(), ids=lambda asked: asked.text)
def test_a_question_has_an_answer_for_each_value(asked: Question) -> None:
    assert asked.text.endswith("?")
    assert {*asked.rules, *asked.limited_by} <= set(load_registry().rules)
    assert set(asked.unaffected_by) <= set(load_mutants())
    values = read_policies()[asked.policy].values if asked.policy else ("kept", "broken")
    assert set(asked.answers) == set(values)


def test_a_choice_of_the_profile_is_the_answer() -> None:
    flink, reference = load_shipped()["flink"], load_shipped()["reference"]
    assert answered("valve_finished_channel", flink).value == "counts"
    assert answered("valve_finished_channel", reference).value == "leaves"
    assert answered("window_touching_sessions", load_shipped()["hazelcast"]).value == "separate"


def test_a_policy_as_known_deviation_is_the_answer_only_while_it_shows() -> None:
    spark = load_shipped()["spark-native"]
    assert answered("window_session_lateness", spark).value == "before-merging"
    gone = [
        replace(found, status="unexpected-pass") if found.name.startswith("window_session") else found
        for found in spark.deviations
    ]
    assert answered("window_session_lateness", replace(spark, deviations=gone)).value == "after-merging"


@pytest.mark.parametrize(
    ("engine", "policy", "sentence"),
    [
        ("spark-native", "valve_finished_channel", "its last watermark holds the others back"),
        ("spark-native", "valve_flush_when_all_idle", "Statuses are ignored and none is sent"),
        ("hazelcast", "window_late_record", "late for one of its windows is added to none"),
        ("hazelcast", "window_session_lateness", "although its session is open"),
        ("flink-core", "valve_flush_when_all_idle", "flushes only if the channel that became idle last"),
    ],
)
def test_a_defect_against_the_rules_is_the_answer(engine: str, policy: str, sentence: str) -> None:
    given = answered(policy, load_shipped()[engine])
    assert given.value == ""
    assert sentence in given.text


@pytest.mark.parametrize("verdict", ["not-tested", "error", "suspect"])
def test_a_rule_without_a_verdict_leaves_the_question_open(verdict: str) -> None:
    reference = load_shipped()["reference"]
    for asked, rule in (("valve_returning_channel", "VALVE-10"), ("WIN-4", "WIN-4")):
        given = answered(asked, with_rules(reference, {rule: {"verdict": verdict}}))
        assert (given.value, given.text) == ("", f"Not known: no verdict on {rule}.")


def test_a_failing_rule_that_nothing_explains_is_not_known() -> None:
    core = load_shipped()["flink-core"]
    components = [
        replace(each, model=[], unexplained="valve:1") if each.component == "valve" else each
        for each in core.components
    ]
    broken = with_rules(replace(core, components=components), {"VALVE-15": {"verdict": "fail"}})
    given = answered("valve_flush_when_all_idle", broken)
    assert given.value == ""
    assert given.text == "Not known: nothing known explains why VALVE-15 fails."


def test_a_question_about_rules_is_answered_by_their_verdicts() -> None:
    reference = load_shipped()["reference"]
    assert answered("WIN-4", reference).value == "kept"
    assert answered("WIN-4", with_rules(reference, {"WIN-4": {"verdict": "fail"}})).value == "broken"
    by_policy = {"WIN-4": {"policy": "window_session_end", "reason": "by policy window_session_end"}}
    assert answered("WIN-4", with_rules(reference, by_policy)).but == (
        "WIN-4: by policy window_session_end.",
    )


def test_a_part_that_did_not_run_is_told_from_one_that_the_engine_lacks() -> None:
    spark = load_shipped()["spark-native"]
    assert answer(question("source_aligned_watermark"), spark) is None
    windows = [rule for rule in spark.rules if rule.id.startswith("WIN-")]
    given = answered("valve_flush_when_all_idle", replace(spark, rules=windows))
    assert given == NOT_IN_RUN
    assert build_matrix([Run(replace(spark, rules=[]))]).questions == []


def test_what_the_adapter_does_stands_beside_the_answer() -> None:
    order = answered("window_order_at_a_watermark", load_shipped()["beam-java"])
    assert order.value == "by-end"
    assert any(sentence.startswith("The adapter sorts the panes") for sentence in order.but)


def test_an_engine_without_the_feature_gives_no_answer() -> None:
    """The late records of Bytewax go to an output and are never dropped."""
    assert answer(question("window_dropped_record"), load_shipped()["bytewax"]) is None
    assert answered("window_dropped_record", load_shipped()["beam"]).value == "without-a-trace"


def test_a_profile_that_is_not_known_here_gives_no_answer(tmp_path: Path) -> None:
    """Results come from other machines and other versions; a name in them never opens a file."""
    reference, beam = load_shipped()["reference"], load_shipped()["beam"]
    own = tmp_path / "own.toml"
    own.write_text("name = 'own'\n", encoding="utf-8")
    assert beam.own_profile is not None
    unknown = [
        replace(reference, profile="of-a-later-version"),
        replace(reference, profile=str(own)),
        replace(beam, own_profile=replace(beam.own_profile, base="nope")),
        replace(beam, own_profile=replace(beam.own_profile, choices=(Choice("later", "value", "r"),))),
    ]
    for results in unknown:
        given = answered("window_touching_sessions", results)
        assert (given.value, given.text[:9]) == ("", "Not known")


def test_the_answers_are_on_the_page_and_in_the_data() -> None:
    matrix = build_matrix([Run(load_shipped()["flink"]), Run(load_shipped()["spark-native"])])
    text = markdown.render(matrix)
    row = next(line for line in text.splitlines() if line.startswith("| Does a fast source wait"))
    asked = question("source_aligned_watermark")
    assert row.split(" | ")[1:] == [asked.answers["oldest-sample"], "– |"]
    data = json.loads(render_json(matrix))
    (given,) = (each for each in data["answers"] if each["question"] == asked.text)
    assert (given["engine"], given["value"], given["rules"]) == (0, "oldest-sample", ["SOURCE-1"])
