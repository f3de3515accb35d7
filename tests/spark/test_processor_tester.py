"""The kit's own tester returns the same results as PySpark's `TwsTester` for the same calls."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from component_scenarios import drawn
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from tidegauge import Transcript
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.binding.processor_tester import OwnTester
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter
from tidegauge_adapters.spark.tester import guarded_tester

pytest.importorskip("pyspark.sql.streaming.tws_tester", reason="PySpark has no TwsTester before 4.2")
from pyspark.sql.streaming.tws_tester import TwsTester

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from my_windows_under_test import MyAdapter

CALLS = {
    "value": ("get", "exists", "update", "clear"),
    "list": ("get", "exists", "put", "appendValue", "appendList", "clear"),
    "map": (
        *("getValue", "containsKey", "updateValue", "updateValue", "removeKey"),
        *("iterator", "keys", "values", "exists", "clear"),
    ),
    "handle": ("registerTimer", "registerTimer", "deleteTimer", "listTimers"),
}
"""The calls of a processor on its states, and on the handle for timers. A call listed twice is drawn more often."""

NUMBERS = range(4)
LATEST = 60


class Calling(StatefulProcessor):
    """Makes the calls that its input rows name. Each output row has what a call returned or raised."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.of = {
            "value": handle.getValueState("state", "n long"),
            "list": handle.getListState("list", "n long"),
            "map": handle.getMapState("map", "k long", "n long"),
            "handle": handle,
        }

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            yield self.answer(key, row.on, row.call, row.arguments, timerValues)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        expiry = expiredTimerInfo.getExpiryTimeInMs()
        yield self.answer(key, "list", "appendValue", ((expiry,),), timerValues)
        yield self.answer(key, "handle", "listTimers", (), timerValues)
        if expiry % 3 == 0:  # an even expiry: a timer at the watermark, which is rejected
            again = timerValues.getCurrentWatermarkInMs() + expiry % 2 * 7
            yield self.answer(key, "handle", "registerTimer", (again,), timerValues)

    def answer(self, key: Any, on: str, call: str, arguments: tuple[Any, ...], timerValues: Any) -> Row:
        times = timerValues.getCurrentProcessingTimeInMs(), timerValues.getCurrentWatermarkInMs()
        try:
            returned = getattr(self.of[on], call)(*arguments)
            returned = list(returned) if isinstance(returned, Iterator) else returned
        except Exception as error:
            returned = type(error).__name__, str(error)
        return Row(key=key, call=f"{on}.{call}", returned=returned, times=times)


def row_drawn(of: random.Random) -> Row:
    on = of.choice(list(CALLS))
    call = of.choice(CALLS[on])
    values = [(of.choice(NUMBERS),) for _ in range(2)]
    arguments: tuple[Any, ...] = ()
    if call in ("update", "appendValue", "getValue", "containsKey", "removeKey"):
        arguments = (values[0],)
    elif call in ("put", "appendList"):
        arguments = (values,)
    elif call == "updateValue":
        arguments = tuple(values)
    elif call in ("registerTimer", "deleteTimer"):
        arguments = (of.randrange(LATEST),)
    return Row(at=of.randrange(LATEST), on=on, call=call, arguments=arguments)


def played(make: Callable[..., Any], seed: int, time_mode: str) -> list[tuple[str, Any]]:
    """Return the output of a tester for the calls of a seed: rows of three keys, and watermarks.

    A watermark that does not rise is rejected.
    """
    of = random.Random(seed)
    tester = make(Calling(), timeMode=time_mode, eventTimeExtractor=lambda row: row.at)
    answers: list[tuple[str, Any]] = []
    for _ in range(30):
        if time_mode == "EventTime" and of.random() < 0.3:
            try:
                answers.append(("watermark", tester.setWatermark(of.randrange(LATEST))))
            except Exception as error:
                answers.append(("refused", (type(error).__name__, str(error))))
        else:
            rows = [row_drawn(of) for _ in range(of.randrange(4))]
            answers.append(("rows", tester.test(of.choice("abc"), rows)))
    return answers


@pytest.mark.parametrize("time_mode", ["None", "EventTime"])
def test_processors_get_the_same_answers_from_both_testers(time_mode: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(300):
        answers = played(OwnTester, seed, time_mode)
        assert answers == played(TwsTester, seed, time_mode), seed
        for kind, returned in answers:
            seen[kind] += 1
            seen.update(f"{kind} {row.call}" for row in returned if kind != "refused")
    for on, calls in CALLS.items():
        assert all(seen[f"rows {on}.{call}"] > 20 for call in calls)
    if time_mode == "EventTime":
        assert min(seen["refused"], seen["watermark list.appendValue"]) > 100


@pytest.mark.parametrize(
    ("adapter", "component"),
    [*((SparkAdapter, binding.component) for binding in SparkAdapter.bindings), (MyAdapter, "window")],
)
def test_an_adapter_gets_the_same_transcripts_from_both_testers(
    adapter: type[ProcessorAdapter], component: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios = drawn(component, 100)
    transcripts: list[dict[str, Transcript]] = []
    for tester in (TwsTester, OwnTester):
        monkeypatch.setattr(guarded_tester, "ProcessorTester", tester)
        of_tester = adapter({"engine": "tester"}).run(scenarios)
        transcripts.append({transcript.scenario: transcript for transcript in of_tester})
    assert transcripts[0] == transcripts[1]
    assert any(step for transcript in transcripts[0].values() for step in transcript.outputs)
