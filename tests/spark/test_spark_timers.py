"""Processors with event-time timers under test: the example of a user, right and with planted defects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from component_scenarios import drawn
from judged import judgement_of
from pyspark import cloudpickle
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues
from pyspark.sql.types import StructType

from tidegauge.components.within import outside_of_shapes
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.window import (
    IdleStep,
    RecordStep,
    Tumbling,
    WatermarkStep,
    WindowScenario,
    WindowSetup,
)
from tidegauge.wire.vocabulary import Fire, Late, Restore, Snapshot, Watermark
from tidegauge_adapters.spark.binding.processor_binding import ProcessorBinding
from tidegauge_adapters.spark.binding.processor_tester import ProcessorTester
from tidegauge_adapters.spark.binding.step_rows import step_outputs
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery, QueryFailed, root_cause
from tidegauge_adapters.spark.streaming.rising_query import History as TimedHistory
from tidegauge_adapters.spark.streaming.rising_query import laid_rows
from tidegauge_adapters.spark.streaming.timed_processors import restarted_courses, side_by_side
from tidegauge_adapters.spark.tester.guarded_state import GuardedProcessor
from tidegauge_adapters.spark_schedule.courses import Course
from tidegauge_adapters.spark_schedule.schedule import schedule
from tidegauge_adapters.spark_session.session import end_spark
from tidegauge_reference import PROFILES

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import my_windows_under_test as example
from my_windows_under_test import row_of

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


def standings(adapter: ProcessorAdapter, scenarios: list[Scenario]) -> dict[str, str]:
    shapes = adapter.describe().shapes
    within_reach = [
        one
        for one in scenarios
        if "int64" not in one.needs and not outside_of_shapes(one, shapes) and not adapter.inexpressible(one)
    ]
    judgement = judgement_of(adapter, within_reach, SPARK_4)
    return {rule: one.standing for rule, one in judgement.rules.items()}


def not_kept(found: dict[str, str]) -> set[str]:
    return {rule for rule, standing in found.items() if standing in {"fail", "error"}}


def assert_kept(found: dict[str, str]) -> None:
    assert not_kept(found) == set()
    assert {rule: found[rule] for *_, rule in DEFECTS} == {
        "WIN-3": "pass",
        "WIN-10": "pass",
        "WIN-13": "pass",
    }


def published() -> list[Scenario]:
    return [vector.scenario for vector in load_vectors("window")]


# In the tester


def test_the_example_with_timers_keeps_the_rules_of_windows_in_the_tester() -> None:
    adapter = example.MyAdapter(TESTER)
    described = adapter.describe()
    assert (described.capabilities, described.profile) == (("window", "snapshot"), "spark-4")
    assert_kept(standings(adapter, [*published(), *drawn("window", 60)]))


@pytest.mark.slower
@pytest.mark.parametrize(("method", "wrong", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_planted_defect_of_timers_is_named_in_the_tester(
    method: str, wrong: Callable[..., Any], rule: str
) -> None:
    adapter = adapter_of(defective(method, wrong), TESTER)
    assert standings(adapter, [*published(), *drawn("window", 25)])[rule] in ("fail", "suspect")


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

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        self.state.update(((initialState.count_,),))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        self.state.update(((0,),))
        for timer in (10, 20):
            self.handle.registerTimer(timer)
        return iter([])

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
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
    ProcessorTester(processor, timeMode="EventTime", eventTimeExtractor=lambda row: 0)
    processor.handleInitialState(("k",), Row(count_=7), TimerValues(0, 0))
    assert list(processor.entries) == [("pair", None)]


class Forgetting(StatefulProcessor):
    """Its state has a time to live."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        handle.getValueState("seen", StructType().add("seen", "long"), ttlDurationMs=1000)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
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


# How scenarios become queries


def windows(name: str, *history: Any, groups: tuple[int, ...] = ()) -> WindowScenario:
    needs = ("snapshot",) if any(isinstance(step, Snapshot) for step in history) else ()
    return WindowScenario(
        id=name, setup=WindowSetup(Tumbling(10)), history=history, groups=groups, needs=needs
    )


def test_scenarios_share_a_query_only_if_their_watermarks_go_the_same_way() -> None:
    together = side_by_side(
        [
            windows("both", RecordStep(1, 1), WatermarkStep(5), WatermarkStep(9)),
            windows("jumps over 5", WatermarkStep(9), RecordStep(1, 1)),
            windows("both, and one of before 1970", WatermarkStep(-5), WatermarkStep(5), WatermarkStep(9)),
            windows(
                "both, the second undone",
                WatermarkStep(5),
                Snapshot(),
                WatermarkStep(9),
                Restore(),
                IdleStep(),
            ),
            windows("stops at 8", RecordStep(1, 1), WatermarkStep(5), WatermarkStep(8)),
            windows("goes back", WatermarkStep(5), WatermarkStep(3), WatermarkStep(9)),
        ]
    )
    assert [[scenario.id for scenario in several] for several in together] == [
        ["both", "both, and one of before 1970", "goes back"],
        ["jumps over 5"],
        ["both, the second undone"],
        ["stops at 8"],
    ]


def test_a_query_is_restarted_in_each_scenario() -> None:
    first, second, third = (RecordStep(number, number) for number in range(3))
    for scenario, restarts in (
        (windows("a", first, second, third), [2]),
        (windows("b", first, second, third, groups=(1, 2)), [1]),
        (windows("c", first, second, third, groups=(3,)), [2]),
        (windows("d", first), []),
        (windows("e", first, Snapshot(), second, Snapshot(), Restore()), [1]),
        (windows("e and no more", Snapshot(), Restore(), first, second), [0, 2]),
        (windows("f", first, Snapshot(), Restore(), second, Snapshot(), Restore(), third), [1, 3]),
    ):
        (course,) = restarted_courses(scenario)
        assert [index for index, entry in enumerate(course.steps) if entry is None] == restarts
    undone = windows("g", first, second, Snapshot(), third, Restore(), Snapshot(), third, Restore())
    assert restarted_courses(undone) == [
        Course(((0, first), (1, second), None, (3, third))),
        Course(((0, first), (1, second), None, (6, third)), since=3),
    ]


def test_what_the_watermark_of_spark_cannot_follow_is_left_out_of_queries_with_the_reason() -> None:
    in_queries, in_the_tester = example.MyAdapter({}), example.MyAdapter(TESTER)
    ends = windows("ends", RecordStep(1, 1), WatermarkStep("MAX"))
    long = windows("long", *(WatermarkStep(moment) for moment in range(41)))
    said = windows("said", RecordStep("MIN", 1), WatermarkStep("MIN"), RecordStep(2, 2))
    assert outside_of_shapes(ends, in_queries.describe().shapes) == "the end of the input"
    assert not outside_of_shapes(ends, in_the_tester.describe().shapes)
    assert str(in_queries.inexpressible(long)).startswith("more than 40 watermarks")
    assert in_queries.inexpressible(said) is None
    assert {in_the_tester.inexpressible(scenario) for scenario in (ends, long, said)} == {None}
    assert not in_queries.ahead


class Scripted(CheckpointedQuery):
    """Runs nothing: `micro_batches` are what came out, each with its watermark."""

    def __init__(self, micro_batches: list[tuple[int, list[dict[str, Any]]]]) -> None:
        self.micro_batches = micro_batches
        self.fed: list[int] = []

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def feed(self, rows: list[dict[str, Any]], batches: int = 1) -> None:
        self.fed.append(batches)

    def in_order(self) -> list[tuple[int, list[dict[str, Any]]]]:
        return self.micro_batches


def laid(query: Scripted, scenario: WindowScenario) -> list[dict[str, Any]]:
    (course,) = restarted_courses(scenario)
    portions = schedule({"w": course})
    return laid_rows(example.MyAdapter.bindings[0], query, portions, {"w": TimedHistory(scenario, course, 0)})


def test_rows_of_timers_are_laid_to_the_watermark_only_where_it_has_risen() -> None:
    scenario = windows("w", RecordStep(3, 1), WatermarkStep(9), RecordStep(12, 2))
    timer, answer = {"key": "w", "sequence": None}, {"key": "w", "sequence": 2, "position": 0}
    query = Scripted([(0, [timer]), (10, [timer]), (10, [answer])])
    too_early, risen, last = laid(query, scenario)
    assert query.fed == [2, 1]
    assert (too_early["sequence"], last) == (None, answer)
    assert (risen["sequence"], risen["position"]) == (1, 0)


def test_a_watermark_that_did_not_go_as_the_scenario_says_is_no_verdict() -> None:
    scenario = windows("w", RecordStep(3, 1), WatermarkStep(9), RecordStep(12, 2))
    with pytest.raises(QueryFailed, match=r"was at \[0, 9, 9\] ms, batch by batch, instead of \[0, 10, 10\]"):
        laid(Scripted([(0, []), (9, []), (9, [])]), scenario)


def test_a_row_that_comes_later_than_its_step_is_an_error() -> None:
    scenario = windows("w", RecordStep(3, 1), WatermarkStep(9), RecordStep(12, 2), RecordStep(13, 3))
    answer = {"key": "w", "sequence": 0, "position": 0, "kind": "late", "value": 1}
    batches: list[tuple[int, list[dict[str, Any]]]] = [(0, []), (10, []), (10, []), (10, [])]
    for number in range(len(batches)):
        came = [(at, [answer] if place == number else []) for place, (at, _) in enumerate(batches)]
        (row,) = laid(Scripted(came), scenario)
        reader = example.MyAdapter.bindings[0].reader(scenario.setup)
        if number == 0:
            assert step_outputs(reader, [row], scenario.history)[0] == (Late(1),)
        else:
            with pytest.raises(ValueError, match="came in another micro-batch than the step of its sequence"):
                step_outputs(reader, [row], scenario.history)


class OfJava:
    """An exception of Spark's, as Python sees it."""

    def __init__(self, message: str) -> None:
        self.message = message

    def getMessage(self) -> str:
        return self.message

    def getClass(self) -> SimpleNamespace:
        return SimpleNamespace(getSimpleName=lambda: "PythonException")

    def getCause(self) -> None:
        return None


@pytest.mark.parametrize("end", ["", "\nSQLSTATE: 38000\n", "\n\n SQLSTATE: 38000"])
def test_the_cause_of_a_failed_query_is_what_python_raised(end: str) -> None:
    error = RuntimeError("in Java")
    error.java_exception = OfJava(f"Traceback (most recent call last):\n  File\nSystemExit: bye{end}")  # type: ignore[attr-defined]
    assert root_cause(error) == "PythonException: SystemExit: bye"


class AnswersLate(example.MyWindows):  # type: ignore[misc]
    """Its timers answer an earlier record; at 20 its records do."""

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for row in super().handleInputRows(key, rows, timerValues):
            yield Row(**{**row.asDict(), "sequence": 0} if self.size == 20 else row.asDict())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        for row in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            stray = {"sequence": 0, "position": 0} if self.size == 10 else {}
            yield Row(**{**row.asDict(), **stray})


@pytest.mark.parametrize("size", [10, 20])
def test_a_row_that_comes_later_than_its_step_is_an_error_in_the_tester(size: int) -> None:
    history = (RecordStep(3, 1), WatermarkStep(25), RecordStep(1, 2))
    scenario = WindowScenario(id="w", setup=WindowSetup(Tumbling(size)), history=history)
    (transcript,) = adapter_of(lambda setup: AnswersLate(size=size, slide=size), TESTER).run([scenario])
    assert transcript.failure is not None
    assert "came in another micro-batch than the step" in transcript.failure.text


@pytest.mark.parametrize("key", ["wx", None])
def test_a_row_of_another_key_is_not_dropped(key: str | None) -> None:
    timer = {"key": key, "sequence": None}
    scenario = windows("w", RecordStep(3, 1), WatermarkStep(9), RecordStep(12, 2))
    with pytest.raises(QueryFailed, match=f"have {key!r} in the key column 'key'"):
        laid(Scripted([(0, []), (10, [timer]), (10, [])]), scenario)


class Speechless(example.MyWindows):  # type: ignore[misc]
    """Does not say which steps its rows answer."""

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for row in super().handleInputRows(key, rows, timerValues):
            yield Row(**{**row.asDict(), "sequence": None, "position": None})


def test_a_row_of_no_step_and_no_timer_is_refused_in_one_line() -> None:
    scenario = windows("w", WatermarkStep(9), RecordStep(3, 1))
    (transcript,) = adapter_of(lambda setup: Speechless(size=10, slide=10), TESTER).run([scenario])
    assert transcript.failure is not None
    assert (transcript.failure.kind, "put the step's sequence into it" in transcript.failure.text) == (
        "protocol",
        True,
    )


# On a real Spark


@pytest.fixture(name="streaming", scope="module")
def streaming_options() -> Iterator[dict[str, str]]:
    """Python workers get what is in these modules, which they do not find, by value."""
    modules = example, sys.modules[__name__]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    yield {"engine": "streaming"}
    for module in modules:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
    end_spark()


class Raising(example.MyWindows):  # type: ignore[misc]
    """Raises in the timer at 20."""

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        if expiredTimerInfo.getExpiryTimeInMs() == 20:
            sys.exit("no timer at 20")
        answers: Iterator[Row] = super().handleExpiredTimer(key, timerValues, expiredTimerInfo)
        return answers


class SetsTimersTooLate(example.MyWindows):  # type: ignore[misc]
    """Answers late records by a timer that has expired already, which Spark lets pass."""

    def record(self, timestamp: int, value: int) -> list[Any]:
        if timestamp + self.size < self.watermark:
            self.handle.registerTimer(self.watermark)
        answers: list[Any] = super().record(timestamp, value)
        return answers

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        yield row_of(key, {"kind": "drop"})


def raising_or_late(setup: WindowSetup) -> StatefulProcessor:
    size = setup.assigner.size  # type: ignore[union-attr]
    kind = {10: example.MyWindows, 20: Raising}.get(size, SetsTimersTooLate)
    processor: StatefulProcessor = kind(size=size, slide=size)
    return processor


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_timers_of_a_real_query_expire_as_the_watermark_of_the_scenario_rises(
    streaming: dict[str, str],
) -> None:
    restored = WindowScenario(
        id="restored",
        setup=WindowSetup(Tumbling(10)),
        history=tuple(SNAPSHOT_OF_A_TIMER),
        needs=("snapshot",),
    )
    history = (RecordStep(3, 1), RecordStep(13, 2), WatermarkStep(25), RecordStep(4, 3))
    of_size = {
        size: WindowScenario(id=str(size), setup=WindowSetup(Tumbling(size)), history=history)
        for size in (10, 20, 5)
    }
    adapter = adapter_of(raising_or_late, streaming)
    found = {one.scenario: one for one in adapter.run([restored, *of_size.values()])}
    assert (list(found["restored"].outputs), found["restored"].failure) == (WITHOUT_THE_UNDONE, None)
    assert found["10"].outputs == (
        (),
        (),
        (Fire(0, 10, (1,)), Fire(10, 20, (2,)), Watermark(25)),
        (Late(3),),
    )
    raised, late = found["20"], found["5"]
    assert raised.failure is not None
    assert (raised.outputs, raised.failure.text) == (((), ()), "SystemExit: no timer at 20")
    assert late.failure is not None
    assert (late.failure.kind, "has no sequence" in late.failure.text) == ("protocol", True)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_the_example_with_timers_keeps_the_rules_of_windows_in_queries(streaming: dict[str, str]) -> None:
    assert_kept(standings(example.MyAdapter(streaming), [*published(), *drawn("window", 8)]))


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(("method", "wrong", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_planted_defect_of_timers_is_named_in_queries_as_in_the_tester(
    method: str, wrong: Callable[..., Any], rule: str, streaming: dict[str, str]
) -> None:
    found = standings(adapter_of(defective(method, wrong), streaming), published())
    assert found[rule] in ("fail", "suspect")
