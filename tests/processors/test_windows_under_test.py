"""Windows of processors as people write them, under test as they stand: right ones pass, each bug is found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import windowing_processors as samples
from judged import judgement_of
from pyspark import cloudpickle

from tidegauge import Scenario
from tidegauge.components.within import component_within, fitted
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.reference.oracle import expect
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.steps.window import RecordStep, WatermarkStep, WindowScenario, WindowSetup
from tidegauge.wire.steps.window import Tumbling as KitTumbling
from tidegauge.wire.vocabulary import Drop, Fire, Watermark
from tidegauge_adapters.processors.watched.user_rows import ms_of
from tidegauge_adapters.processors.windows import (
    ProcessorUnderTest,
    Session,
    Sliding,
    Tumbling,
    WindowResults,
    WindowsUnderTest,
)
from tidegauge_adapters.spark_session.session import end_spark
from tidegauge_reference import PROFILES

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import my_windows_under_test as example

TESTER = {"engine": "tester"}
SPARK_4 = PROFILES["spark-4"]
IN = "user string, ts long, value long"
OUT = "user string, what string, start long, end long, vals array<long>"
MINUTE = Tumbling("1 minute")

VALUES: dict[str, Any] = {
    "value": "value",
    "start": "start",
    "end": "end",
    "result": "vals",
    "late": lambda row: row.what == "late",
}


def counts(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen", make=make, input_schema=IN, output_schema=OUT, key="user", time="ts"
    )
    return processor, WindowResults(assigner=MINUTE, **VALUES)


def sessions(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen", make=make, input_schema=IN, output_schema=OUT, key="user", time="ts"
    )
    return processor, WindowResults(assigner=Session("30 seconds"), **VALUES)


def sums(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen",
        make=make,
        input_schema="shop string, till int, at timestamp, amount double, note string",
        output_schema="shop string, till int, window_end timestamp, total double, n int",
        key=("shop", "till"),
        time="at",
        keeps=("dropped",),
        examples=[{"till": 7, "note": "cash"}],
    )
    return processor, WindowResults(
        assigner=MINUTE,
        value="amount",
        end="window_end",
        result=lambda row: (row.n, row.total),
        aggregate=lambda amounts: (len(amounts), sum(amounts)),
    )


def means(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen",
        make=make,
        input_schema="user int, ts long, value int",
        output_schema="user int, end long, mean double, late int",
        key="user",
        time="ts",
    )
    return processor, WindowResults(
        assigner=Sliding("1 minute", "20 seconds"),
        value="value",
        end="end",
        result="mean",
        aggregate="mean",
        late=lambda row: row.late is not None,
        late_value="late",
    )


def maxima(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen",
        make=make,
        input_schema="device long, at timestamp_ntz, v double",
        output_schema="device long, start timestamp_ntz, best double",
        key="device",
        time="at",
        form="pandas",
    )
    return processor, WindowResults(assigner=MINUTE, value="v", start="start", result="best", aggregate="max")


def lists(make: Callable[[], Any]) -> tuple[ProcessorUnderTest, WindowResults]:
    processor = ProcessorUnderTest(
        late_rows="seen",
        make=make,
        input_schema="user string, ts long",
        output_schema="user string, start long, n long, late boolean",
        key="user",
        time="ts",
    )
    return processor, WindowResults(
        assigner=MINUTE,
        start="start",
        result="n",
        aggregate="count",
        late=lambda row: row.late,
        allowed_lateness="30 seconds",
    )


Bound = Callable[[Callable[[], Any]], tuple[ProcessorUnderTest, WindowResults]]

RIGHT: dict[str, tuple[Bound, type[Any]]] = {
    "counts": (counts, samples.TumblingCount),
    "sessions": (sessions, samples.Sessions),
    "sums": (sums, samples.SumPerTill),
    "means": (means, samples.SlidingMean),
    "maxima": (maxima, samples.MaximumInPandas),
    "lists": (lists, samples.CountsInAList),
}
BUGS = [
    ("counts", "late_lt", "WIN-10"),
    ("counts", "late_row", "WIN-10"),
    ("counts", "late_counted", "WIN-11"),
    ("counts", "timer_plus1", "WIN-3"),
    ("counts", "not_cleared", "WIN-13"),
    ("sessions", "touch_lt", "WIN-2"),
    ("sessions", "late_before_merge", "WIN-2"),
    ("sessions", "timer_left", "WIN-2"),
    ("sessions", "not_cleared", "WIN-13"),
    ("sums", "late_counted", "WIN-10"),
    ("sums", "forgets_the_third", "WIN-3"),
    ("means", "off_by_a_half", "WIN-3"),
    ("means", "not_cleared", "WIN-13"),
    ("maxima", "too_small", "WIN-3"),
    ("lists", "waits", "WIN-4"),
    ("lists", "not_cleared", "WIN-13"),
]
QUICK = {("counts", "late_row"), ("counts", "timer_plus1"), ("sessions", "touch_lt"), ("lists", "waits")}


def adapter_of(name: str, bug: str = "", options: dict[str, str] = TESTER) -> WindowsUnderTest:
    bound, kind = RIGHT[name]

    class Adapter(WindowsUnderTest):
        processor, windows = bound(lambda: kind(bug=bug))

    return Adapter(options)


def scenarios_of(adapter: WindowsUnderTest, drawn: int) -> list[Scenario]:
    component = component_within("window", adapter.describe().shapes)
    vectors = [fitted(component, vector.scenario) for vector in load_vectors("window")]
    within = [one for one in vectors if component.mark in one.id and "int64" not in one.needs]
    return [*within, *(draw_history(component, 1, index, SPARK_4) for index in range(drawn))]


def differing(adapter: WindowsUnderTest, drawn: int) -> list[tuple[str, Any]]:
    """The scenarios in which an adapter does not answer like the reference."""
    scenarios = scenarios_of(adapter, drawn)
    expected = {one.id: tuple(expect(one, SPARK_4).outputs) for one in scenarios}
    found = list(adapter.run(scenarios))
    assert len(found) == len(scenarios)
    return [
        (one.scenario, one.failure) for one in found if one.failure or one.outputs != expected[one.scenario]
    ]


def standings(adapter: WindowsUnderTest, drawn: int) -> dict[str, str]:
    judgement = judgement_of(adapter, scenarios_of(adapter, drawn), SPARK_4)
    return {rule: one.standing for rule, one in judgement.rules.items()}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_processor_conforms_as_it_stands(name: str) -> None:
    assert differing(adapter_of(name), 400) == []


@pytest.mark.parametrize(
    ("name", "bug", "rule"),
    [
        pytest.param(*bug, id=f"{bug[0]}-{bug[1]}", marks=() if bug[:2] in QUICK else (pytest.mark.slower,))
        for bug in BUGS
    ],
)
def test_a_bug_of_a_processor_is_found(name: str, bug: str, rule: str) -> None:
    found = standings(adapter_of(name, bug), 60)
    assert found[rule] in ("fail", "suspect"), found
    assert "error" not in found.values()


MODES: dict[str, dict[str, Any]] = {
    "sliding-discarding": {
        "assigner": Sliding("1 minute", "25 seconds"),
        "allowed_lateness": "40 seconds",
        "accumulation": "discarding",
    },
    "sessions-retracting": {
        "assigner": Session("30 seconds"),
        "allowed_lateness": "20 seconds",
        "accumulation": "accumulating-and-retracting",
    },
    "tumbling-per-record": {"assigner": Tumbling("1 minute", "-5 seconds"), "trigger": "per-record"},
    "tumbling-of-days": {"assigner": Tumbling("7 days")},
}


@pytest.mark.parametrize("name", MODES)
def test_all_kinds_and_modes_of_windows_are_read(name: str) -> None:
    """The example of windows, which asks for the columns of the kit, with sums instead of values."""
    results = WindowResults(
        value="value",
        start="start",
        end="end",
        result=lambda row: sum(row["values"]),
        aggregate="sum",
        late=lambda row: row.kind == "late",
        retract=(lambda row: row.kind == "retract") if name == "sessions-retracting" else None,
        **MODES[name],
    )
    assigner = results.assigner.kit
    size = getattr(assigner, "size", 0)
    schema = example.STEPS
    if name == "tumbling-of-days":
        schema = "key string, sequence long, kind string, timestamp date, value long"

    class Adapter(WindowsUnderTest):
        processor = ProcessorUnderTest(
            late_rows="seen",
            make=lambda: OfDays(
                size=size,
                slide=getattr(assigner, "slide", size),
                offset=getattr(assigner, "offset", 0),
                gap=getattr(assigner, "gap", 0),
                lateness=results.lateness_ms,
                per_record=results.trigger == "per-record",
                mode=results.accumulation,
            ),
            input_schema=schema,
            output_schema=example.ANSWERS,
            key="key",
            time="timestamp",
            examples=[{"sequence": 0, "kind": "record"}],
        )
        windows = results

    assert differing(Adapter(TESTER), 200) == []


class OfDays(example.MyWindows):  # type: ignore[misc]
    """The example, for timestamps and for days."""

    def record(self, timestamp: Any, value: int) -> Any:
        return super().record(ms_of(timestamp), value)


@pytest.mark.parametrize("base", [{}, {"processor": counts(samples.TumblingCount)[0]}])
def test_an_adapter_without_a_description_is_refused_in_one_line(base: dict[str, Any]) -> None:
    adapter = type("Mine", (WindowsUnderTest,), base)
    missing = "windows; set it to a WindowResults" if base else "processor; set it to a ProcessorUnderTest"
    with pytest.raises(ValueError, match=f"Mine has no {missing}"):
        adapter(TESTER)


def test_a_handler_that_fires_all_due_windows_answers_like_one_that_fires_its_own() -> None:
    own, all_due = adapter_of("counts"), adapter_of("counts", "all_due")
    scenarios = scenarios_of(own, 300)
    assert [one.outputs for one in own.run(scenarios)] == [one.outputs for one in all_due.run(scenarios)]


def transcript_of(adapter: WindowsUnderTest, *steps: Any, late_output: bool = True) -> Any:
    setup = WindowSetup(KitTumbling(60_000), late_output=late_output)
    (transcript,) = adapter.run([WindowScenario(id="w", setup=setup, history=steps)])
    return transcript


def test_a_timer_that_is_not_after_the_watermark_belongs_to_the_record_that_sets_it() -> None:
    steps = RecordStep(5, 1), WatermarkStep(59_999), RecordStep(6, 2)
    found = transcript_of(adapter_of("counts", "late_lt"), *steps)
    assert found.outputs == ((), (Fire(0, 60_000, (1,)), Watermark(59_999)), (Fire(0, 60_000, (2,)),))


def test_a_late_record_that_changes_no_state_is_dropped() -> None:
    steps = RecordStep(5, 1), WatermarkStep(59_999), RecordStep(6, 2), RecordStep(60_000, 3)
    found = transcript_of(adapter_of("sums"), *steps, late_output=False)
    assert found.outputs[2:] == ((Drop(),), ())


def test_the_report_says_what_the_adapter_does_in_place_of_the_processor() -> None:
    described = adapter_of("sums").describe()
    assert set(described.by_adapter) == {"WIN-6", "WIN-12"}
    assert "not filtered by the watermark" in described.remark
    assert (described.name, described.profile) == ("Adapter", "spark-4")


class ReturnsMore(samples.TumblingCount):
    """Returns a column that is not declared."""

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:
        found = super().handleExpiredTimer(key, timerValues, expiredTimerInfo)
        return (samples.Row(**row.asDict(), more=1) for row in found)


def test_a_row_that_does_not_fit_the_output_schema_is_an_error() -> None:
    class Adapter(WindowsUnderTest):
        processor, windows = counts(ReturnsMore)

    failure = transcript_of(Adapter(TESTER), RecordStep(5, 1), WatermarkStep(59_999)).failure
    assert "output_schema has the columns end, start, user, vals, what" in failure.text


# On a real Spark


@pytest.fixture(name="streaming", scope="module")
def streaming_options() -> Iterator[dict[str, str]]:
    """Python workers get what is in these modules, which they do not find, by value."""
    modules = samples, sys.modules[__name__]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    yield {"engine": "streaming"}
    for module in modules:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
    end_spark()


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("name", ["counts", "sums", "maxima"])
def test_a_right_processor_answers_in_queries_as_in_the_tester(name: str, streaming: dict[str, str]) -> None:
    scenarios = scenarios_of(adapter_of(name), 3)[:12]
    expected = {one.scenario: one.outputs for one in adapter_of(name).run(scenarios)}
    found = {one.scenario: one for one in adapter_of(name, options=streaming).run(scenarios)}
    assert {key: one.failure for key, one in found.items()} == dict.fromkeys(expected)
    assert {key: one.outputs for key, one in found.items()} == expected


def test_a_processor_that_relies_on_spark_to_drop_late_rows_is_refused_with_the_remedy() -> None:
    adapter = adapter_of("sums")
    unseen = replace(type(adapter).processor, late_rows="dropped")
    relying = type("Relying", (WindowsUnderTest,), {"processor": unseen, "windows": type(adapter).windows})
    with pytest.raises(ValueError, match=r"Relying: the chapter WIN gives late rows .*late_rows='seen'"):
        relying({"engine": "tester"})
