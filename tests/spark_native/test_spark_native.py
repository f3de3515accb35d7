"""Spark's own event time as an engine under test: how histories become queries, and what Spark does in them.

The facts on Spark are measured ones of 4.3.0; those that the rules show have no test of their own here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import DataFrame, Row, functions
from pyspark.sql.streaming.listener import StreamingQueryProgress

from tidegauge.components.within import component_within, outside_of_shapes
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.items.judge import judge
from tidegauge.judging.reference.deviating_reference import with_deviations
from tidegauge.judging.reference.deviations import read_deviations
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.scenario import Scenario, SplitsScenario, WindowScenario
from tidegauge.wire.steps.splits import (
    AddSplitStep,
    OperatorInputsSetup,
    SplitOutputsSetup,
    SplitWatermarkStep,
    TickStep,
)
from tidegauge.wire.steps.valve import IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.steps.window import (
    ExpiredStateStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WindowSetup,
)
from tidegauge.wire.steps.window import IdleStep as WindowIdleStep
from tidegauge.wire.steps.window import WatermarkStep as Mark
from tidegauge.wire.vocabulary import Drop, Fire, Restore, Snapshot, StateSize, Watermark
from tidegauge_adapters.spark_native.adapter import DEVIATIONS, SparkNativeAdapter
from tidegauge_adapters.spark_native.query import (
    MicroBatch,
    NativeQuery,
    end_offset,
    milliseconds_of,
    native_session,
)
from tidegauge_adapters.spark_native.watermarks import row_of
from tidegauge_adapters.spark_native.window_outputs import History, outputs_of_histories
from tidegauge_adapters.spark_native.windows import queries
from tidegauge_adapters.spark_schedule.courses import Course, courses
from tidegauge_adapters.spark_schedule.schedule import Placed, Portion, raising_steps, schedule, stays
from tidegauge_adapters.spark_session.session import RunningSpark, end_spark, running_spark
from tidegauge_reference import PROFILES

SPARK = with_deviations(PROFILES["spark-4"], read_deviations(Path(DEVIATIONS)).deviation)


def windows(name: str, *history: Any, setup: WindowSetup | None = None) -> WindowScenario:
    needs = ("snapshot",) if any(isinstance(step, Snapshot) for step in history) else ()
    return WindowScenario(id=name, setup=setup or WindowSetup(Tumbling(4)), history=history, needs=needs)


def valve(name: str, *history: Any) -> ValveScenario:
    needs = ("snapshot",) if any(isinstance(step, Snapshot) for step in history) else ()
    return ValveScenario(id=name, setup=ValveSetup(2), history=history, needs=needs)


# Histories as queries.


def test_what_follows_a_restore_is_a_query_of_its_own_that_is_restarted_at_the_snapshot() -> None:
    first, second, third = (RecordStep(number, number) for number in range(3))
    assert courses((first, second)) == [Course(((0, first), (1, second)))]
    assert courses((first, Snapshot(), second, Restore(), third)) == [
        Course(((0, first), (2, second))),
        Course(((0, first), None, (4, third)), since=2),
    ]
    restored_twice = courses((first, Snapshot(), Restore(), second, Snapshot(), Restore(), third))
    assert restored_twice[-1] == Course(((0, first), None, (3, second), None, (6, third)), since=4)


def test_a_restore_that_undoes_nothing_may_be_a_restart_in_place() -> None:
    first, second, third = (RecordStep(number, number) for number in range(3))
    history = (Snapshot(), Restore(), first, Snapshot(), Restore(), Restore(), second, Restore(), third)
    assert courses(history, in_place=True) == [
        Course((None, (2, first), None, None, (6, second))),
        Course((None, (2, first), None, (8, third)), since=3),
    ]
    assert len(courses(history)) == 5


def test_histories_share_the_watermarks_of_all_and_stand_at_their_own() -> None:
    early = Course(tuple(enumerate((RecordStep(1, 1), Mark(3), RecordStep(5, 2), Mark(2), Mark(7)))))
    late = Course(tuple(enumerate((RecordStep(6, 3), Mark(5), ExpiredStateStep()))))
    assert schedule({"a": early, "b": late}) == [
        Portion([Placed("a", 0, RecordStep(1, 1)), Placed("b", 0, RecordStep(6, 3))], rises_to=3),
        Portion([Placed("a", 2, RecordStep(5, 2)), Placed("a", 3, Mark(2))], rises_to=5),
        Portion([Placed("b", 2, ExpiredStateStep())], rises_to=7),
        Portion(),
    ]
    assert raising_steps(stays(early)) == [(3, 1), (7, 4)]
    assert raising_steps(stays(Course(()))) == []


def test_a_restart_comes_between_what_was_before_the_snapshot_and_what_follows() -> None:
    history = (RecordStep(1, 1), Mark(3), RecordStep(5, 2), Snapshot(), RecordStep(6, 3), Restore(), Mark(9))
    plain, restored = courses(history)
    assert [portion.restarted for portion in schedule({"a": plain})] == [False, False]
    assert schedule({"a": restored}) == [
        Portion([Placed("a", 0, RecordStep(1, 1))], rises_to=3),
        Portion([Placed("a", 2, RecordStep(5, 2))]),
        Portion(rises_to=9, restarted=True),
        Portion(),
    ]


def test_histories_share_a_query_if_they_have_the_same_windows_and_restart_alike() -> None:
    setups = {
        "tumbling": WindowSetup(Tumbling(4, 6)),
        "the same": WindowSetup(Sliding(4, 4, -2), late_output=False),
        "sliding": WindowSetup(Sliding(4, 2)),
        "session": WindowSetup(Session(3)),
        "another gap": WindowSetup(Session(5)),
    }
    scenarios = [windows(name, RecordStep(1, 1), setup=setup) for name, setup in setups.items()]
    scenarios.append(windows("restored", Snapshot(), Restore(), setup=setups["sliding"]))
    assert [{name.partition("#")[0] for name in group} for group in queries(scenarios)] == [
        {"tumbling", "the same"},
        {"sliding", "restored"},
        {"session", "another gap"},
        {"restored"},
    ]


def test_a_watermark_is_said_a_millisecond_later_and_the_rest_is_silence() -> None:
    assert row_of(WatermarkStep(1, 9)) == {"input": "1", "milliseconds": 10}
    assert row_of(SplitWatermarkStep("a", -1)) == {"input": "a", "milliseconds": 0}
    for step in (
        WatermarkStep(1, "MAX"),
        WatermarkStep(0, "MIN"),
        IdleStep(0),
        AddSplitStep("a"),
        TickStep(),
    ):
        assert row_of(step) is None


def row(history: str, start: int, end: int, *came: int) -> Row:
    return Row(history=history, start=start, end=end, came=list(came))


def outputs_of(scenario: WindowScenario, *batches: MicroBatch) -> dict[int, list[Any]]:
    """What is made of these micro-batches."""
    (course,) = courses(scenario.history)
    portions = schedule({"a": course})
    return outputs_of_histories({"a": History(scenario, course)}, portions, batches, None)["a"]


def test_results_and_losses_are_laid_to_the_steps_that_they_are_of() -> None:
    scenario = windows(
        "a", RecordStep(1, 11), RecordStep(2, 10), Mark(4), RecordStep(0, 12), RecordStep(5, 13)
    )
    outputs = outputs_of(
        scenario,
        MicroBatch(0, 1, 0),
        MicroBatch(1, 1, 5, rows=[row("b", 0, 4, 0), row("a", 0, 4, 1, 0)]),
        MicroBatch(2, 2, 5, dropped=1),
        MicroBatch(3, 3, 5),
        MicroBatch(4, 3, 20, rows=[row("a", 4, 8, 4)]),
    )
    assert outputs == {2: [Fire(0, 4, (10, 11)), Watermark(4)], 3: [Drop()]}


def test_what_is_lost_without_being_counted_is_not_said_to_be_dropped() -> None:
    lost = windows("a", RecordStep(1, 11), RecordStep("MIN", 12))
    for dropped, said in ((0, {}), (1, {0: [Drop()]})):
        batches = MicroBatch(0, 1, 0, dropped=dropped), MicroBatch(1, 2, 0), MicroBatch(2, 2, 9)
        assert outputs_of(lost, *batches) == said


def test_a_watermark_that_spark_does_not_take_over_is_not_output() -> None:
    scenario = windows("a", Mark(-5), Mark(3))
    batches = MicroBatch(0, 1, 0), MicroBatch(1, 2, 0), MicroBatch(2, 2, 4), MicroBatch(3, 3, 4)
    assert outputs_of(scenario, *batches) == {1: [Watermark(3)]}


def test_moments_of_progress_reports_are_read_also_beyond_the_year_9999() -> None:
    for moment, text in (
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_001, "2000-02-29T00:00:00.001Z"),
        (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        (2**53 - 1, "287396-10-12T08:59:00.991Z"),
    ):
        assert milliseconds_of(text) == moment


# What the adapter says.


def test_what_spark_has_no_word_for_lies_outside_of_its_shapes() -> None:
    adapter = SparkNativeAdapter({})
    shapes = adapter.describe().shapes
    history = (RecordStep(1, 1), Mark(4))
    unsaid: list[tuple[Scenario, str]] = [
        (windows("a", *history, setup=WindowSetup(Tumbling(4), allowed_lateness=1)), "allowed lateness"),
        (
            windows("b", *history, setup=WindowSetup(Tumbling(4), trigger="per-record")),
            "the per-record trigger",
        ),
        (windows("c", *history, setup=WindowSetup(Sliding(2, 5))), "windows with gaps between them"),
        (windows("d", *history, Mark("MAX")), "the end of the input"),
        (valve("e", WatermarkStep(2, 1)), "a channel that the valve does not have"),
        (SplitsScenario(id="f", setup=OperatorInputsSetup(2), history=()), "the inputs of an operator"),
    ]
    for scenario, reason in unsaid:
        assert outside_of_shapes(scenario, shapes).startswith(reason)
    assert not outside_of_shapes(windows("g", *history, RecordStep("MIN", 2), WindowIdleStep()), shapes)
    assert not outside_of_shapes(valve("h", WatermarkStep(1, "MAX"), IdleStep(0)), shapes)
    (failed,) = adapter.run([unsaid[0][0]])
    assert failed.failure is not None
    assert failed.failure.text == "Spark has no word for it: allowed lateness"


def test_the_adapter_suggests_its_profile_and_its_known_deviations() -> None:
    described = SparkNativeAdapter({}).describe()
    assert (described.profile, described.observes, described.layer) == ("spark-4", "group", "streaming")
    assert described.one_process
    assert len(read_deviations(Path(described.deviations)).deviation) == 8
    with pytest.raises(ValueError, match="spark-native takes no options, got engine"):
        SparkNativeAdapter({"engine": "x"})


# Spark itself.


@pytest.fixture(scope="module")
def spark() -> Iterator[RunningSpark]:
    yield running_spark()
    end_spark()


SHOWN = (
    valve(
        "an input without data, or at its end, holds the watermark",
        *(WatermarkStep(0, 5), WatermarkStep(1, 3), IdleStep(1), WatermarkStep(0, 7)),
        *(WatermarkStep(0, "MAX"), WatermarkStep(1, 9)),
    ),
    valve(
        "after a restart every input is waited for",
        *(WatermarkStep(0, 5), WatermarkStep(1, 3), Snapshot(), WatermarkStep(1, 4), Restore()),
        *(WatermarkStep(1, 7), WatermarkStep(0, 8)),
    ),
    SplitsScenario(
        id="the fastest split counts, from 1970 on",
        setup=SplitOutputsSetup(),
        history=(
            *(AddSplitStep("a"), AddSplitStep("b"), SplitWatermarkStep("a", -3)),
            *(SplitWatermarkStep("a", 5), SplitWatermarkStep("b", 3), SplitWatermarkStep("b", 9), TickStep()),
        ),
    ),
    windows(
        "late from 1970 on, without a timestamp, and later",
        *(RecordStep(-3, 1), RecordStep(0, 2), RecordStep(5, 3), RecordStep("MIN", 9), Mark(-2), Mark(4)),
        *(WindowIdleStep(), RecordStep(1, 4), ExpiredStateStep(), RecordStep(6, 5), Mark(2), Mark(7)),
    ),
    windows("restored", RecordStep(1, 2), Mark(2), Snapshot(), RecordStep(2, 3), Mark(3), Restore(), Mark(5)),
    windows(
        "a session's record is late before it is merged",
        *(RecordStep(10, 1), Mark(11), RecordStep(9, 2), RecordStep(11, 3), ExpiredStateStep(), Mark(20)),
        setup=WindowSetup(Session(3)),
    ),
    windows(
        "sessions that touch",
        *(RecordStep(10, 1), RecordStep(12, 4), RecordStep(15, 7), Mark(13), RecordStep(11, 3), Mark(20)),
        setup=WindowSetup(Session(2), late_output=False),
    ),
)


@pytest.mark.slower
@pytest.mark.usefixtures("spark")
@pytest.mark.xdist_group("spark")
def test_spark_differs_from_the_specification_exactly_as_known() -> None:
    adapter = SparkNativeAdapter({})
    windows_of_spark = component_within("window", adapter.describe().shapes)
    drawn = (draw_history(windows_of_spark, 3, index, PROFILES["spark-4"]) for index in count())
    alike = (one for one in drawn if one.setup.assigner == Tumbling(1))
    scenarios = [*SHOWN, next(alike)]
    transcripts = {transcript.scenario: transcript for transcript in adapter.run(scenarios)}
    for scenario in scenarios:
        judged = judge(scenario, transcripts[scenario.id], expect(scenario, SPARK), "group")
        assert judged.diverges_at is None, (scenario.id, judged.expected, judged.got)
    for scenario in SHOWN:
        right = judge(scenario, transcripts[scenario.id], expect(scenario, PROFILES["core"]), "group")
        assert (right.diverges_at is None) == (scenario.id in ("restored", "sessions that touch"))
    assert StateSize(0) in transcripts["a session's record is late before it is merged"].outputs[0]


def progress_of(**fields: Any) -> StreamingQueryProgress:
    times = {"timestamp": "2026-01-01T00:00:00.000Z", "batchDuration": 1, "durationMs": {}}
    source = {"description": "files", "startOffset": None, "latestOffset": None, "numInputRows": 1}
    rates = {"inputRowsPerSecond": 1.0, "processedRowsPerSecond": 1.0}
    ids = {"id": str(UUID(int=1)), "runId": str(UUID(int=2)), "name": None, "batchId": 0}
    source = {**source, **rates, "endOffset": {"logOffset": 3}}
    sink = {"description": "rows", "numOutputRows": 1}
    told = {
        **ids,
        **times,
        "stateOperators": [],
        "sources": [source],
        "sink": sink,
        **rates,
        "numInputRows": 1,
    }
    return StreamingQueryProgress.fromJson({**told, **fields})


def test_an_offset_is_read_from_the_progress_of_a_micro_batch_and_from_no_idle_one() -> None:
    assert end_offset(progress_of(eventTime={"watermark": "1970-01-01T00:00:00.000Z"})) == {"logOffset": 3}
    assert end_offset(progress_of()) is None


Run = Callable[..., list[MicroBatch]]


@pytest.fixture(name="run")
def runs(spark: RunningSpark) -> Run:
    """Put rows (seconds, partition's file each) through a plan, and see the micro-batches."""

    def run(
        plan: Callable[[DataFrame], DataFrame],
        *batches: Sequence[float | None],
        settings: dict[str, str] | None = None,
        policy: str = "min",
        files: int = 1,
        **trigger: bool,
    ) -> list[MicroBatch]:
        session = native_session(spark.session, policy)
        for name, value in (settings or {}).items():
            session.conf.set(name, value)
        query = NativeQuery(session, spark.folder.subfolder("fact"), "second DOUBLE", plan, files)
        try:
            rows = [[{"second": second} for second in batch] for batch in batches]
            if trigger:
                for batch in rows:
                    query.write(batch)
                query.start(**trigger)
                query.wait()
            else:
                query.start()
                for number in range(0, len(rows), files):
                    query.feed(*rows[number : number + files])
            query.stop()
            return query.batches
        finally:
            query.end()

    return run


def timed(rows: DataFrame, delay: str = "0 seconds") -> DataFrame:
    return rows.withColumn(
        "time", functions.timestamp_micros((functions.col("second") * 1_000_000).cast("bigint"))
    ).withWatermark("time", delay)


def seconds(batches: Sequence[MicroBatch]) -> list[list[float]]:
    """The seconds that came out of each micro-batch that had any."""
    return [[row.second for row in batch.rows] for batch in batches if batch.rows]


def tens(rows: DataFrame) -> DataFrame:
    """Windows of 10 s, by their end."""
    counted = timed(rows).groupBy(functions.window("time", "10 seconds")).count()
    return counted.select((functions.unix_millis("window.end") / 1000).alias("second"), "count")


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f2_f3_f4_f5_a_row_is_late_at_the_watermark_itself_and_only_where_state_is_kept(run: Run) -> None:
    distinct = run(
        lambda rows: timed(rows).dropDuplicates(["time"]), [10, 9.999], [9.999, 10, 10.001], [5, 10.0014]
    )
    assert seconds(distinct) == [[10, 9.999], [10.001], [10.0014]]
    assert [batch.dropped for batch in distinct if batch.dropped] == [2, 1]
    watermarks = [batch.watermark for batch in distinct]
    assert watermarks == sorted(watermarks)
    assert watermarks[-1] == 10_001, "cut to whole milliseconds"
    assert seconds(run(timed, [10], [5])) == [[10], [5]]


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f6_the_policy_max_follows_the_fastest_input_and_each_input_has_its_delay(run: Run) -> None:
    def two_inputs(rows: DataFrame) -> DataFrame:
        slow, fast = rows.filter("second < 100"), rows.filter("second >= 100")
        return timed(slow).union(timed(fast, "5 seconds")).dropDuplicates(["time"])

    slowest, fastest = (run(two_inputs, [1], [200], [2], policy=policy) for policy in ("min", "max"))
    assert slowest[-1].watermark == 2_000
    assert seconds(slowest) == [[1], [200], [2]]
    assert fastest[-1].watermark == 195_000
    assert seconds(fastest) == [[1], [200]]


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f7_the_partition_that_is_ahead_makes_the_rows_of_the_others_late(run: Run) -> None:
    def by_partition(rows: DataFrame) -> DataFrame:
        return timed(rows).withColumn("part", functions.spark_partition_id()).dropDuplicates(["time"])

    apart = {"spark.sql.files.openCostInBytes": "128MB"}
    batches = run(by_partition, [1], [1000], [2], [1001], files=2, settings=apart)
    assert [{row.part for row in batch.rows} for batch in batches if batch.rows] == [{0, 1}, {0}] or [
        {row.part for row in batch.rows} for batch in batches if batch.rows
    ] == [{0, 1}, {1}]
    assert [sorted(found) for found in seconds(batches)] == [[1, 1000], [1001]]
    assert sum(batch.dropped for batch in batches) == 1


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f8_lateness_is_judged_by_the_watermark_of_the_micro_batch_before(run: Run) -> None:
    without = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}
    batches = run(tens, [20], [5], [6], settings=without)
    assert [(batch.watermark, batch.dropped) for batch in batches] == [(0, 0), (20_000, 0), (20_000, 1)]
    assert seconds(batches) == [[10]], "although the watermark was past its window"
    assert seconds(run(tens, [20], [5], [6])) == []


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f9_available_now_closes_what_is_complete_and_once_does_not(run: Run) -> None:
    assert seconds(run(tens, [1, 12, 31], availableNow=True)) == [[10, 20]]
    assert seconds(run(tens, [1, 12, 31], once=True)) == []


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f12_windows_of_windows_follow_in_the_same_micro_batch(run: Run) -> None:
    def chained(rows: DataFrame) -> DataFrame:
        inner = timed(rows).groupBy(functions.window("time", "10 seconds")).count()
        outer = inner.groupBy(functions.window(functions.window_time("window"), "20 seconds")).agg(
            functions.sum("count").alias("second")
        )
        return outer.select("second")

    batches = run(chained, [1, 2, 12], [20])
    assert seconds(batches) == [[3]]
    assert [batch.watermark for batch in batches if batch.rows] == [20_000]


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_f15_f16_delays_that_are_refused_and_keys_without_a_time(run: Run, spark: RunningSpark) -> None:
    frame = spark.session.createDataFrame([], "time TIMESTAMP")
    for delay in ("-1 seconds", "0"):
        with pytest.raises((AnalysisException, IllegalArgumentException)):
            frame.withWatermark("time", delay)
    for delay in ("0 seconds", "1 microsecond", "1 month"):
        frame.withWatermark("time", delay)
    batches = run(lambda rows: timed(rows).groupBy("time").count(), [None, 1], [20])
    assert sum(batch.dropped for batch in batches) == 0
    assert [batch.kept for batch in batches] == [2, 1, 2, 1], "the one without a time stays"
