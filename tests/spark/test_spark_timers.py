"""Processors with event-time timers under test: the example of a user, right and with planted defects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from component_scenarios import drawn
from judged import judgement_of
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.streaming.tws_tester import TwsTester
from pyspark.sql.types import StructType

from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.window import RecordStep, Tumbling, WatermarkStep, WindowScenario, WindowSetup
from tidegauge.wire.vocabulary import Fire, Late, Restore, Snapshot, Watermark
from tidegauge_adapters.spark.binding.processor_binding import ProcessorBinding
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.tester.guarded_state import GuardedProcessor
from tidegauge_reference import PROFILES

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import my_windows_under_test as example

TESTER = {"engine": "tester"}
SPARK_4 = PROFILES["spark-4"]


# Planted defects


def fires_late(_: Any, window: tuple[int, int]) -> int:
    """As if Spark's watermark said "all up to"."""
    return window[1] + 1


def drops_nothing(*_: Any) -> None:
    """Timers fire, and state stays."""


def takes_all(*_: Any) -> bool:
    """No record is late."""
    return False


DEFECTS: list[tuple[str, Callable[..., Any], str]] = [
    ("fires_at", fires_late, "WIN-3"),
    ("drop", drops_nothing, "WIN-13"),
    ("is_over", takes_all, "WIN-10"),
]


def adapter_of(make: Callable[[Any], StatefulProcessor], options: dict[str, str]) -> ProcessorAdapter:
    class Adapter(example.MyAdapter):  # type: ignore[misc]
        bindings = (example.MyAdapter.bindings[0].having(make),)

    adapter: ProcessorAdapter = Adapter(options)
    return adapter


def defective(method: str, wrong: Callable[..., Any]) -> Callable[[Any], StatefulProcessor]:
    """The example's processors with a wrong method; the class goes to workers by value."""

    def make(setup: Any) -> StatefulProcessor:
        processor: StatefulProcessor = example.my_windows(setup)
        processor.__class__ = type("Defective", (example.MyWindows,), {method: wrong})
        return processor

    return make


def failing(adapter: ProcessorAdapter, scenarios: list[Scenario]) -> set[str]:
    within_reach = [one for one in scenarios if "int64" not in one.needs and not adapter.inexpressible(one)]
    judgement = judgement_of(adapter, within_reach, SPARK_4)
    return {rule for rule, one in judgement.rules.items() if one.standing == "fail"}


def published() -> list[Scenario]:
    return [vector.scenario for vector in load_vectors("window")]


# In the tester


def test_the_example_with_timers_keeps_the_rules_of_windows_in_the_tester() -> None:
    adapter = example.MyAdapter(TESTER)
    described = adapter.describe()
    assert (described.capabilities, described.profile) == (("window", "snapshot"), "spark-4")
    assert failing(adapter, [*published(), *drawn("window", 60)]) == set()


@pytest.mark.parametrize(("method", "wrong", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_planted_defect_of_timers_is_named_in_the_tester(
    method: str, wrong: Callable[..., Any], rule: str
) -> None:
    adapter = adapter_of(defective(method, wrong), TESTER)
    assert rule in failing(adapter, [*published(), *drawn("window", 25)])


SNAPSHOT_OF_A_TIMER = [
    RecordStep(3, 1),
    Snapshot(),
    RecordStep(12, 2),
    WatermarkStep(9),
    Restore(),
    WatermarkStep(5),
    WatermarkStep(19),
]
WITHOUT_THE_UNDONE = [
    (),
    (),
    (),
    (Fire(0, 10, (1,)), Watermark(9)),
    (),
    (Watermark(5),),
    (Fire(0, 10, (1,)), Watermark(19)),
]


def test_timers_and_the_watermark_are_part_of_a_snapshot() -> None:
    setup = WindowSetup(Tumbling(10))
    session = example.MyAdapter(TESTER).session(setup)
    assert [session.step(step) for step in SNAPSHOT_OF_A_TIMER] == WITHOUT_THE_UNDONE
    scenario = WindowScenario(id="w", setup=setup, history=tuple(SNAPSHOT_OF_A_TIMER), needs=("snapshot",))
    (transcript,) = example.MyAdapter(TESTER).run([scenario])
    assert (list(transcript.outputs), transcript.failure) == (WITHOUT_THE_UNDONE, None)


def test_the_watermark_starts_in_1970_and_does_not_go_back() -> None:
    session = example.MyAdapter(TESTER).session(WindowSetup(Tumbling(10)))
    steps = [
        WatermarkStep("MIN"),
        WatermarkStep(-1),
        WatermarkStep(0),
        WatermarkStep(0),
        WatermarkStep("MAX"),
    ]
    assert [session.step(step) for step in steps] == [(), (), (Watermark(0),), (), (Watermark("MAX"),)]


def test_a_later_micro_batch_knows_the_watermark() -> None:
    session = example.MyAdapter(TESTER).session(WindowSetup(Tumbling(10)))
    steps = [RecordStep(3, 1), WatermarkStep(9), RecordStep(4, 2), RecordStep(10, 3)]
    assert [session.step(step) for step in steps] == [(), (Fire(0, 10, (1,)), Watermark(9)), (Late(2),), ()]


# What a processor is given


class Rewriting(StatefulProcessor):
    """Reads by name, in each of two timers, the struct that it wrote in the one before."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.state = handle.getValueState("pair", StructType().add("pair", StructType().add("count", "long")))

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N803
        self.state.update(((initialState.count_,),))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N803
        self.state.update(((0,),))
        for timer in (10, 20):
            self.handle.registerTimer(timer)
        return iter([])

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: N803
        (pair,) = self.state.get() or (None,)
        assert pair is not None
        self.state.update(((pair["count"] + 1,),))
        answer = dict.fromkeys(example.ANSWERS.names)
        yield Row(**{**answer, "key": key[0], "kind": "state-size", "records": pair["count"]})


def test_a_processor_reads_by_name_what_it_wrote_in_an_earlier_timer() -> None:
    session = adapter_of(lambda setup: Rewriting(), TESTER).session(WindowSetup(Tumbling(10)))
    assert session is not None
    assert session.step(RecordStep(1, 1)) == ()
    records = [output.records for output in session.step(WatermarkStep(25))[:-1]]  # type: ignore[union-attr]
    assert records == [0, 1]


def test_an_initial_state_is_handed_on() -> None:
    processor = GuardedProcessor(Rewriting(), at_once=True)
    TwsTester(
        processor,
        initialStateRow=[("k", Row(count_=7))],
        timeMode="EventTime",
        eventTimeExtractor=lambda row: 0,
    )
    assert list(processor.entries) == [("pair", None)]


class Forgetting(StatefulProcessor):
    """Its state has a time to live."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        handle.getValueState("seen", StructType().add("seen", "long"), ttlDurationMs=1000)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N803
        return iter([])


def test_a_state_with_a_time_to_live_is_refused_in_one_line() -> None:
    scenario = WindowScenario(id="w", setup=WindowSetup(Tumbling(10)), history=(RecordStep(3, 1),))
    (transcript,) = adapter_of(lambda setup: Forgetting(), TESTER).run([scenario])
    assert transcript.failure is not None
    assert transcript.failure.text.startswith(
        "ValueError: state 'seen' has ttlDurationMs=1000: Spark forgets"
    )


# Bindings


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"time_mode": "ProcessingTime"}, "'ProcessingTime' would be the wall clock in a query"),
        ({"time_mode": "eventtime"}, "time_mode 'eventtime' is none of None, EventTime"),
        ({"component": "valve"}, "'EventTime' is for the component window"),
        ({"operator": lambda steps: steps}, "'EventTime' needs `make`, not an operator"),
    ],
)
def test_a_time_mode_that_cannot_be_tested_is_refused(changes: dict[str, Any], named: str) -> None:
    columns = {
        "component": "window",
        "make": example.my_windows,
        "input_schema": example.STEPS,
        "output_schema": example.ANSWERS,
        "time_mode": "EventTime",
    }
    with pytest.raises(ValueError, match=named):
        ProcessorBinding(**{**columns, **changes})


def test_bindings_with_and_without_time_are_not_mixed() -> None:
    class Mixed(ProcessorAdapter):
        bindings = (VALVE_BINDING, *example.MyAdapter.bindings)

    with pytest.raises(ValueError, match="Mixed has bindings with and without a time mode"):
        Mixed(TESTER)


def test_a_time_mode_needs_the_tester() -> None:
    with pytest.raises(ValueError, match="MyAdapter has a binding with time_mode='EventTime'.*engine=tester"):
        example.MyAdapter({})
