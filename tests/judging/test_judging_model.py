"""The reference with changes in it: pieces of its text that combine, or do not."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest
from engines import histories, valve_scenario

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.changes.change import (
    Change,
    named_changes,
    policy_changes,
    small_changes,
    small_changes_at,
)
from tidegauge.judging.changes.segments import Segment, changed_text, segment_of_small_change, touch
from tidegauge.judging.changes.syntax_mutants import edits_of, load_syntax_mutants
from tidegauge.judging.diagnosis.model import CannotBeMade, Model, canonical, model_of, observed
from tidegauge.judging.items.places import Places
from tidegauge.judging.reference.oracle import expect
from tidegauge.mutants.loading import reference_source
from tidegauge.wire.vocabulary import Active, Idle, Watermark
from tidegauge_reference import CORE, FLINK_2_3

VALVE = COMPONENTS["valve"]
NAMED = {change.name: change for change in named_changes("valve")}
CAUGHT_UP, NO_FLUSH = NAMED["valve-strictly-caught-up"], NAMED["valve-no-flush"]
SCENARIOS = histories(200)


def model(*changes: Change) -> Model:
    """The valve under `core` with changes."""
    return Model(VALVE, CORE, changes)


@pytest.fixture(autouse=True)
def no_copy_is_left() -> Iterator[None]:
    """A closed model leaves nothing behind."""
    before = {name for name in sys.modules if name.startswith("tidegauge_model_")}
    yield
    assert {name for name in sys.modules if name.startswith("tidegauge_model_")} <= before


# Places


@pytest.mark.parametrize("numbers", [[], [0], [5], [0, 1, 2], [3, 4, 9, 10, 12], list(range(0, 40, 3))])
def test_places_give_back_what_was_added(numbers: list[int]) -> None:
    places = Places()
    for number in numbers:
        places.add(number)
    assert list(places) == numbers
    assert len(places) == len(numbers)


def test_places_that_follow_one_another_are_one_run() -> None:
    places = Places()
    for number in (2, 3, 4, 7):
        places.add(number)
    assert places.runs == [(2, 3), (7, 1)]
    assert Places().runs == [], "and no two share their runs"


@pytest.mark.parametrize(
    ("runs", "are_below"),
    [
        ([], True),
        ([(0, 4)], True),
        ([(0, 2), (3, 1)], True),
        ([(0, 5)], False),
        ([(3, 2)], False),
        ([(-1, 2)], False),
        ([(0, 0)], False),
        ([(0, 10**15)], False),
    ],
)
def test_places_of_a_file_may_be_any(runs: list[tuple[int, int]], are_below: bool) -> None:
    assert Places(runs).are_below(4) == are_below


# Segments


@pytest.mark.parametrize("module", ["valve", "clock", "timestamps"])
def test_a_small_change_as_text_gives_the_same_program(module: str) -> None:
    """As the syntax mutant of that number, which is made in the tree."""
    source, (_, edits) = reference_source(module), edits_of(module)
    segments = [segment_of_small_change(module, number) for number in range(len(edits))]
    assert sum(one is None for one in segments) < 0.1 * len(edits)
    mutants = {one.number: one for one in load_syntax_mutants().values() if one.module == module}
    for number, segment in enumerate(segments):
        if segment is not None:
            changed = changed_text(source, [segment])
            assert ast.unparse(ast.parse(changed)) == mutants[number].source()


def test_a_change_of_text_leaves_the_rest_as_it_was() -> None:
    segments = [Segment("m", 4, 7, "both"), Segment("m", 0, 3, "")]
    assert changed_text("one two three", segments) == " both three"


def test_segments_touch_if_they_share_text_of_one_module() -> None:
    one = Segment("m", 3, 7, "")
    assert touch([one, Segment("m", 6, 9, "")])
    assert touch([Segment("m", 0, 20, ""), one])
    assert not touch([one, Segment("m", 7, 9, "")])
    assert not touch([one, Segment("n", 3, 7, "")])


# Changes


def test_the_changes_of_a_component_are_of_three_kinds() -> None:
    assert CAUGHT_UP.kind == "mutant"
    assert CAUGHT_UP.rules == ("VALVE-10",)
    assert {one.kind for one in small_changes("valve")} == {"small-change"}
    policies = {one.name: one for one in policy_changes("valve", CORE)}
    finished = policies["valve_finished_channel=counts"]
    assert (finished.kind, finished.policy) == ("policy", ("valve_finished_channel", "counts"))
    assert "VALVE-17" in finished.rules
    assert "valve_finished_channel=counts" not in {one.name for one in policy_changes("valve", FLINK_2_3)}


def test_the_small_changes_of_a_rule_are_where_it_alone_decides() -> None:
    of_rule = list(small_changes_at("valve", "VALVE-10"))
    assert of_rule
    assert {one.rules for one in of_rule} == {("VALVE-10",)}
    assert set(of_rule) <= set(small_changes("valve"))


# Models


def test_a_model_without_changes_is_the_reference() -> None:
    with model_of(VALVE, CORE, ()) as reference:
        assert reference is not None
        for scenario in SCENARIOS:
            expectation = expect(scenario, CORE)
            assert reference.play(scenario) == tuple(expectation.outputs)
            assert reference.cited(scenario) == expectation.cited


def test_changes_combine() -> None:
    late = valve_scenario(2, "i1", "w0=5", "a1", "w1=5", "w0=7")
    flushed = valve_scenario(2, "w0=5", "w1=3", "i0", "i1")
    made = {
        name: model(*changes)
        for name, changes in {
            "right": (),
            "caught up": (CAUGHT_UP,),
            "no flush": (NO_FLUSH,),
            "both": (CAUGHT_UP, NO_FLUSH),
        }.items()
    }
    played = {name: (one.play(late), one.play(flushed)) for name, one in made.items()}
    for one in made.values():
        one.close()
    assert played["caught up"][0] != played["right"][0] == played["no flush"][0]
    assert played["caught up"][1] == played["right"][1] != played["no flush"][1]
    assert played["both"] == (played["caught up"][0], played["no flush"][1])


def test_policies_and_texts_combine() -> None:
    counts = next(one for one in policy_changes("valve", CORE) if one.name == "valve_finished_channel=counts")
    finishing = valve_scenario(2, "w0=MAX", "w1=3", "i1")
    with model_of(VALVE, CORE, (counts, CAUGHT_UP)) as both, model_of(VALVE, CORE, (counts,)) as one:
        assert both is not None
        assert one is not None
        assert both.play(finishing) == one.play(finishing) != tuple(expect(finishing, CORE).outputs)


def test_changes_that_touch_cannot_be_made() -> None:
    same_place = next(
        one
        for one in small_changes("valve")
        if one is not CAUGHT_UP and touch([*one.segments, *CAUGHT_UP.segments])
    )
    with pytest.raises(CannotBeMade):
        model(CAUGHT_UP, same_place)
    with model_of(VALVE, CORE, (CAUGHT_UP, same_place)) as none:
        assert none is None


def test_two_values_of_one_policy_cannot_be_made() -> None:
    one, *_ = policy_changes("valve", CORE)
    assert one.policy is not None
    other = Change("other", "policy", (), policy=(one.policy[0], "x"))
    with pytest.raises(CannotBeMade):
        model(one, other)


def test_a_text_that_does_not_load_cannot_be_made() -> None:
    with pytest.raises(CannotBeMade):
        model(Change("broken", "small-change", (), (Segment("valve", 0, 0, "no python\n"),)))


def test_a_model_that_raises_or_never_ends_answers_up_to_there() -> None:
    body = '        source = self._channel(channel)\n        if cite("VALVE-5"'
    start = reference_source("valve").index(body)
    scenario = valve_scenario(1, "w0=1", "w0=2", "w0=3")
    for words in ("raise KeyError", "while True:\n                pass"):
        text = f"        if timestamp == 2:\n            {words}\n"
        change = Change(words, "small-change", (), (Segment("valve", start, start, text),))
        with model_of(VALVE, CORE, (change,)) as wrong:
            assert wrong is not None
            assert wrong.play(scenario) == ((Watermark(1),),)


def test_a_decision_can_be_turned_at_some_steps_alone() -> None:
    scenario = valve_scenario(1, "w0=5", "w0=3", "w0=4")
    with model_of(VALVE, CORE, ()) as reference:
        assert reference is not None
        assert reference.turned(scenario, "VALVE-4", {1}, 3) == [(Watermark(5),), (), ()]
        turned = reference.turned(scenario, "VALVE-3!", {0}, 3)
        assert turned[0] == ()
        assert len(reference.turned(scenario, "VALVE-3", {1}, 2)) == 2


def test_outputs_are_joined_over_the_spans_that_are_complete() -> None:
    scenario = valve_scenario(1, "w0=1", "w0=2", "i0", groups=(2, 1))
    outputs = [(Watermark(1),), (Watermark(2),)]
    assert observed(scenario, outputs, "group") == ((Watermark(1), Watermark(2)),)
    assert observed(scenario, outputs[:1], "group") == ()
    assert observed(scenario, outputs, "step") == ((Watermark(1),), (Watermark(2),))
    assert observed(scenario, outputs, "scenario") == ()


def test_the_order_between_receivers_is_always_the_same_and_that_within_one_stays() -> None:
    one, other = Watermark(1, to="b"), Idle("a")
    assert canonical((one, other)) == canonical((other, one)) == (other, one)
    assert canonical((Watermark(2), Active(), Watermark(1))) == (Watermark(2), Active(), Watermark(1))
