"""Answers that are there before items ask for them: each from the right call, and none lost to another's fault."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import count

import pytest

from tidegauge import Adapter, Failure, Scenario, Transcript
from tidegauge.engine.ahead import AnswersAhead
from tidegauge.engine.runner import run
from tidegauge.wire.steps.valve import IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Watermark

GIVEN_UP = 10.0


def scenario(name: str, timestamp: int = 1) -> ValveScenario:
    return ValveScenario(id=name, setup=ValveSetup(1), history=(WatermarkStep(0, timestamp), IdleStep(0)))


class Echo(Adapter):
    """Answers each scenario by its first timestamp, and notes its calls."""

    ahead = True

    def __init__(self) -> None:
        super().__init__({})
        self.calls: list[list[str]] = []

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        several = list(scenarios)
        self.calls.append([one.id for one in several])
        yield from map(self.answer, several)

    def answer(self, one: Scenario) -> Transcript:
        first = one.history[0]
        assert isinstance(first, WatermarkStep)
        return Transcript(one.id, ((Watermark(first.timestamp),), ()))

    def progress(self) -> int:
        return 0

    def interrupt(self) -> None:
        raise AssertionError("nothing hangs")


def first_outputs(engine: Adapter, *scenarios: Scenario) -> list[object]:
    found = run(engine, scenarios)
    return [one.outputs[0] if one is not None and one.failure is None else one for one in found]


@pytest.fixture
def ahead() -> Iterator[Callable[[Echo], AnswersAhead]]:
    made = []

    def make(adapter: Echo) -> AnswersAhead:
        made.append(AnswersAhead(adapter, GIVEN_UP))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_several_items_are_answered_from_one_call(ahead: Callable[[Echo], AnswersAhead]) -> None:
    adapter = Echo()
    engine = ahead(adapter)
    a, b, c = (scenario(name, number) for number, name in enumerate("abc", 1))
    engine.start([a, b, a, c])
    assert first_outputs(engine, a, b) == [(Watermark(1),), (Watermark(2),)]
    assert first_outputs(engine, a, c) == [(Watermark(1),), (Watermark(3),)]
    assert adapter.calls == [["a", "b", "c"]]


def test_what_is_repeated_runs_again(ahead: Callable[[Echo], AnswersAhead]) -> None:
    adapter = Echo()
    engine = ahead(adapter)
    engine.start([scenario("a")])
    for _ in range(3):
        assert first_outputs(engine, scenario("a")) == [(Watermark(1),)]
    assert adapter.calls == [["a"]] * 3


def test_scenarios_of_one_id_are_not_mixed_up(ahead: Callable[[Echo], AnswersAhead]) -> None:
    engine = ahead(Echo())
    engine.start([scenario("a", 1), scenario("a", 2)])
    assert first_outputs(engine, scenario("a", 2)) == [(Watermark(2),)]
    assert first_outputs(engine, scenario("a", 1)) == [(Watermark(1),)]


class FailsTogether(Echo):
    """In a call with others, scenario b fails."""

    def answer(self, one: Scenario) -> Transcript:
        if one.id == "b" and len(self.calls[-1]) > 1:
            return Transcript("b", (), Failure("exception", "the query failed"))
        return super().answer(one)


class RaisesTogether(Echo):
    """A call of several ends in the middle."""

    def answer(self, one: Scenario) -> Transcript:
        if one.id == "b" and len(self.calls[-1]) > 1:
            raise RuntimeError("the JVM is gone")
        return super().answer(one)


@pytest.mark.parametrize("adapter", [FailsTogether(), RaisesTogether()], ids=["fails", "raises"])
def test_a_failure_of_the_common_call_is_no_answer(
    ahead: Callable[[Echo], AnswersAhead], adapter: Echo
) -> None:
    engine = ahead(adapter)
    engine.start([scenario("a", 1), scenario("b", 2)])
    assert first_outputs(engine, scenario("a", 1)) == [(Watermark(1),)]
    assert first_outputs(engine, scenario("b", 2)) == [(Watermark(2),)]
    assert adapter.calls == [["a", "b"], ["b"]]


class Hangs(Echo):
    """A call of several ends only when it is interrupted. `steps`: how often it says that it gets on."""

    def __init__(self, steps: int = 0) -> None:
        super().__init__()
        self.interrupted = threading.Event()
        self.looks = count()
        self.steps = steps

    def answer(self, one: Scenario) -> Transcript:
        if len(self.calls[0]) > 1 and len(self.calls) == 1:
            self.interrupted.wait(60)
            raise RuntimeError("interrupted")
        return super().answer(one)

    def progress(self) -> int:
        return min(next(self.looks), self.steps)

    def interrupt(self) -> None:
        self.interrupted.set()


@pytest.mark.parametrize("steps", [0, 5])
def test_a_call_that_hangs_is_ended_and_items_run_their_own(steps: int) -> None:
    adapter = Hangs(steps)
    hours = count(step=GIVEN_UP)
    looked_at_the_clock = []

    def clock() -> float:
        looked_at_the_clock.append(next(hours))
        return looked_at_the_clock[-1]

    engine = AnswersAhead(adapter, GIVEN_UP, clock)
    engine.start([scenario("a"), scenario("b")])
    assert first_outputs(engine, scenario("a")) == [(Watermark(1),)]
    assert adapter.interrupted.is_set()
    assert len(looked_at_the_clock) > steps
    engine.start([scenario("c"), scenario("d")])
    assert first_outputs(engine, scenario("c")) == [(Watermark(1),)]
    assert adapter.calls == [["a", "b"], ["a"], ["c"]]


def test_while_calls_run_no_thread_keeps_the_lock_of_python_for_long() -> None:
    usual = sys.getswitchinterval()
    engine = AnswersAhead(Echo(), GIVEN_UP)
    assert sys.getswitchinterval() < usual / 5
    engine.close()
    assert sys.getswitchinterval() == usual
