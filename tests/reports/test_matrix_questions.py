"""The matrix answers a chooser's questions from the results of runs."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from tidegauge.wire.results import Results
from tidegauge_reports.matrix import markdown
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.questions import Answer, Question, answer, read_questions
from tidegauge_reports.matrix.table import build_matrix
from tidegauge_reports.matrix.verdict_table import render_json
from tidegauge_reports.shipped import load_shipped
from tidegauge_spec import load_registry, read_policies


def question(about: str) -> Question:
    (found,) = (each for each in read_questions() if about in (each.policy, *each.rules))
    return found


def answered(about: str, results: Results) -> Answer:
    given = answer(question(about), results)
    assert given is not None
    return given


@pytest.mark.parametrize("asked", read_questions(), ids=lambda asked: asked.text)
def test_a_question_has_an_answer_for_each_value(asked: Question) -> None:
    assert asked.text.endswith("?")
    assert {*asked.rules, *asked.limited_by} <= set(load_registry().rules)
    values = read_policies()[asked.policy].values if asked.policy else ("kept", "broken")
    assert set(asked.answers) == set(values)
    assert set(asked.limited_by) <= set(asked.decided_by())


def test_a_choice_of_the_profile_is_the_answer() -> None:
    flink, reference = load_shipped()["flink"], load_shipped()["reference"]
    assert answered("valve_finished_channel", flink).value == "counts"
    assert answered("valve_finished_channel", reference).value == "leaves"


def test_under_core_the_diagnosis_gives_the_answer() -> None:
    assert answered("valve_finished_channel", load_shipped()["flink-core"]).value == "counts"


def test_a_known_deviation_gives_the_answer_or_limits_it() -> None:
    spark = load_shipped()["spark-native"]
    assert answered("window_session_lateness", spark).value == "before-merging"
    ended = answered("valve_finished_channel", spark)
    assert ended.value == "leaves"
    assert any("its last watermark holds the others back" in sentence for sentence in ended.but)
    assert answered("VALVE-6", spark).value == "broken"


def test_an_engine_without_the_part_gives_no_answer() -> None:
    assert answer(question("SOURCE-1"), load_shipped()["spark-native"]) is None


def test_what_the_adapter_does_limits_the_answer() -> None:
    order = answered("window_order_at_a_watermark", load_shipped()["beam-java"])
    assert any(sentence.startswith("The adapter sorts the panes") for sentence in order.but)


def test_an_engine_without_the_feature_gives_no_answer() -> None:
    """The late records of Bytewax go to an output and are never dropped."""
    assert answer(question("window_dropped_record"), load_shipped()["bytewax"]) is None
    assert answered("window_dropped_record", load_shipped()["beam"]).value == "without-a-trace"
    assert answered("window_touching_sessions", load_shipped()["beam"]).value == "separate"


def test_what_nothing_explains_is_not_known() -> None:
    core = load_shipped()["flink-core"]
    components = [
        replace(each, model=[], unexplained="valve:1") if each.component == "valve" else each
        for each in core.components
    ]
    given = answered("valve_returning_channel", replace(core, components=components))
    assert given.value == ""
    assert given.text.startswith("Not known: VALVE-")


def test_the_answers_are_on_the_page_and_in_the_data() -> None:
    matrix = build_matrix([Run(load_shipped()["flink"]), Run(load_shipped()["spark-native"])])
    text = markdown.render(matrix)
    row = next(line for line in text.splitlines() if line.startswith("| Does a fast source wait"))
    assert row.split(" | ")[1:] == ["Yes, at most a declared drift ahead.", "– |"]
    data = json.loads(render_json(matrix))
    asked = "Does a fast source wait for a slow one?"
    (given,) = (each for each in data["answers"] if each["question"] == asked)
    assert (given["engine"], given["value"], given["rules"]) == (0, "kept", ["SOURCE-1", "SOURCE-3"])
