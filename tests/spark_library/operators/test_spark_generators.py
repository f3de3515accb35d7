"""Generators and strategies of tidegauge_spark: what rows, payload and restarts add to the rules of GEN.

Expectations are worked out by hand. Times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from component_scenarios import drawn
from judged import failing_rules
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql import Row
from pyspark.sql.functions import col, lit
from pyspark.sql.streaming.tws_tester import TwsTester
from pyspark.sql.types import LongType, StringType, StructField

from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.rows.generator import generator_processor
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import WatermarkStrategy, run_generators, run_valves
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.timestamps_and_watermarks import TimestampsAndWatermarks
from tidegauge_spark.decisions.watermark_generators import (
    BoundedOutOfOrderness,
    GeneratorContext,
    MonotonousTimestamps,
    ProcessingTime,
    StreamElement,
    WatermarkGenerator,
)
from tidegauge_spark.decisions.watermark_strategy import (
    ingestion_time,
    processing_time_watermarks,
    punctuated_watermarks,
)
from tidegauge_spark.operators.generator import (
    GENERATOR_INPUT_SCHEMA,
    GENERATOR_OUTPUT_SCHEMA,
    GENERATOR_STATE_SCHEMA,
    GeneratorProcessor,
)

ACTIVE = ("active", None)
IDLE = ("idle", None)
BAD_ARGUMENT = ("error", "illegal-argument")
BAD_STATE = ("error", "illegal-state")
BOUNDED = WatermarkStrategy.for_bounded_out_of_orderness(10)
NO_COLUMNS = dict.fromkeys(GENERATOR_INPUT_SCHEMA.names)


def record(timestamp: int | None) -> tuple[str, int | None]:
    return ("record", timestamp)


def watermark(timestamp: int) -> tuple[str, int]:
    return ("watermark", timestamp)


def row(kind: str | None, timestamp: int | None = None, sequence: int | None = 0, **columns: Any) -> Row:
    own = {"key": "k", "sequence": sequence, "kind": kind, "timestamp": timestamp}
    return Row(**{**NO_COLUMNS, **own, **columns})


def batch(tester: TwsTester, *rows: Row) -> list[tuple[str, Any]]:
    """What a batch answers: kinds, with the timestamp of what has one and the error of a refusal."""
    return [
        (answer.kind, answer.error if answer.kind == "error" else answer.timestamp)
        for answer in tester.test("k", list(rows))
    ]


def each(tester: TwsTester, *rows: Row) -> list[tuple[str, Any]]:
    """What rows answer, one batch a row."""
    return [answer for step in rows for answer in batch(tester, step)]


def restarted(tester: TwsTester, processor: GeneratorProcessor) -> TwsTester:
    """A query with nothing but the stored state."""
    after = TwsTester(processor)
    after.updateValueState("input", "k", tuple(tester.peekValueState("input", "k")))
    return after


# Rows


def test_columns_that_a_kind_needs_and_unknown_kinds_are_refused_and_change_nothing() -> None:
    tester = TwsTester(GeneratorProcessor(BOUNDED))
    assert each(tester, row("record", 100)) == [record(100)]
    before = tester.peekValueState("input", "k")
    wrong = [
        row("watermark"),
        row("advance"),
        row("advance", milliseconds=-1),
        row("pause"),
        row("pause", reason="lunch"),
        row("for-generator", supplier="(configured)"),
        row("with-timestamp-assigner", assigner="(configured)"),
        row(
            "with-watermark-alignment", watermark_group="g", max_allowed_watermark_drift=5, update_interval=0
        ),
        row("Record", 200),
        row(None, 200),
        row("record", 200, sequence=None),
    ]
    assert each(tester, *wrong) == [BAD_ARGUMENT] * len(wrong)
    assert each(tester, row("resume", reason="alignment")) == [BAD_STATE]
    assert tester.peekValueState("input", "k") == before
    assert each(tester, row("tick")) == [watermark(89)]


def test_the_payload_of_a_record_goes_out_with_it_and_with_nothing_else() -> None:
    columns = [StructField("user", StringType()), StructField("amount", LongType())]
    strategy = WatermarkStrategy.for_generator(punctuated_watermarks).with_watermark_alignment("g", 5)
    processor = GeneratorProcessor(strategy, payload=columns)
    tester = TwsTester(processor)
    steps = [
        row("record", 7, 1, user="ann", amount=3),
        row("record", 8, 2, user=None, amount=4),
        row("alignment", None, 3, user="bob", amount=5),
        row("nonsense", None, 4, user="eve", amount=6),
    ]
    answers = tester.test("k", steps)
    assert [list(answer.__fields__) for answer in answers] == [processor.output_schema.names] * 6
    assert processor.output_schema.names == [*GENERATOR_OUTPUT_SCHEMA.names[:-1], "user", "amount", "error"]
    assert [
        (answer.sequence, answer.position, answer.kind, answer.user, answer.amount) for answer in answers
    ] == [
        (1, 0, "record", "ann", 3),
        (1, 1, "watermark", None, None),
        (2, 0, "record", None, 4),
        (2, 1, "watermark", None, None),
        (3, 0, "alignment", None, None),
        (4, 0, "error", None, None),
    ]
    assert answers[4][4:8] == (None, "g", 5, 1000)
    assert GeneratorProcessor.output_schema == GENERATOR_OUTPUT_SCHEMA


@pytest.mark.parametrize("name", ["position", "error", "timestamp", "reason"])
def test_a_payload_that_is_called_like_a_column_of_ours_is_refused(name: str) -> None:
    with pytest.raises(IllegalArgumentError, match=f"'{name}' has a meaning"):
        GeneratorProcessor(BOUNDED, payload=[StructField(name, StringType())])


def test_the_state_has_the_fields_of_its_schema() -> None:
    tester = TwsTester(GeneratorProcessor(BOUNDED, processing_time=5))
    each(tester, row("record", 9), row("advance", milliseconds=2), row("pause", reason="alignment"))
    assert dict(zip(GENERATOR_STATE_SCHEMA.names, tester.peekValueState("input", "k"), strict=True)) == {
        "strategy": None,
        "running": None,
        "processing_time": 7,
        "activity": 2_000_000,
        "pauses": [0, 1, 0, 0],
        "generator_name": "BoundedOutOfOrderness",
        "generator": [9],
        "output_watermark": MIN,
        "output_idle": False,
    }


# Times


def test_a_row_may_tell_the_processing_time_at_which_it_was_made() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(ingestion_time)
    tester = TwsTester(GeneratorProcessor(strategy))
    assert each(
        tester,
        row("advance", milliseconds=9),
        row("record", 7),  # no row has told the time
        row("tick"),
        row("record", 7, processing_time=1_700_000_000_000),
        row("tick"),
        row("record", 7, processing_time=1_600_000_000_000),  # it does not go back
        row("advance", milliseconds=5),
        row("record", 7),
        row("record", 7, processing_time=1_700_000_000_006),
        row("tick"),
    ) == [
        record(MIN),
        watermark(MIN),
        record(1_700_000_000_000),
        watermark(1_699_999_999_999),
        record(1_700_000_000_000),
        record(1_700_000_000_005),
        record(1_700_000_000_006),
        watermark(1_700_000_000_005),
    ]


def test_the_first_processing_time_that_is_told_is_no_time_that_passes() -> None:
    tester = TwsTester(GeneratorProcessor(WatermarkStrategy.no_watermarks().with_idleness(10)))
    ticks = [row("tick"), *(row("tick", processing_time=1_700_000_000_000 + late) for late in (0, 10, 11))]
    assert [each(tester, tick) for tick in ticks] == [[], [], [], [IDLE]]


def test_time_in_which_the_input_is_blocked_does_not_make_it_idle() -> None:
    tester = TwsTester(GeneratorProcessor(WatermarkStrategy.no_watermarks().with_idleness("10 seconds")))
    blocked = [
        row("tick", processing_time=0),
        row("tick", processing_time=5_000),
        row("pause", processing_time=5_000, reason="alignment"),
        row("tick", processing_time=60_000),
        row("resume", processing_time=65_000, reason="alignment"),  # up to here it was blocked
        row("tick", processing_time=70_000),
    ]
    assert each(tester, *blocked) == []
    assert each(tester, row("tick", processing_time=70_001)) == [IDLE]
    assert each(tester, row("record", 3)) == [ACTIVE, record(3)]


def test_no_time_leaves_64_bits() -> None:
    by_the_clock = WatermarkStrategy.for_generator(processing_time_watermarks).with_idleness(MAX)
    tester = TwsTester(GeneratorProcessor(by_the_clock, processing_time=0))
    assert each(tester, row("advance", milliseconds=MAX), row("advance", milliseconds=MAX), row("tick")) == [
        watermark(MAX - 1)
    ]
    assert tester.peekValueState("input", "k")[2:4] == (MAX, MAX)
    bounded = TwsTester(GeneratorProcessor(WatermarkStrategy.for_bounded_out_of_orderness(MAX)))
    assert each(bounded, row("record", -5), row("tick"), row("record", MAX), row("tick")) == [
        record(-5),
        watermark(MIN),
        record(MAX),
        watermark(-1),
    ]


# Upstream


def test_gen_11_the_end_of_an_idle_input_in_mid_pipeline_is_announced() -> None:
    strategy = WatermarkStrategy.for_generator(punctuated_watermarks).with_idleness(1)
    tester = TwsTester(GeneratorProcessor(strategy, in_mid_pipeline=True))
    quiet = [row("tick"), row("advance", milliseconds=2), row("tick")]
    assert each(tester, *quiet) == [IDLE]
    assert each(tester, row("watermark", 5)) == []
    assert each(tester, row("watermark", MAX)) == [ACTIVE, watermark(MAX)]
    assert each(tester, row("record", 5)) == [record(5)]  # it is active already


def test_gen_11_a_generator_of_a_user_need_not_say_active() -> None:
    class IdleAtTicks(WatermarkGenerator):
        def on_event(self, timestamp: int) -> Sequence[StreamElement]:
            return (StreamElement("watermark", timestamp),)

        def on_periodic_emit(self) -> Sequence[StreamElement]:
            return (StreamElement("idle"),)

    tester = TwsTester(
        GeneratorProcessor(WatermarkStrategy.for_generator(lambda _: IdleAtTicks()), in_mid_pipeline=True)
    )
    assert each(tester, row("record", 5), row("tick"), row("tick"), row("record", 4)) == [
        record(5),
        watermark(5),
        IDLE,
        ACTIVE,  # before the record, though 4 is no new watermark
        record(4),
    ]


# Strategies built by rows, and restarts


class Last(WatermarkGenerator):
    """A generator such as users write: it makes the last timestamp a watermark, at ticks."""

    def __init__(self) -> None:
        self.last = MIN

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        self.last = timestamp
        return ()

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        return (StreamElement("watermark", self.last),)

    def state(self) -> tuple[int, ...]:
        return (self.last,)

    def restore(self, state: Sequence[int]) -> None:
        (self.last,) = state


def last(_: GeneratorContext) -> WatermarkGenerator:
    return Last()


def twice(timestamp: int, _: int) -> int:
    return 2 * timestamp


def test_a_strategy_that_rows_have_built_outlives_the_query() -> None:
    ours = WatermarkStrategy.for_generator(last).with_timestamp_assigner(twice)
    tester = TwsTester(GeneratorProcessor(ours))
    assert each(tester, row("record", 4), row("tick")) == [record(8), watermark(8)]
    for builder_call in (
        row("with-idleness", idle_timeout=3),
        row("with-watermark-alignment", watermark_group="g", max_allowed_watermark_drift=0),
    ):
        assert each(tester, builder_call) == []
        tester = restarted(tester, GeneratorProcessor(ours))
    assert (
        each(tester, row("tick"), row("advance", milliseconds=9), row("tick"), row("tick"))
        == [watermark(8)] * 3
    )  # not started yet
    (alignment,) = tester.test("k", [row("alignment")])
    assert alignment[4:8] == (None, "g", 0, 1000)
    assert each(tester, row("start"), row("tick"), row("record", 5), row("tick")) == [
        watermark(MIN),
        record(10),
        watermark(10),
    ]
    tester = restarted(tester, GeneratorProcessor(ours))
    assert each(tester, row("tick"), row("advance", milliseconds=4), row("tick")) == [watermark(10), IDLE]


def test_functions_of_a_user_survive_the_way_to_a_worker() -> None:
    factor = 3
    ours = WatermarkStrategy.for_generator(lambda _: Last()).with_timestamp_assigner(
        lambda timestamp, _: factor * timestamp
    )

    def in_a_worker() -> GeneratorProcessor:
        sent: GeneratorProcessor = CloudPickleSerializer().loads(CloudPickleSerializer().dumps(processor))
        return sent

    processor = GeneratorProcessor(ours)
    tester = TwsTester(in_a_worker())
    assert each(tester, row("record", 4), row("with-idleness", idle_timeout=3)) == [record(12)]
    tester = restarted(tester, in_a_worker())
    assert each(tester, row("tick"), row("start"), row("record", 5), row("tick")) == [
        watermark(12),
        record(15),
        watermark(15),
    ]


@pytest.mark.parametrize(
    ("columns", "outputs"),
    [
        ({"kind": "for-generator", "supplier": "last"}, [record(6), watermark(6)]),
        ({"kind": "for-generator", "supplier": "punctuated"}, [record(6), watermark(6)]),
        ({"kind": "for-generator", "supplier": "processing-time"}, [record(6), watermark(69)]),
        ({"kind": "for-bounded-out-of-orderness", "max_out_of_orderness": 2}, [record(6), watermark(3)]),
        ({"kind": "for-monotonous-timestamps"}, [record(6), watermark(5)]),
        ({"kind": "no-watermarks"}, [record(6)]),
        ({"kind": "with-timestamp-assigner", "assigner": "ingestion-time"}, [record(70), watermark(59)]),
    ],
)
def test_every_call_of_the_builder_survives_a_restart_before_and_after_the_start(
    columns: dict[str, Any], outputs: list[tuple[str, int]]
) -> None:
    def processor() -> GeneratorProcessor:
        return GeneratorProcessor(BOUNDED, processing_time=70, suppliers={"last": last})

    tester = TwsTester(processor())
    assert each(tester, row(**columns)) == []
    tester = restarted(tester, processor())
    assert each(tester, row("start")) == []
    tester = restarted(tester, processor())
    assert each(tester, row("record", 6), row("tick")) == outputs


def test_a_supplier_that_the_query_does_not_know_any_more_is_named() -> None:
    tester = TwsTester(GeneratorProcessor(BOUNDED, suppliers={"last": last}))
    assert each(tester, row("for-generator", supplier="last")) == []
    with pytest.raises(IllegalArgumentError, match="the supplier 'last'; give it to the query again"):
        each(restarted(tester, GeneratorProcessor(BOUNDED)), row("tick"))


def test_a_query_that_is_restarted_with_another_bound_goes_on_from_the_largest_timestamp() -> None:
    tester = TwsTester(GeneratorProcessor(BOUNDED))
    assert each(tester, row("record", 100), row("tick")) == [record(100), watermark(89)]
    later = GeneratorProcessor(WatermarkStrategy.for_bounded_out_of_orderness(50))
    assert each(restarted(tester, later), row("tick")) == [watermark(49)]


def test_a_query_that_is_restarted_with_another_generator_starts_it_anew_and_does_not_go_back() -> None:
    tester = TwsTester(GeneratorProcessor(BOUNDED, in_mid_pipeline=True))
    assert each(tester, row("record", 100), row("tick")) == [record(100), watermark(89)]
    later = GeneratorProcessor(WatermarkStrategy.for_generator(last), in_mid_pipeline=True)
    tester = restarted(tester, later)
    assert each(tester, row("tick"), row("record", 89), row("tick"), row("record", 90), row("tick")) == [
        record(89),
        record(90),
        watermark(90),
    ]


# Strategies and generators without Spark


@pytest.mark.parametrize("bound", ["1 minute 30 seconds", timedelta(seconds=90), 90_000])
def test_durations_are_milliseconds_texts_or_timedeltas(bound: Any) -> None:
    assert WatermarkStrategy.for_bounded_out_of_orderness(
        bound
    ) == WatermarkStrategy.for_bounded_out_of_orderness(90_000)


@pytest.mark.parametrize(
    ("duration", "problem"),
    [
        ("ten seconds", "max_out_of_orderness 'ten seconds' is not a number and a unit"),
        ("-1 seconds", "max_out_of_orderness '-1 seconds' is negative"),
        ("999999999999999 weeks", f"max_out_of_orderness is 0 to {MAX} ms"),
        (timedelta(microseconds=1500), "max_out_of_orderness 0:00:00.001500 is not a whole number"),
        (timedelta(milliseconds=-1), "max_out_of_orderness is 0 to"),
        (MAX + 1, f"max_out_of_orderness is 0 to {MAX} ms, not {MAX + 1}"),
        (1.5, "not 1.5"),
        (True, "not True"),
        (None, 'max_out_of_orderness is a number of ms or "30 seconds", not None'),
    ],
)
def test_gen_15_a_duration_that_is_none_is_named(duration: Any, problem: str) -> None:
    with pytest.raises(IllegalArgumentError, match=problem):
        WatermarkStrategy.for_bounded_out_of_orderness(duration)
    with pytest.raises(IllegalArgumentError, match=problem):
        BoundedOutOfOrderness(duration)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("for_generator", "punctuated"),
        ("with_timestamp_assigner", "ingestion-time"),
        ("with_idleness", "0 seconds"),
    ],
)
def test_gen_15_other_arguments_that_cannot_be_are_named(call: str, argument: str) -> None:
    with pytest.raises(IllegalArgumentError, match=argument if call != "with_idleness" else "1 to"):
        getattr(WatermarkStrategy.no_watermarks(), call)(argument)


def test_gen_12_inputs_of_one_strategy_do_not_share_a_generator() -> None:
    one, other = TimestampsAndWatermarks(BOUNDED), TimestampsAndWatermarks(BOUNDED)
    one.record(100)
    assert other.tick() == [watermark(MIN)]
    before = one.state()
    one.record(200)
    assert before.generator == (100,)
    assert TimestampsAndWatermarks.restored(before).tick() == [watermark(89)]


def test_gen_13_a_supplier_is_given_the_two_clocks_of_its_input() -> None:
    seen: list[GeneratorContext] = []

    def supplier(context: GeneratorContext) -> WatermarkGenerator:
        seen.append(context)
        return MonotonousTimestamps()

    engine = TimestampsAndWatermarks(WatermarkStrategy.for_generator(supplier), processing_time=50)
    engine.advance(3)
    engine.pause("backpressure")
    engine.advance(4)
    engine.start()
    assert len(seen) == 2
    assert seen[0] == seen[1]  # a start leaves the clocks alone
    clock, time = seen[0]
    assert isinstance(time, ProcessingTime)
    assert (clock.read(), time.milliseconds) == (3_000_000, 57)


# Wrong ones


class WithoutTheLastMillisecond(GeneratorProcessor):
    """Its periodic watermarks leave no room for a second record of the same millisecond."""

    def take(self, component: TimestampsAndWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        taken = super().take(component, step)
        late = step.kind in ("tick", "finish")
        return [
            (kind, at + 1, *rest) if late and at not in (None, MIN) else (kind, at, *rest)
            for kind, at, *rest in taken
        ]


class PassesOn(GeneratorProcessor):
    """Watermarks from upstream go downstream, where the generator's own watermarks regress behind MAX."""

    def take(self, component: TimestampsAndWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        if step.kind == "watermark":
            return [("watermark", step.timestamp, None, None, None)]
        return super().take(component, step)


@pytest.mark.slower
@pytest.mark.parametrize(
    ("wrong", "rules"), [(WithoutTheLastMillisecond, {"GEN-5"}), (PassesOn, {"GEN-10", "GEN-11"})]
)
def test_a_wrong_generator_fails_its_rules_by_name(wrong: type[GeneratorProcessor], rules: set[str]) -> None:
    adapter = SparkAdapter.having(generator=lambda setup: generator_processor(setup, wrong))
    assert failing_rules(adapter({"engine": "tester"}), drawn("generator", 200)) == rules


# Data frames


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_two_inputs_with_ticks_in_band_are_the_channels_of_a_valve() -> None:
    spark = running_spark().session
    schema = "key string, sequence long, kind string, timestamp long, processing_time long, user string"
    steps = [
        ("0", 1, "record", 5_000, 0, "ann"),
        ("1", 2, "record", 3_000, 0, "bob"),
        ("0", 3, "tick", None, 10, None),
        ("1", 4, "tick", None, 10, None),
        ("0", 5, "record", 9_000, 20, "ann"),
        ("0", 6, "tick", None, 1_000, None),
        ("1", 7, "tick", None, 1_000, None),
        ("1", 8, "tick", None, 31_001, None),
    ]
    rows = spark.createDataFrame(steps, schema)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness("1 second").with_idleness("30 seconds")
    inputs = run_generators(rows, strategy)
    found = inputs.orderBy("sequence", "position").collect()
    assert [
        (answer.key, answer.sequence, answer.kind, answer.timestamp, answer.user) for answer in found
    ] == [
        ("0", 1, "record", 5_000, "ann"),
        ("1", 2, "record", 3_000, "bob"),
        ("0", 3, "watermark", 3_999, None),
        ("1", 4, "watermark", 1_999, None),
        ("0", 5, "record", 9_000, "ann"),
        ("0", 6, "watermark", 7_999, None),
        ("1", 7, "watermark", 1_999, None),
        ("1", 8, "idle", None, None),
    ]
    channels = inputs.where("kind != 'record'").select(
        lit("join").alias("valve"),
        lit(2).alias("channels"),
        "sequence",
        "kind",
        col("key").cast("int").alias("channel"),
        "timestamp",
    )
    together = run_valves(channels).orderBy("sequence", "position").collect()
    assert [(answer.sequence, answer.kind, answer.timestamp) for answer in together] == [
        (4, "watermark", 1_999),
        (8, "watermark", 7_999),
    ]
    with pytest.raises(IllegalArgumentError, match="no column 'sequence'"):
        run_generators(rows.drop("sequence"), strategy)
    with pytest.raises(
        IllegalArgumentError, match="'timestamp' of the steps is timestamp; cast it to bigint"
    ):
        run_generators(rows.withColumn("timestamp", col("timestamp").cast("timestamp")), strategy)
    with pytest.raises(IllegalArgumentError, match="the column 'error' has a meaning"):
        run_generators(rows.withColumnRenamed("user", "error"), strategy)
