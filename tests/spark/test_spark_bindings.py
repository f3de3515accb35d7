"""Processors of any component under test: bindings, several setups in one query, layers, a user's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from component_scenarios import drawn
from conftest import others_slower
from judged import failing_rules
from pyspark.errors import StreamingQueryException
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues
from pyspark.sql.types import ArrayType, LongType, StructType

from tidegauge import Implementation, Transcript
from tidegauge.engine.session import played
from tidegauge.run.assembly import assemble
from tidegauge.run.journal import Ended, Started
from tidegauge.run.plan import plan
from tidegauge.run.request import Request
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario, component_of
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.steps.window import RecordStep, Tumbling, WindowSetup
from tidegauge.wire.steps.window import WatermarkStep as WindowWatermarkStep
from tidegauge.wire.vocabulary import Announcement, Error, Fire, Idle, Restore, Snapshot, Watermark
from tidegauge_adapters.required_pyspark import ROW_PROCESSORS, refuse_connect, require_pyspark
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.binding.processor_binding import ProcessorBinding
from tidegauge_adapters.spark.binding.processor_tester import ProcessorTester
from tidegauge_adapters.spark.binding.step_columns import named_output, step_columns
from tidegauge_adapters.spark.binding.step_rows import step_outputs, step_row
from tidegauge_adapters.spark.components import BINDINGS, DECISIONS
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery, QueryFailed
from tidegauge_adapters.spark.streaming.dispatcher import PROCESSOR, Dispatcher
from tidegauge_adapters.spark.streaming.streaming_processors import StreamingProcessors
from tidegauge_reference import CORE
from tidegauge_reports.compliance.html import render
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.operators.valve import ValveProcessor
from tidegauge_spark.spark_version import READ_LIMITS

TESTER = {"engine": "tester"}

NUMBER = StructType().add("number", "integer")


# Several setups in one query


class Named(StatefulProcessor):
    """Answers by the sum of what came and `number`; keeps the sum in the state `name`."""

    def __init__(self, number: int, name: str = "sum", schema: StructType = NUMBER) -> None:
        self.number, self.name, self.schema = number, name, schema

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sum = handle.getValueState(self.name, self.schema)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        steps = list(rows)
        assert [list(step.asDict()) for step in steps] == [["key", "number"]] * len(steps)
        (before,) = self.sum.get() or (0,)
        after = before + sum(step.number for step in steps)
        self.sum.update((after,))
        return iter([Row(key=key[0], number=self.number + after)])


def dispatched(tester: ProcessorTester, key: str, processor: int, number: int) -> int:
    tester.handle.setGroupingKey(key)
    rows = iter([Row(**{"key": key, "number": number, PROCESSOR: processor})])
    (answer,) = tester.processor.handleInputRows((key, processor), rows, TimerValues(-1, -1))
    return int(answer.number)


class OnceHandle:
    """As Spark's: a state can be declared once only."""

    def __init__(self) -> None:
        self.declared: list[str] = []

    def getValueState(self, name: str, schema: StructType, ttl: int | None = None) -> object:
        assert name not in self.declared
        self.declared.append(name)
        return object()


def test_each_key_gets_the_processor_of_its_setup() -> None:
    tester = ProcessorTester(Dispatcher([Named(100), Named(200, "other")], ["key", "number"]))
    assert [dispatched(tester, *row) for row in [("a", 0, 1), ("b", 1, 1), ("a", 0, 2), ("b", 1, 5)]] == [
        101,
        201,
        103,
        206,
    ]


def test_a_state_is_declared_once_by_all_processors_together() -> None:
    handle: Any = OnceHandle()
    processors = [Named(1), Named(2), Named(3, "other")]
    Dispatcher(processors, ["key", "number"]).init(handle)
    assert handle.declared == ["sum", "other"]
    assert processors[0].sum is processors[1].sum
    assert processors[0].sum is not processors[2].sum


def test_two_processors_that_declare_a_state_differently_are_refused() -> None:
    handle: Any = OnceHandle()
    dispatcher = Dispatcher(
        [Named(1), Named(2, "sum", StructType().add("number", "long"))], ["key", "number"]
    )
    with pytest.raises(ValueError, match="'sum' is declared by two processors, and not alike"):
        dispatcher.init(handle)


def test_a_setup_for_which_no_processor_can_be_made_fails_alone() -> None:
    def make(setup: ValveSetup) -> StatefulProcessor:
        if setup.channels == 3:
            raise LookupError("no three channels")
        return ValveProcessor()

    scenarios: list[Scenario] = [
        ValveScenario(id=str(channels), setup=ValveSetup(channels), history=(IdleStep(0),))
        for channels in (2, 3, 4)
    ]
    found = {each.scenario: each.failure for each in SparkAdapter.having(valve=make)(TESTER).run(scenarios)}
    assert found["2"] is found["4"] is None
    assert found["3"] is not None
    assert found["3"].text == "LookupError: no three channels"
    assert 'raise LookupError("no three channels")' in found["3"].traceback


class Unstarted(ValveProcessor):
    """Its `init` raises."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        raise LookupError("no table of rates")


def test_a_processor_whose_init_raises_says_so_before_any_query(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_query(*_: Any) -> Any:
        raise AssertionError("a query was started")

    monkeypatch.setattr(StreamingProcessors, "query", no_query)
    binding = VALVE_BINDING.having(lambda setup: Unstarted())
    scenarios = drawn("valve", 20)
    found = list(StreamingProcessors(binding, "local[2]", None).transcripts(scenarios))
    assert {each.scenario for each in found} == {scenario.id for scenario in scenarios}
    for each in found:
        assert each.failure is not None
        assert each.failure.text == "LookupError: no table of rates"
        assert 'raise LookupError("no table of rates")' in each.failure.traceback


class Broken(ValveProcessor):
    """Does `action` at an idle channel."""

    def __init__(self, action: Callable[[], Any]) -> None:
        super().__init__()
        self.action = action

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        steps = list(rows)
        if any(step.kind == "idle" for step in steps):
            return iter([self.action()])
        return super().handleInputRows(key, iter(steps), timerValues)


def end_the_process() -> Any:
    raise SystemExit(3)


def no_channel() -> Any:
    raise ValueError("no channel")


@pytest.mark.parametrize(
    ("action", "kind", "text"),
    [
        (end_the_process, "exception", "SystemExit: 3"),
        (no_channel, "exception", "ValueError: no channel"),
        (lambda: 5, "protocol", "RowDoesNotFit: 5 is no Row with named columns"),
    ],
    ids=["SystemExit", "ValueError", "no row"],
)
def test_a_processor_that_does_not_answer_costs_its_scenario(
    action: Callable[[], Any], kind: str, text: str
) -> None:
    """A processor refuses a step by a row; no exception of it is an answer."""
    adapter = SparkAdapter.having(valve=lambda setup: Broken(action))(TESTER)
    steps = (WatermarkStep(0, 1), IdleStep(0))
    broken, sound = (
        ValveScenario(id=str(length), setup=ValveSetup(1), history=steps[:length], groups=(1,) * length)
        for length in (2, 1)
    )
    found = {each.scenario: each for each in adapter.run([broken, sound])}
    assert found["1"] == Transcript("1", ((Watermark(1),),))
    assert found["2"].outputs == ((Watermark(1),),)
    assert found["2"].failure is not None
    assert (found["2"].failure.kind, found["2"].failure.text) == (kind, text)
    session = adapter.session(ValveSetup(1))
    assert session is not None
    stepped = played(session, broken)
    assert stepped.failure is not None
    assert (stepped.failure.kind, stepped.failure.text) == (kind, text)


def test_a_session_of_a_processor_that_cannot_be_made_says_so_at_its_first_step() -> None:
    session = SparkAdapter.having(valve=lambda setup: no_channel())(TESTER).session(ValveSetup(1))
    assert session is not None
    with pytest.raises(ValueError, match="no channel"):
        session.step(IdleStep(0))


def test_jobs_are_claimed_where_available_now_can_take_several_micro_batches() -> None:
    described = SparkAdapter({}).describe()
    assert ("job" in described.capabilities) == READ_LIMITS.exists
    assert ("Jobs need PySpark 4.2 or later" in described.remark) != READ_LIMITS.exists


# Where no processor can run


@pytest.mark.parametrize("found", ["3.5.6", "4.0.5", "4.4.0", "4.30.0", "5.0.0.dev1"])
def test_another_pyspark_is_refused_in_one_line(found: str) -> None:
    with pytest.raises(ImportError) as refused:
        require_pyspark(ROW_PROCESSORS, found)
    assert str(refused.value) == (
        f"it needs PySpark 4.1 to 4.3, but PySpark {found} is installed; pip install 'pyspark>=4.1,<4.4'"
    )


def test_spark_itself_is_tested_from_pyspark_4_0_on() -> None:
    require_pyspark(found="4.0.5")
    with pytest.raises(ImportError, match="it needs PySpark 4.0 to 4.3, but PySpark 3.5.6 is installed"):
        require_pyspark(found="3.5.6")


@pytest.mark.parametrize(
    ("name", "installed", "needed"),
    [("spark-native", "3.5.6", "4.0"), ("spark-exact", "4.0.5", "4.1"), ("spark", "4.0.5", "4.1")],
)
def test_the_adapters_of_spark_say_which_pyspark_they_need(name: str, installed: str, needed: str) -> None:
    code = (
        f"import pyspark.version; pyspark.version.__version__ = '{installed}'; "
        f"from tidegauge.engine.loading import load_adapter; load_adapter('{name}', {{}})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    message = f"it needs PySpark {needed} to 4.3, but PySpark {installed} is installed"
    assert message in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("master", "environment", "named"),
    [
        ("sc://host:15002", {}, "option master=sc://host:15002 asks for Spark Connect"),
        ("local[2]", {"SPARK_REMOTE": "sc://host"}, "SPARK_REMOTE in the environment"),
        ("local[2]", {"SPARK_CONNECT_MODE_ENABLED": "1"}, "a session of Spark Connect in this process"),
        ("local[2]", {"SPARK_API_MODE": "connect"}, "SPARK_API_MODE=connect in the environment"),
    ],
)
def test_spark_connect_is_refused_in_one_line(master: str, environment: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match="need a classic session") as refused:
        refuse_connect(master, environment)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
    refuse_connect("local[2]", {"SPARK_API_MODE": "classic"})


def test_an_adapter_that_would_get_spark_connect_is_refused() -> None:
    with pytest.raises(ValueError, match="Spark Connect"):
        SparkAdapter({"master": "sc://host"})


# Bindings


def valve_binding(**changes: Any) -> ProcessorBinding:
    columns = {
        "component": "valve",
        "make": lambda setup: ValveProcessor(),
        "input_schema": StructType().add("key", "string").add("sequence", "long").add("kind", "string"),
        "output_schema": StructType().add("key", "string").add("sequence", "long").add("position", "integer"),
    }
    return ProcessorBinding(**{**columns, **changes})


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"key": "valve"}, "binding of valve: input_schema has no column 'valve'"),
        ({"input_schema": StructType().add("key", "string")}, "input_schema has no column 'sequence'"),
        (
            {"output_schema": StructType().add("key", "string").add("sequence", "long")},
            "output_schema has no column 'position'",
        ),
    ],
)
def test_a_binding_without_the_columns_it_needs_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        valve_binding(**changes)


def test_a_column_that_is_not_in_the_input_schema_is_named() -> None:
    with pytest.raises(ValueError, match="step 'watermark' has the column channel, timestamp, which is not"):
        step_row(valve_binding(), "k", ValveSetup(1), 0, WatermarkStep(0, 5))


def test_columns_that_a_step_lacks_are_null() -> None:
    binding = valve_binding(row=lambda setup, step: {})
    assert step_row(binding, "k", ValveSetup(1), 3, IdleStep(0)) == {"key": "k", "sequence": 3, "kind": None}


def test_a_step_as_columns_has_the_names_of_the_kit_and_64_bit_timestamps() -> None:
    assert step_columns(WatermarkStep(2, "MAX")) == {"kind": "watermark", "channel": 2, "timestamp": MAX}
    assert step_columns(RecordStep("MIN", 7)) == {"kind": "record", "timestamp": MIN, "value": 7}
    assert step_columns(ActiveStep(1)) == {"kind": "active", "channel": 1}


def test_an_output_is_read_from_the_columns_of_its_names() -> None:
    columns = {"timestamp": None, "start": None, "end": None, "values": None, "error": None}
    assert named_output({**columns, "kind": "watermark", "timestamp": MAX}) == Watermark("MAX")
    assert named_output({**columns, "kind": "idle"}) == Idle()
    assert named_output({**columns, "kind": "error", "error": "illegal-state"}) == Error("illegal-state")
    assert named_output({"kind": "announcement", "bound": 5, "to": "s/1"}) == Announcement(5, "s/1")
    fire = {**columns, "kind": "fire", "start": -(2**60), "end": 3, "values": [1, 2]}
    assert named_output(fire) == Fire(str(-(2**60)), 3, (1, 2))
    with pytest.raises(ValueError, match="lacks something: .*end"):
        named_output({**fire, "end": None})
    with pytest.raises(ValueError, match="unknown kind 'burst'"):
        named_output({**fire, "kind": "burst"})


@pytest.mark.parametrize("row", [{"sequence": 2, "position": 0}, {"sequence": 1, "position": 1}])
def test_an_output_row_of_no_step_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="belongs to no step"):
        step_outputs(VALVE_BINDING.reader(None), [{"kind": "idle", **row}], [IdleStep(0), IdleStep(0)])


# All components of the library


@pytest.fixture(scope="module")
def tester() -> SparkAdapter:
    return SparkAdapter(TESTER)


@pytest.mark.parametrize("component", sorted({binding.component for binding in BINDINGS} | DECISIONS.keys()))
def test_every_component_answers_the_published_vectors(tester: SparkAdapter, component: str) -> None:
    scenarios: list[Scenario] = [vector.scenario for vector in load_vectors(component)]
    assert len(scenarios) >= 10
    assert failing_rules(tester, scenarios) == set()


def test_components_are_mixed_in_one_call_and_those_not_bound_are_left_out(tester: SparkAdapter) -> None:
    scenarios = [scenario for name in ("valve", "window", "clock", "valve") for scenario in drawn(name, 2)]
    scenarios += [vector.scenario for vector in load_vectors("job")]
    found = {transcript.scenario for transcript in tester.run(scenarios)}
    assert found == {scenario.id for scenario in scenarios if component_of(scenario) != "job"}


def test_a_session_steps_what_runs_in_this_process_and_what_the_tester_drives() -> None:
    setup = WindowSetup(Tumbling(10))
    session = SparkAdapter(TESTER).session(setup)
    assert session is not None
    steps = [RecordStep(3, 1), Snapshot(), RecordStep(4, 2), Restore()]
    assert [session.step(step) for step in steps] == [(), (), (), ()]
    assert session.step(WindowWatermarkStep(9)) == (Fire(0, 10, (1,)), Watermark(9))


# Wrong ones in their place


class NeverActive(ValveProcessor):
    """Does not say that it is active again."""

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        return (row for row in super().handleInputRows(key, rows, timerValues) if row.kind != "active")


def test_any_component_can_be_replaced_and_the_right_rule_is_named() -> None:
    class Obliging:
        def __init__(self, setup: Any) -> None:
            self.clock = DECISIONS["clock"](setup)

        def __getattr__(self, step: str) -> Any:
            return getattr(self.clock, step)

        def resume(self, reason: str) -> list[Any]:
            with suppress(RuntimeError):
                self.clock.resume(reason)
            return []

    adapter = SparkAdapter.having(valve=lambda setup: NeverActive(), clock=Obliging)(TESTER)
    assert "VALVE-13" in failing_rules(adapter, drawn("valve", 300))
    assert failing_rules(adapter, drawn("clock", 100)) == {"CLOCK-4"}
    assert failing_rules(adapter, drawn("splits", 100)) == set()


def test_a_component_that_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="no component vavle in SparkAdapter"):
        SparkAdapter.having(vavle=lambda setup: ValveProcessor())


# Layers


def test_what_runs_in_this_process_says_so(tester: SparkAdapter) -> None:
    described = tester.describe()
    assert (described.layer_of("valve"), described.layer_of("clock")) == ("tester", "in-process")
    assert described.elsewhere() == "in-process: clock, coordinator, low_watermark, source"
    assert set(described.capabilities) >= {"valve", "window", "clock", "snapshot", "watermark-lag"}


def test_each_rule_shows_the_layer_of_its_component_and_a_rule_of_time_all_of_them(tmp_path: Path) -> None:
    implementation = Implementation(
        name="e",
        version="1",
        capabilities=("valve", "clock", "snapshot"),
        layer="streaming",
        layers={"clock": "in-process"},
    )
    started = Started(Request(adapter="x:Y"), "core", implementation, {}, (), "2026-01-01T00:00:00+00:00")
    results = assemble([started, Ended()], tmp_path, [], 1.0)
    layers = {rule.component: rule.layer for rule in results.rules}
    assert (layers["valve"], layers["clock"]) == ("streaming", "in-process")
    of_time = {rule.id: rule.layer for rule in results.rules if rule.component == "time"}
    assert "streaming" in of_time.values()
    assert "streaming (in-process: clock)</strong>" in render(results)
    again = msgspec.json.decode(msgspec.json.encode(results), type=type(results))
    assert again.implementation.layers == {"clock": "in-process"}


def test_results_without_layers_can_still_be_read() -> None:
    old = b'{"name": "e", "version": "1", "capabilities": ["valve"], "layer": "tester"}'
    assert msgspec.json.decode(old, type=Implementation).layer_of("valve") == "tester"


def test_only_what_is_cheap_to_call_is_fuzzed() -> None:
    implementation = Implementation(
        name="e",
        version="1",
        capabilities=("valve", "clock"),
        layer="streaming",
        layers={"clock": "in-process"},
    )
    items = plan(Request(adapter="x:Y", budget="smoke"), implementation, CORE)
    assert {item.component for item in items if item.suite == "fuzz"} == {"clock"}


# Your own processor


def test_the_example_of_a_user_passes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(root / "examples")
    import my_valve_under_test

    adapter = my_valve_under_test.MyAdapter(TESTER)
    assert adapter.describe().capabilities == ("valve", "snapshot", "int64")
    vectors = [vector.scenario for vector in load_vectors("valve")]
    assert failing_rules(adapter, [*vectors, *drawn("valve", 300)]) == set()


def test_a_wrong_processor_of_a_user_fails_the_rule_it_breaks(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(root / "examples")
    import my_valve_under_test as example

    class NoFlush(example.MyValve):  # type: ignore[misc]
        def rise(self, timestamp: int) -> list[Any]:
            return [] if all(self.idle) else super().rise(timestamp)  # type: ignore[no-any-return]

    class Adapter(ProcessorAdapter):
        name = "no flush"
        bindings = (example.MyAdapter.bindings[0].having(lambda setup: NoFlush(setup.channels)),)

    assert failing_rules(Adapter(TESTER), drawn("valve", 300)) == {"VALVE-15"}


class Counting(StatefulProcessor):
    """A user's windows without the kit's words: tumbling, over the rows `place`, `when`, `what`."""

    def __init__(self, size: int) -> None:
        self.size = size

    def init(self, handle: StatefulProcessorHandle) -> None:
        numbers = StructType().add("numbers", ArrayType(LongType()))
        self.windows = handle.getMapState("windows", StructType().add("start", "long"), numbers)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for row in sorted(rows, key=lambda row: row.sequence):
            answers: list[dict[str, Any]] = []
            if row.what is not None:
                start = (row.when // self.size * self.size,)
                (numbers,) = self.windows.getValue(start) or ([],)
                self.windows.updateValue(start, ([*numbers, row.what],))
            else:
                for (start,), (numbers,) in sorted(self.windows.iterator()):
                    if start + self.size - 1 <= row.when:
                        self.windows.removeKey((start,))
                        answers.append({"of": start, "numbers": sorted(numbers), "until": None})
                answers.append({"of": None, "numbers": None, "until": row.when})
            for position, answer in enumerate(answers):
                yield Row(place=key[0], sequence=row.sequence, position=position, **answer)

    def close(self) -> None:
        pass


def test_columns_of_other_names_are_translated_by_the_binding() -> None:
    def row(_: Any, step: Any) -> dict[str, Any]:
        return {"when": step.timestamp, "what": getattr(step, "value", None)}

    def output(row: Mapping[str, Any]) -> Any:
        if row["until"] is not None:
            return Watermark(row["until"])
        return Fire(row["of"], row["of"] + 10, tuple(row["numbers"]))

    common = StructType().add("place", "string").add("sequence", "long")
    binding = ProcessorBinding(
        component="window",
        make=lambda setup: Counting(setup.assigner.size),
        input_schema=StructType([*common]).add("when", "long").add("what", "long"),
        output_schema=StructType([*common])
        .add("position", "integer")
        .add("of", "long")
        .add("numbers", ArrayType(LongType()))
        .add("until", "long"),
        key="place",
        row=row,
        output=output,
    )
    adapter = type("Windows", (ProcessorAdapter,), {"bindings": (binding,)})(TESTER)
    session = adapter.session(WindowSetup(Tumbling(10)))
    steps = [
        RecordStep(3, 2),
        RecordStep(13, 5),
        RecordStep(9, 1),
        WindowWatermarkStep(9),
        WindowWatermarkStep(20),
    ]
    assert [session.step(step) for step in steps] == [
        (),
        (),
        (),
        (Fire(0, 10, (1, 2)), Watermark(9)),
        (Fire(10, 20, (5,)), Watermark(20)),
    ]


# What Spark cannot help


class LateWorkers:
    """A session whose queries fail `times` for want of a Python worker, and then answer a number."""

    def __init__(self, times: int, why: str) -> None:
        self.times, self.why = times, why
        self.starts = 0
        self.readStream = self.writeStream = self

    def __getattr__(self, _: str) -> Any:
        return lambda *_: self

    def foreachBatch(self, collect: Any) -> Any:
        self.collect = collect
        return self

    def start(self) -> Any:
        self.starts += 1
        return self

    def processAllAvailable(self) -> None:
        if self.starts <= self.times:
            raise StreamingQueryException(f"[STREAM_FAILED] terminated with exception: {self.why}")
        self.collect(self, 0)

    def toArrow(self) -> pa.Table:
        return pa.Table.from_pylist([{"number": self.starts}])


def fed(session: Any, folder: Path) -> list[dict[str, Any]]:
    query = CheckpointedQuery(session, folder, NUMBER, lambda frame: frame)
    query.start()
    query.feed([{"number": 1}])
    return query.answers()


def test_a_query_whose_workers_are_late_is_started_again(tmp_path: Path) -> None:
    assert fed(LateWorkers(3, "Python worker failed to connect back."), tmp_path) == [{"number": 4}]


def test_a_machine_that_is_too_busy_is_not_held_against_the_processor(tmp_path: Path) -> None:
    session = LateWorkers(99, "Python worker failed to connect back.")
    with pytest.raises(RuntimeError, match="the machine is too busy"):
        fed(session, tmp_path)
    assert session.starts == 5


def test_any_other_failure_of_a_query_is_told_at_once(tmp_path: Path) -> None:
    session = LateWorkers(99, "division by zero")
    with pytest.raises(QueryFailed, match="division by zero"):
        fed(session, tmp_path)
    assert session.starts == 1


# On a real Spark


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("component", others_slower(("splits", "window"), ("splits",)))
def test_setups_side_by_side_in_one_query_answer_as_one_by_one(tester: SparkAdapter, component: str) -> None:
    scenarios: list[Scenario] = [vector.scenario for vector in load_vectors(component)][:60]
    assert len({msgspec.json.encode(scenario.setup) for scenario in scenarios}) > 1
    streaming = SparkAdapter({})

    def transcripts(adapter: SparkAdapter) -> dict[str, Transcript]:
        return {transcript.scenario: transcript for transcript in adapter.run(scenarios)}

    assert transcripts(streaming) == transcripts(tester)
    assert streaming.session(scenarios[0].setup) is None
