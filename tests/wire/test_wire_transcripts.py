"""Transcripts on the wire, and the outputs of in-process engines on their way into them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from tidegauge import IllegalArgument, IllegalState, Unsupported
from tidegauge.engine.errors import raised
from tidegauge.engine.outputs import read_outputs
from tidegauge.engine.wire_check import checked
from tidegauge.wire.steps.valve import IdleStep, ValveScenario, ValveSetup
from tidegauge.wire.timestamps import MAX, MIN
from tidegauge.wire.transcript import Failure, Outputs, Transcript, encode_transcript, joined, spans
from tidegauge.wire.vocabulary import Active, Error, Idle, Output, Watermark

FULL = Transcript(
    "a",
    ((), (Watermark(5), Idle()), (Active("subtask:1"), Watermark("MAX")), (Error("illegal-argument"),)),
    Failure("exception", "KeyError: 7"),
)


def test_a_transcript_survives_the_trip() -> None:
    assert msgspec.json.decode(encode_transcript(FULL), type=Transcript) == FULL
    assert checked(FULL) == FULL


def test_the_wire_form_is_what_is_published() -> None:
    assert json.loads(encode_transcript(FULL)) == {
        "scenario": "a",
        "outputs": [
            [],
            [
                {"output": "watermark", "timestamp": 5, "to": "downstream"},
                {"output": "idle", "to": "downstream"},
            ],
            [
                {"output": "active", "to": "subtask:1"},
                {"output": "watermark", "timestamp": "MAX", "to": "downstream"},
            ],
            [{"output": "error", "error": "illegal-argument", "to": "caller"}],
        ],
        "failure": {"kind": "exception", "text": "KeyError: 7"},
    }


WRONG = {
    "a float": Watermark(5.0),  # type: ignore[arg-type]
    "a bool": Watermark(True),
    "a large integer": Watermark(2**70),
    "a large integer as such": Watermark(2**53),
    "a text": Watermark("5"),
    "no text": Watermark(None),  # type: ignore[arg-type]
    "an object": Watermark(object()),  # type: ignore[arg-type]
    "a receiver that is a number": Idle(3),  # type: ignore[arg-type]
    "a surrogate": Idle("\ud800"),
    "an unknown error": Error("oops"),  # type: ignore[arg-type]
    "a bare output": Output(),
    "no output at all": "watermark",
}


@pytest.mark.parametrize("output", WRONG.values(), ids=WRONG)
def test_outputs_of_wrong_types_are_a_failure_of_the_protocol_where_they_stand(output: Any) -> None:
    answer = checked(Transcript("a", ((Idle(),), (), (Active(), output), (Idle(),))))
    assert answer.outputs == ((Idle(),), ())
    assert answer.failure is not None
    assert answer.failure.kind == "protocol"
    assert answer.failure.text


@pytest.mark.parametrize(
    "character", ["a", '"', "\\", "\n", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\U0001f30a"]
)
def test_a_long_transcript_ends_before_a_text_that_is_too_long(character: str) -> None:
    short = (Idle(character * 1_000),) * 20
    assert checked(Transcript("a", (short, short))) == Transcript("a", (short, short))
    answer = checked(Transcript("a", (short, (*short, Idle(character * 1_001)), short)))
    assert answer.outputs == (short,)
    assert answer.failure == Failure(
        "protocol", "an output has a text of 1,001 characters; 1,000 are the most"
    )


def test_a_short_step_with_a_text_that_is_too_long_is_no_answer_either() -> None:
    many = ((Active(),) * 200,) * 4
    answer = checked(Transcript("a", (*many, (Idle("a" * 1_001),), (Idle(),))))
    assert answer.outputs == many
    assert answer.failure is not None


@pytest.mark.parametrize(
    ("timestamp", "problem"),
    [
        (5.0, "got `float`"),
        (True, "got `bool`"),
        (2**70, "matching regex"),
        ("5", "returned ('watermark', '5')"),
    ],
    ids=repr,
)
def test_an_in_process_engines_wrong_types_do_not_get_through(timestamp: object, problem: str) -> None:
    try:
        failure = checked(Transcript("a", (read_outputs([("watermark", timestamp)]),))).failure
        text = failure.text if failure is not None else ""
    except TypeError as error:
        text = str(error)
    assert problem in text


@pytest.mark.parametrize(
    ("raw", "outputs"),
    [
        ([], ()),
        ((), ()),
        ([("watermark", 5)], (Watermark(5),)),
        ([["watermark", 5], ("idle",)], (Watermark(5), Idle())),
        ([("watermark", MAX), ("watermark", MIN)], (Watermark("MAX"), Watermark("MIN"))),
        ([("watermark", 2**53)], (Watermark("9007199254740992"),)),
        ([("active", "subtask:3")], (Active("subtask:3"),)),
        ([Idle(), ("active",)], (Idle(), Active())),
        ((entry for entry in [("idle",), Error("unsupported")]), (Idle(), Error("unsupported"))),
    ],
    ids=["empty", "tuple", "watermark", "lists", "ends", "large", "receiver", "structs", "iterator"],
)
def test_outputs_are_structs_or_tuples(raw: Iterable[Any], outputs: Outputs) -> None:
    assert read_outputs(raw) == outputs


@pytest.mark.parametrize(
    "raw",
    [
        ["idle"],
        [("idling",)],
        [("watermark",)],
        [("watermark", 1, "downstream", 2)],
        [("idle", 1, 2)],
        [5],
        [None],
        [()],
        [[["idle"]]],
        [{"idle": 5}],
        [{"idle"}],
        {"watermark": 5},
        {("idle",)},
        "idle",
        5,
        False,
        0,
        "",
    ],
    ids=repr,
)
def test_anything_else_is_refused_with_what_was_returned(raw: Any) -> None:
    with pytest.raises(
        TypeError,
        match="the engine returned .*; an output is a tuple of a name \\(active, alignment, .*, watermark\\)",
    ):
        read_outputs(raw)


@pytest.mark.parametrize(
    ("error", "output"),
    [
        (IllegalArgument("x"), Error("illegal-argument")),
        (Unsupported(), Error("unsupported")),
        (IllegalState(), Error("illegal-state")),
        (ValueError("x"), None),
        (NotImplementedError(), None),
        (RuntimeError(), None),
        (UnicodeDecodeError("utf-8", b"", 0, 1, ""), None),
        (RecursionError(), None),
        (KeyError("channel"), None),
        (IndexError(), None),
        (AssertionError(), None),
        (TypeError(), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_the_exceptions_of_the_kit_are_outputs(error: Exception, output: Error | None) -> None:
    assert raised(error) == output


def scenario(steps: int, groups: tuple[int, ...] = ()) -> ValveScenario:
    """A scenario of so many steps."""
    return ValveScenario(id="s", setup=ValveSetup(1), history=(IdleStep(0),) * steps, groups=groups)


def test_observed_spans() -> None:
    assert spans(scenario(4), "step") == [1, 1, 1, 1]
    assert spans(scenario(4, (1, 3)), "step") == [1, 1, 1, 1]
    assert spans(scenario(4, (1, 3)), "group") == [1, 3]
    assert spans(scenario(4), "group") == [4]
    assert spans(scenario(4, (1, 3)), "scenario") == [4]
    assert spans(scenario(0), "step") == spans(scenario(0), "group") == spans(scenario(0), "scenario") == []


def test_outputs_are_joined_over_spans_in_order() -> None:
    per_step: list[Outputs] = [(Watermark(1),), (), (Watermark(2), Idle()), (Active(),)]
    assert joined(per_step, [1, 3]) == [(Watermark(1),), (Watermark(2), Idle(), Active())]
    assert joined(per_step, [4]) == [(Watermark(1), Watermark(2), Idle(), Active())]
    assert joined(per_step, [1, 1, 1, 1]) == per_step
    assert joined([], []) == []
