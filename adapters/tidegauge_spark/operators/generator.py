"""Watermark strategies as a stateful operator of a Spark query: one value of the column key is one input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.functions import lit
from pyspark.sql.types import ArrayType, BooleanType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.activity_clock import ClockState
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.timestamps_and_watermarks import InputState, TimestampsAndWatermarks
from tidegauge_spark.decisions.watermark_generators import StreamElement
from tidegauge_spark.decisions.watermark_strategy import GeneratorSupplier, WatermarkStrategy
from tidegauge_spark.operators.stepped_processor import (
    SteppedProcessor,
    answer_schema,
    given,
    run_steps,
    step_schema,
    unknown_kind,
)
from tidegauge_spark.operators.strategy_text import ASSIGNERS, SUPPLIERS, StrategyText

GENERATOR_INPUT_SCHEMA: Final = step_schema(
    timestamp=LongType(),
    processing_time=LongType(),
    milliseconds=LongType(),
    reason=StringType(),
    max_out_of_orderness=LongType(),
    supplier=StringType(),
    assigner=StringType(),
    idle_timeout=LongType(),
    watermark_group=StringType(),
    max_allowed_watermark_drift=LongType(),
    update_interval=LongType(),
)
"""A row is one step of an input. Columns that its kind does not use are null; all times are in ms.

key: the input. sequence: the order of the steps of this input. kind:

* "record": with the timestamp that it carries, null if it carries none.
* "tick": the periodic tick, which is also the probe of idleness. Whoever makes the stream of rows puts ticks
  into it, as often as watermarks are wanted.
* "advance": so many `milliseconds` of time pass.
* "pause" and "resume": the input is not polled, and is polled again, for a `reason`: "backpressure",
  "alignment", "busy-downstream" or "no-data". Time in which it is blocked does not make it idle.
* "watermark" (timestamp), "idle", "active": from upstream.
* "finish": the last moment of an input that is finished in an orderly way.
* "start": the input starts again, by the strategy as it is built now.
* "no-watermarks", "for-monotonous-timestamps", "for-bounded-out-of-orderness" (`max_out_of_orderness`),
  "for-generator" (`supplier`: "punctuated", "processing-time", or one of the processor's), and
  "with-timestamp-assigner" (`assigner`: "record-time" or "ingestion-time"), "with-idleness" (`idle_timeout`),
  "with-watermark-alignment" (`watermark_group`, `max_allowed_watermark_drift`, `update_interval`): the calls
  of `WatermarkStrategy` on the strategy of this input. They take effect at the next start.
* "alignment": how is the input aligned?

processing_time: on a row of any kind, the time of the machine at which it was made. The clocks of the input
go on to it before anything else, even if the step is refused, and never back. It is an alternative to
"advance".
"""

_ANSWERS: Final = {
    "timestamp": LongType(),
    "watermark_group": StringType(),
    "max_allowed_watermark_drift": LongType(),
    "update_interval": LongType(),
}

GENERATOR_OUTPUT_SCHEMA: Final = answer_schema(**_ANSWERS)
"""A row is one thing that goes downstream, an answer, or the refusal of a step; all times are in ms.

key: the input. sequence: that of the step which caused it. position: its place among the outputs of that
step, from 0. kind: "record" and "watermark" with timestamp (`MIN` of a record: none), "idle", "active",
"alignment" with the next three columns, or "error". error: "illegal-argument" or "illegal-state" if the kind
is "error", else null.
"""

GENERATOR_STATE_SCHEMA: Final = StructType(
    [
        StructField("strategy", StringType()),
        StructField("running", StringType()),
        StructField("processing_time", LongType()),
        StructField("activity", LongType()),
        StructField("pauses", ArrayType(LongType(), containsNull=False)),
        StructField("generator_name", StringType()),
        StructField("generator", ArrayType(LongType(), containsNull=False)),
        StructField("output_watermark", LongType()),
        StructField("output_idle", BooleanType()),
    ]
)
"""The state of one input, in effect the fields of `InputState`: strategies are null for that of the query,
and texts if rows have built them; activity (ns) and pauses are those of the input activity clock."""


class GeneratorProcessor(SteppedProcessor[TimestampsAndWatermarks]):
    """Inputs with a watermark strategy for `transformWithState`, by the rules GEN-1 to GEN-15.

    Each key starts with `strategy`. in_mid_pipeline: what comes out only rises, and replaces the watermarks
    and statuses from upstream; otherwise the input is at a source, where they go out as its generator makes
    them. processing_time: of the start (ms); `MIN`: the first row that has one tells it. suppliers: those
    which rows may name beside "punctuated" and "processing-time". payload: further columns of records, which
    go out with them, in the row before the error; null in all other rows out.

    Rows in are of `GENERATOR_INPUT_SCHEMA`, rows out of `output_schema`, which is `GENERATOR_OUTPUT_SCHEMA`
    with the payload; see `SteppedProcessor`. A query that is restarted with another strategy goes on with
    that one, but for inputs whose strategy rows have built; the new generator keeps the state of the old one
    if it is of the same class.
    """

    input_schema = GENERATOR_INPUT_SCHEMA
    output_schema = GENERATOR_OUTPUT_SCHEMA
    state_name = "input"
    state_schema = GENERATOR_STATE_SCHEMA

    def __init__(
        self,
        strategy: WatermarkStrategy,
        in_mid_pipeline: bool = False,
        processing_time: int = MIN,
        suppliers: Mapping[str, GeneratorSupplier] | None = None,
        payload: Sequence[StructField] = (),
    ) -> None:
        self._strategy = strategy
        self._in_mid_pipeline = in_mid_pipeline
        self._processing_time = processing_time
        self._suppliers = {**SUPPLIERS, **(suppliers or {})}
        self._text = StrategyText(strategy, self._suppliers)
        self._payload = [column.name for column in payload]
        taken = set(GENERATOR_INPUT_SCHEMA.names + GENERATOR_OUTPUT_SCHEMA.names)
        for name in self._payload:
            if name in taken:
                raise IllegalArgumentError(
                    f"the column {name!r} has a meaning of its own; rename that of the records"
                )
        self.output_schema = answer_schema(**_ANSWERS, **{column.name: column.dataType for column in payload})
        self.create()  # a supplier that cannot work is refused here, not in a worker

    def create(self) -> TimestampsAndWatermarks:
        """Return an input that has just started."""
        return TimestampsAndWatermarks(self._strategy, self._in_mid_pipeline, self._processing_time)

    def restored(self, state: tuple[Any, ...]) -> TimestampsAndWatermarks:
        """Return the input that has this state."""
        strategy, running, processing_time, activity, pauses, name, generator, watermark, idle = state
        return TimestampsAndWatermarks.restored(
            InputState(
                strategy=self._text.read(strategy),
                running=self._text.read(running),
                processing_time=processing_time,
                clock=ClockState(activity, pauses),
                generator_name=name,
                generator=tuple(generator),
                output_watermark=watermark,
                output_idle=idle,
            ),
            self._in_mid_pipeline,
        )

    def saved(self, component: TimestampsAndWatermarks) -> tuple[Any, ...]:
        """Return the state of the input."""
        strategy, running, processing_time, clock, name, generator, watermark, idle = component.state()
        texts = self._text.write(strategy), self._text.write(running)
        return (*texts, processing_time, *clock, name, list(generator), watermark, idle)

    def take(self, component: TimestampsAndWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the input, at its time."""
        if step.processing_time is not None:
            component.advance_to(step.processing_time)
        match step.kind:
            case "record":
                return self._rows(component.record(MIN if step.timestamp is None else step.timestamp), step)
            case "tick":
                return self._rows(component.tick(), step)
            case "finish":
                return self._rows(component.finish(), step)
            case "watermark":
                return self._rows(component.watermark(given(step, "timestamp")), step)
            case "idle":
                return self._rows(component.idle(), step)
            case "active":
                return self._rows(component.active(), step)
            case "alignment":
                alignment = component.alignment()
                return () if alignment is None else (("alignment", None, *alignment, *self._nothing()),)
            case "advance":
                component.advance(given(step, "milliseconds"))
            case "pause":
                component.pause(given(step, "reason"))
            case "resume":
                component.resume(given(step, "reason"))
            case "start":
                component.start()
            case _:
                component.strategy = self._built(component.strategy, step)
        return ()

    def _built(self, strategy: WatermarkStrategy, step: Row) -> WatermarkStrategy:
        """Return what the call of the builder that a row describes makes of a strategy."""
        match step.kind:
            case "no-watermarks":
                return WatermarkStrategy.no_watermarks()
            case "for-monotonous-timestamps":
                return WatermarkStrategy.for_monotonous_timestamps()
            case "for-bounded-out-of-orderness":
                return WatermarkStrategy.for_bounded_out_of_orderness(step.max_out_of_orderness)
            case "for-generator":
                return WatermarkStrategy.for_generator(self._suppliers.get(step.supplier))
            case "with-timestamp-assigner":
                return strategy.with_timestamp_assigner(ASSIGNERS.get(step.assigner))
            case "with-idleness":
                return strategy.with_idleness(step.idle_timeout)
            case "with-watermark-alignment":
                arguments = [step.watermark_group, step.max_allowed_watermark_drift]
                if step.update_interval is not None:
                    arguments.append(step.update_interval)
                return strategy.with_watermark_alignment(*arguments)
            case _:
                raise unknown_kind(step)

    def _rows(self, elements: Sequence[StreamElement], step: Row) -> list[tuple[Any, ...]]:
        """Return elements as rows out, records with the payload of the step."""
        rows: list[tuple[Any, ...]] = []
        for kind, timestamp in elements:
            payload = [step[name] for name in self._payload] if kind == "record" else self._nothing()
            rows.append((kind, timestamp, None, None, None, *payload))
        return rows

    def _nothing(self) -> list[None]:
        return [None] * len(self._payload)


def run_generators(rows: DataFrame, strategy: WatermarkStrategy, in_mid_pipeline: bool = False) -> DataFrame:
    """Return the records of inputs with their timestamps, and between them watermarks and statuses.

    rows: with the columns key, sequence and kind, and those of the others of `GENERATOR_INPUT_SCHEMA` that
    are used; all further columns are the payload of records and come out with them. The result is as of
    `GeneratorProcessor`. A streaming query needs the RocksDB state store provider.

    Raises `IllegalArgumentError` for a column that is missing, of another type, or called like one of the
    rows that come out.
    """
    own = GENERATOR_INPUT_SCHEMA.names
    payload = [field for field in rows.schema if field.name not in own]
    processor = GeneratorProcessor(strategy, in_mid_pipeline, payload=payload)
    for field in GENERATOR_INPUT_SCHEMA:
        if field.name not in (*rows.columns, "key", "sequence", "kind"):
            rows = rows.withColumn(field.name, lit(None).cast(field.dataType))
    return run_steps(rows, processor)
