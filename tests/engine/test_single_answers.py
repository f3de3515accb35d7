"""An engine that answers a scenario twice, or one that nobody asked for, gets no verdict from either answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Event

import pytest
from conftest import PATIENCE
from engines import ValveAdapter, valve_scenario
from msgspec.structs import replace

from tidegauge import Transcript
from tidegauge.engine.ahead import AnswersAhead
from tidegauge.engine.runner import run
from tidegauge.wire.scenario import Scenario
from tidegauge_reference import CORE, Valve

FIRST, SECOND = (
    valve_scenario(1, "w0=1", f"w0={last}", id=name) for last, name in ((2, "first"), (3, "second"))
)


class AnswersMore(ValveAdapter):
    """A right valve that gives more transcripts than it was asked for."""

    ahead = True

    def __init__(self, answers: Callable[[Transcript], Iterable[Transcript]]) -> None:
        super().__init__(lambda channels: Valve(channels, CORE))
        self.answers = answers
        self.has_answered = Event()

    def progress(self) -> int:
        return 0

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for transcript in super().run(scenarios):
            yield from self.answers(transcript)
        self.has_answered.set()


def silent(transcript: Transcript) -> Transcript:
    return replace(transcript, outputs=((),) * len(transcript.outputs))


TWICE = [
    pytest.param(lambda right: [silent(right), right], id="wrong, then right"),
    pytest.param(lambda right: [right, silent(right)], id="right, then wrong"),
    pytest.param(lambda right: [right, right], id="the same"),
]


@pytest.mark.parametrize("answers", TWICE)
def test_an_answer_that_is_given_twice_is_none(answers: Callable[[Transcript], Iterable[Transcript]]) -> None:
    for transcript in run(AnswersMore(answers), [FIRST, SECOND]):
        assert transcript is not None
        assert transcript.failure is not None
        assert transcript.failure.kind == "protocol"
        assert transcript.failure.text == f"the engine answered for scenario '{transcript.scenario}' twice"


@pytest.mark.parametrize("answers", TWICE)
def test_an_answer_that_is_given_twice_ahead_is_none(
    answers: Callable[[Transcript], Iterable[Transcript]],
) -> None:
    adapter = AnswersMore(answers)
    engine = AnswersAhead(adapter, PATIENCE)
    engine.start([FIRST, SECOND])
    try:
        assert adapter.has_answered.wait(PATIENCE)
        for transcript in run(engine, [FIRST, SECOND]):
            assert transcript is not None
            assert transcript.failure is not None
    finally:
        engine.close()


@pytest.mark.parametrize("order", [1, -1], ids=["after", "before"])
def test_an_answer_that_nobody_asked_for_costs_the_scenario_that_runs(order: int) -> None:
    def answers(right: Transcript) -> list[Transcript]:
        stray = replace(right, scenario="third")
        return [right, stray][::order] if right.scenario == "first" else [right]

    first, second = run(AnswersMore(answers), [FIRST, SECOND])
    assert first is not None
    assert first.failure is not None
    assert first.failure.text == "the engine answered for scenario 'third', which it was not asked for"
    assert second is not None
    assert second.failure is None


def test_a_scenario_that_is_asked_twice_is_answered_twice() -> None:
    answered = run(AnswersMore(lambda right: [right]), [FIRST, FIRST])
    assert [transcript and transcript.failure for transcript in answered] == [None, None]


class AnswersFirst(ValveAdapter):
    """A right valve that answers what nobody asked for, before it takes a scenario."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        yield Transcript("third", ())
        yield from super().run(scenarios)


def test_an_answer_before_any_question_costs_the_first_scenario() -> None:
    first, second = run(AnswersFirst(), [FIRST, SECOND])
    assert first is not None
    assert first.failure is not None
    assert first.failure.text == "the engine answered for scenario 'third', which it was not asked for"
    assert second is not None
    assert second.failure is None
