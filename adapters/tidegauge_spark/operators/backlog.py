"""Backlog as stateful operators of a Spark query.

One value of the column key is one source subtask, or one operator where record attributes meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tidegauge_spark.decisions.backlog import (
    BacklogDetector,
    CombinerState,
    DetectorState,
    RecordAttributesCombiner,
)
from tidegauge_spark.operators.stepped_processor import (
    SteppedProcessor,
    answer_schema,
    given,
    run_steps,
    step_schema,
    unknown_kind,
)

BACKLOG_DETECTOR_INPUT_SCHEMA: Final = step_schema(
    option=StringType(),
    milliseconds=LongType(),
    now=LongType(),
    timestamp=LongType(),
    backlog=BooleanType(),
)
"""A row is one step of a source subtask.

key: the subtask. sequence: the order of its steps. kind: "configure" (an `option` of the job and the duration
it is set to, in `milliseconds`; before all else), "clock" (`now`: the processing time in ms), "watermark"
(`timestamp` in ms), "idle", "active", or "other" (whether another strategy of the source claims `backlog`).
What the kind does not need is null.
"""

RECORD_ATTRIBUTES_INPUT_SCHEMA: Final = step_schema(channel=IntegerType(), backlog=BooleanType())
"""A row says what the records that follow on a channel are.

key: the operator. sequence: the order of the steps of this operator. kind: "record-attributes". channel:
counted from 0. backlog: whether they are backlog.
"""

BACKLOG_OUTPUT_SCHEMA: Final = answer_schema(timestamp=LongType(), backlog=BooleanType())
"""A row is one thing that goes downstream, or the refusal of a step; of detectors and combiners alike.

key: the subtask or operator. sequence: that of the step which caused it. position: its place among the
outputs of that step, from 0. kind: "watermark", "record-attributes" or "error". timestamp: ms, null unless
the kind is "watermark". backlog: whether the records that follow are backlog, null unless the kind is
"record-attributes". error: "illegal-argument" if the kind is "error", else null.
"""

BACKLOG_DETECTOR_STATE_SCHEMA: Final = StructType(
    [
        StructField("threshold", LongType()),
        StructField("started", BooleanType()),
        StructField("now", LongType()),
        StructField("watermark", LongType()),
        StructField("idle", BooleanType()),
        StructField("lag_claims", BooleanType()),
        StructField("caught_up", BooleanType()),
        StructField("other_claims", BooleanType()),
        StructField("sent", BooleanType()),
    ]
)
"""The state of one source subtask, the fields of `DetectorState`."""

RECORD_ATTRIBUTES_STATE_SCHEMA: Final = StructType(
    [
        StructField("channels", ArrayType(IntegerType(), containsNull=False)),
        StructField("backlog", ArrayType(BooleanType(), containsNull=False)),
        StructField("sent", BooleanType()),
    ]
)
"""The state of one combiner, the fields of `CombinerState`."""


class BacklogDetectorProcessor(SteppedProcessor[BacklogDetector]):
    """Backlog by watermark lag for `transformWithState`, by the rules BACKLOG-1 to 9 and 11.

    threshold: ms, as `watermark_lag_threshold(spark)` returns it; None: the lag says nothing (BACKLOG-3). A
    step "configure" before any other overrides it for its key. `IllegalArgumentError` if it is not greater
    than 0 (BACKLOG-2). Each key keeps the threshold with which it started, also when the query is restarted
    with another one (BACKLOG-1, BACKLOG-11).

    Rows in are of `BACKLOG_DETECTOR_INPUT_SCHEMA`, rows out of `BACKLOG_OUTPUT_SCHEMA`; see
    `SteppedProcessor`.
    """

    input_schema = BACKLOG_DETECTOR_INPUT_SCHEMA
    output_schema = BACKLOG_OUTPUT_SCHEMA
    state_name = "detector"
    state_schema = BACKLOG_DETECTOR_STATE_SCHEMA

    def __init__(self, threshold: int | None = None) -> None:
        BacklogDetector(threshold)  # refused here, not in a worker
        self._threshold = threshold

    def create(self) -> BacklogDetector:
        """Return a subtask that has not started."""
        return BacklogDetector(self._threshold)

    def restored(self, state: tuple[Any, ...]) -> BacklogDetector:
        """Return the subtask that has this state (BACKLOG-11)."""
        return BacklogDetector.restored(DetectorState(*state))

    def saved(self, component: BacklogDetector) -> tuple[Any, ...]:
        """Return the state of the subtask."""
        return component.state()

    def take(self, component: BacklogDetector, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the subtask."""
        match step.kind:
            case "configure":
                return component.configure(given(step, "option"), given(step, "milliseconds"))
            case "clock":
                return component.clock(given(step, "now"))
            case "watermark":
                return component.watermark(given(step, "timestamp"))
            case "idle":
                return component.idle()
            case "active":
                return component.active()
            case "other":
                return component.other(given(step, "backlog"))
            case _:
                raise unknown_kind(step)


class RecordAttributesProcessor(SteppedProcessor[RecordAttributesCombiner]):
    """Record attributes of several channels for `transformWithState`, by BACKLOG-2 and 8 to 11.

    channels: how many each operator has. without_strategy: those on which no strategy is declared, so that
    nobody waits for them (BACKLOG-10). `IllegalArgumentError` for less than one channel, or one without
    strategy that is not among them. Over the subtasks of a source the result is the flag of the source.

    Rows in are of `RECORD_ATTRIBUTES_INPUT_SCHEMA`, rows out of `BACKLOG_OUTPUT_SCHEMA`; see
    `SteppedProcessor`.
    """

    input_schema = RECORD_ATTRIBUTES_INPUT_SCHEMA
    output_schema = BACKLOG_OUTPUT_SCHEMA
    state_name = "combiner"
    state_schema = RECORD_ATTRIBUTES_STATE_SCHEMA

    def __init__(self, channels: int, without_strategy: Iterable[int] = ()) -> None:
        self._channels = channels
        self._without_strategy = tuple(without_strategy)
        self.create()  # refused here, not in a worker

    def create(self) -> RecordAttributesCombiner:
        """Return an operator whose channels have not said anything."""
        return RecordAttributesCombiner(self._channels, self._without_strategy)

    def restored(self, state: tuple[Any, ...]) -> RecordAttributesCombiner:
        """Return the operator that has this state (BACKLOG-11)."""
        combiner = self.create()
        combiner.restore(CombinerState(*state))
        return combiner

    def saved(self, component: RecordAttributesCombiner) -> tuple[Any, ...]:
        """Return the state of the operator."""
        return component.state()

    def take(self, component: RecordAttributesCombiner, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the operator."""
        if step.kind != "record-attributes":
            raise unknown_kind(step)
        return component.attributes(given(step, "channel"), given(step, "backlog"))


def run_backlog_detectors(steps: DataFrame, threshold: int | None = None) -> DataFrame:
    """Return what source subtasks send downstream: their watermarks, each before the attributes it brings.

    threshold: as of `BacklogDetectorProcessor`. Rows in are of `BACKLOG_DETECTOR_INPUT_SCHEMA`, rows out of
    `BACKLOG_OUTPUT_SCHEMA`. A streaming query needs the RocksDB state store provider. Raises
    `IllegalArgumentError` for a threshold that is none, a missing column, or one of another type.
    """
    return run_steps(steps, BacklogDetectorProcessor(threshold))


def combine_record_attributes(
    steps: DataFrame, channels: int, without_strategy: Iterable[int] = ()
) -> DataFrame:
    """Return the record attributes of operators with so many channels.

    Rows in are of `RECORD_ATTRIBUTES_INPUT_SCHEMA`, rows out of `BACKLOG_OUTPUT_SCHEMA`. A streaming query
    needs the RocksDB state store provider. Raises `IllegalArgumentError` for channels that cannot be (see
    `RecordAttributesProcessor`), a missing column, or one of another type.
    """
    return run_steps(steps, RecordAttributesProcessor(channels, without_strategy))
