"""A transcript against what is expected: only the part up to the first difference counts."""

from __future__ import annotations

import pytest
from engines import VALVE_RULES, valve_scenario
from msgspec.structs import replace

from tidegauge.judging.items.judge import Judgement, judge
from tidegauge.judging.reference.oracle import Expectation, expect
from tidegauge.wire.transcript import Failure, Observation, Outputs, Transcript, same_outputs
from tidegauge.wire.vocabulary import Active, Idle, Output, Snapshot, Watermark
from tidegauge_reference import CORE

SCENARIO = valve_scenario(1, "w0=1", "w0=1", "w0=2", "i0", groups=(3, 1))
EXPECTATION = Expectation(
    outputs=[(Watermark(1),), (), (Watermark(2),), (Idle(),)],
    cited=[("VALVE-2",), ("VALVE-3",), ("VALVE-2", "VALVE-3!"), ("VALVE-14",)],
)
RIGHT: tuple[Outputs, ...] = tuple(EXPECTATION.outputs)


def judged(
    outputs: tuple[Outputs, ...], failure: Failure | None = None, observes: Observation = "step"
) -> Judgement:
    """The judgement on these outputs of the scenario above."""
    return judge(SCENARIO, Transcript(SCENARIO.id, outputs, failure), EXPECTATION, observes)


def test_an_agreeing_transcript_shows_every_rule_that_decided_up_to_the_last_output() -> None:
    judgement = judged(RIGHT)
    assert judgement.diverges_at is None
    assert judgement.cited == {"VALVE-2", "VALVE-3", "VALVE-3!", "VALVE-14"}
    assert judgement.shown == {"VALVE-2": 2, "VALVE-3": 2, "VALVE-14": 1}


def test_the_first_difference_counts_and_what_comes_after_it_does_not() -> None:
    judgement = judged(((Watermark(1),), (), (Watermark(3),), ()))
    assert (judgement.diverges_at, judgement.last_step) == (2, 2)
    assert judgement.expected == (Watermark(2),)
    assert judgement.got == (Watermark(3),)
    assert judgement.cited == {"VALVE-2", "VALVE-3", "VALVE-3!"}
    assert judgement.shown == {"VALVE-2": 1}


def test_an_output_where_none_is_expected_is_a_difference() -> None:
    judgement = judged(((Watermark(1),), (Watermark(1),), (Watermark(2),), (Idle(),)))
    assert judgement.diverges_at == 1
    assert judgement.expected == ()


def test_silence_where_an_output_is_expected_is_a_difference() -> None:
    judgement = judged(((), (), (), ()))
    assert (judgement.diverges_at, judgement.got, judgement.shown) == (0, (), {})


def test_that_something_was_ignored_shows_only_when_a_later_output_agrees() -> None:
    expectation = Expectation([(Watermark(1),), (), (), ()], EXPECTATION.cited)
    right = Transcript("own", tuple(expectation.outputs))
    assert judge(SCENARIO, right, expectation, "step").shown == {"VALVE-2": 1}


def test_no_output_at_all_shows_nothing_even_where_none_is_expected() -> None:
    expectation = Expectation([(), (), (), ()], EXPECTATION.cited)
    judgement = judge(SCENARIO, Transcript("own", ((), (), (), ())), expectation, "step")
    assert judgement.diverges_at is None
    assert judgement.shown == {}


def test_a_missing_transcript_is_no_divergence_and_no_agreement() -> None:
    judgement = judge(SCENARIO, None, EXPECTATION, "step")
    missing = Failure("missing", "the adapter returned no transcript for this scenario")
    assert (judgement.diverges_at, judgement.last_step, judgement.agrees) == (None, 0, False)
    assert judgement.got == judgement.unanswered == missing
    assert judgement.shown == {}
    assert judgement.deciding == {"VALVE-2"}
    assert judgement.unreached == {"VALVE-3", "VALVE-14"}


def test_an_exception_leaves_a_scenario_unanswered_from_there_on() -> None:
    failure = Failure("exception", "KeyError: 7")
    judgement = judged(RIGHT[:2], failure)
    assert (judgement.diverges_at, judgement.last_step, judgement.agrees) == (None, 2, False)
    assert judgement.got == judgement.unanswered == failure
    assert judgement.expected == (Watermark(2),)
    assert judgement.shown == {"VALVE-2": 1}
    assert judgement.deciding == {"VALVE-2", "VALVE-3"}
    assert judgement.unreached == {"VALVE-14"}


def test_a_difference_before_an_exception_is_a_divergence() -> None:
    judgement = judged(((Watermark(7),),), Failure("exception", "KeyError: 7"))
    assert (judgement.diverges_at, judgement.got) == (0, (Watermark(7),))
    assert judgement.unanswered is None


def test_a_failure_after_all_answers_leaves_the_scenario_unanswered() -> None:
    failure = Failure("protocol", "something at the end")
    judgement = judged(RIGHT, failure)
    assert (judgement.diverges_at, judgement.last_step, judgement.unanswered) == (None, 3, failure)
    assert judgement.deciding == {"VALVE-2", "VALVE-3", "VALVE-14"}


def test_a_transcript_that_ends_early_without_a_reason_is_unanswered() -> None:
    judgement = judged(RIGHT[:3])
    assert (judgement.diverges_at, judgement.expected) == (None, (Idle(),))
    assert judgement.unanswered == Failure("missing", "the transcript ends before this step")


def test_a_transcript_of_too_many_answers_is_unanswered() -> None:
    judgement = judged((*RIGHT, ()))
    assert judgement.diverges_at is None
    assert judgement.unanswered == Failure("protocol", "5 observed spans where the scenario has 4")


NOTHING_DECIDES = Expectation([(Watermark(1),), (), (), (Idle(),)], [("VALVE-2",), (), (), ("VALVE-14",)])


def test_no_answer_to_a_step_that_decides_nothing_is_none_to_the_decisions_it_shows() -> None:
    judgement = judge(SCENARIO, Transcript("own", RIGHT[:1]), NOTHING_DECIDES, "step")
    assert judgement.deciding == {"VALVE-2"}


def test_no_answer_to_a_snapshot_is_none_to_the_rules_about_snapshots() -> None:
    scenario = replace(SCENARIO, history=(SCENARIO.history[0], Snapshot(), *SCENARIO.history[2:]))
    judgement = judge(scenario, Transcript("own", RIGHT[:1]), NOTHING_DECIDES, "step")
    assert judgement.deciding == {"VALVE-23"}


def test_where_nothing_has_been_decided_no_answer_is_none_to_any_rule_of_the_component() -> None:
    nothing = Expectation([(), (), (), ()], [(), (), (), ("VALVE-14",)])
    judgement = judge(SCENARIO, Transcript("own", ()), nothing, "step")
    assert judgement.deciding == set(VALVE_RULES)


def test_an_engine_observed_by_groups_is_compared_over_the_same_groups() -> None:
    right: tuple[Outputs, ...] = ((Watermark(1), Watermark(2)), (Idle(),))
    assert judged(right, observes="group").diverges_at is None
    assert judged(right, observes="group").shown == {"VALVE-2": 2, "VALVE-3": 2, "VALVE-14": 1}
    wrong = judged(((Watermark(1), Watermark(2)), ()), observes="group")
    assert (wrong.diverges_at, wrong.last_step) == (1, 3)
    first = judged(((Watermark(2),), (Idle(),)), observes="group")
    assert (first.diverges_at, first.last_step, first.shown) == (0, 2, {})
    assert first.cited == {"VALVE-2", "VALVE-3", "VALVE-3!"}
    assert first.expected == (Watermark(1), Watermark(2))


def test_an_engine_observed_by_scenario_is_compared_over_the_whole() -> None:
    whole = (Watermark(1), Watermark(2), Idle())
    assert judged((whole,), observes="scenario").diverges_at is None
    wrong = judged((whole[:2],), observes="scenario")
    assert (wrong.diverges_at, wrong.last_step, wrong.expected) == (0, 3, whole)


def test_outputs_of_single_steps_are_not_taken_for_those_of_groups() -> None:
    judgement = judged(RIGHT, observes="group")
    assert judgement.diverges_at is None
    assert judgement.unanswered == Failure("protocol", "4 observed spans where the scenario has 2")


A, B = Watermark(1, to="a"), Watermark(2, to="b")


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ((A, B), (B, A), True),
        ((A, Idle("a"), B), (B, A, Idle("a")), True),
        ((A, Idle("a"), B), (B, Idle("a"), A), False),
        ((Watermark(1), Idle()), (Idle(), Watermark(1)), False),
        ((A, B), (A,), False),
        ((A, B), (A, B, B), False),
        ((A, B), (A, Watermark(2, to="c")), False),
        ((A, A, B), (A, B, B), False),
        ((), (), True),
        ((Active(),), (Active(),), True),
        ((Active(),), (Active("a"),), False),
    ],
)
def test_order_counts_within_a_receiver_only(
    expected: tuple[Output, ...], got: tuple[Output, ...], same: bool
) -> None:
    assert same_outputs(expected, got) is same  # type: ignore[arg-type]


def test_the_judge_uses_receivers() -> None:
    expectation = Expectation([(A, B), (), (), ()], EXPECTATION.cited)
    swapped = Transcript("own", ((B, A), (), (), ()))
    assert judge(SCENARIO, swapped, expectation, "step").diverges_at is None


def test_the_oracle_says_what_the_reference_does_and_which_rules_decided() -> None:
    scenario = valve_scenario(2, "w0=5", "w7=1", "i0", "i1")
    expectation = expect(scenario, CORE)
    assert len(expectation.outputs) == len(expectation.cited) == 4
    assert [[type(output).__name__ for output in outputs] for outputs in expectation.outputs] == [
        [],
        ["Error"],
        [],
        ["Watermark", "Idle"],
    ]
    assert {"VALVE-1", "VALVE-22!"} <= set(expectation.cited[0])
    assert expectation.cited[1] == ("VALVE-22",)
    assert {"VALVE-14", "VALVE-15", "VALVE-16"} <= set(expectation.cited[3])
