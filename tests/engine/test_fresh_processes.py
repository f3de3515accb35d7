"""Questions to an engine in fresh processes: the time limit is that of a scenario, so that no verdict depends on how many
scenarios a busy machine gets through."""

from __future__ import annotations

import os
import signal
from typing import Any

from tidegauge import ComponentAdapter, Scenario
from tidegauge.engine.apart import Question, answers_apart
from tidegauge.wire.scenario import ValveScenario
from tidegauge.wire.steps.valve import ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Watermark

LONG = 100_000


class SetsTheAlarm:
    """Outputs the number of seconds after which its process would have ended, and puts that off for a day."""

    def watermark(self, channel: int, timestamp: int) -> list[Any]:
        """One step."""
        return [("watermark", signal.alarm(LONG))]


class RunsOutOfTime:
    """Does what the time limit does: SIGALRM ends its process."""

    def watermark(self, channel: int, timestamp: int) -> list[Any]:
        """One step."""
        if timestamp:
            os.kill(os.getpid(), signal.SIGALRM)
        return []


def adapter_of(engine: type) -> ComponentAdapter:
    class Engines(ComponentAdapter):
        name = "engine"

        def valve(self, setup: ValveSetup) -> Any:
            return engine()

    return Engines({})


def scenario(name: str, timestamp: int = 0) -> Scenario:
    return ValveScenario(id=name, setup=ValveSetup(1), history=(WatermarkStep(0, timestamp),))


def test_each_scenario_of_a_question_has_the_whole_time_limit() -> None:
    asked = Question("several", "run", (scenario("first"), scenario("second"), scenario("third")))
    (answer,) = answers_apart(adapter_of(SetsTheAlarm), [asked], 50)
    left = [transcript.outputs[0][0] for transcript in answer.transcripts if transcript is not None]
    assert [isinstance(output, Watermark) and 0 < output.timestamp <= 50 for output in left] == [True] * 3


def test_a_question_without_an_answer_costs_the_others_nothing_until_it_has_happened_three_times() -> None:
    timestamps = (0, 1, 0, 1, 0, 1, 0)
    asked = [
        Question(str(number), "run", (scenario(str(number), timestamp),))
        for number, timestamp in enumerate(timestamps)
    ]
    assert [answer.name for answer in answers_apart(adapter_of(RunsOutOfTime), asked)] == ["0", "2", "4"]
