"""One watermark for several splits, or several inputs, as stateful operators of a Spark query.

One value of the column key is one source subtask with its splits, or one operator with its inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tidegauge_spark.decisions.splits import CombinationState, InputWatermarks, SplitWatermarks
from tidegauge_spark.operators.stepped_processor import (
    SteppedProcessor,
    answer_schema,
    given,
    run_steps,
    step_schema,
    unknown_kind,
)


def _state_schema(part: DataType) -> StructType:
    """Return the schema of a `CombinationState` whose parts are of this type."""
    return StructType(
        [
            StructField("parts", ArrayType(part, containsNull=False)),
            StructField("watermarks", ArrayType(LongType(), containsNull=False)),
            StructField("idle", ArrayType(BooleanType(), containsNull=False)),
            StructField("output_watermark", LongType()),
            StructField("output_idle", BooleanType()),
        ]
    )


SPLITS_INPUT_SCHEMA: Final = step_schema(split=StringType(), timestamp=LongType(), deferred=BooleanType())
"""A row is one step on the splits of a source subtask.

key: the subtask. sequence: the order of the steps of this subtask. kind: "add-split", "remove-split",
"watermark", "idle", "active", or "tick". split: its name, null for a tick. timestamp: ms, null unless the
kind is "watermark". deferred: whether a watermark or a status is kept until the next tick; null: it is not.
"""

INPUTS_INPUT_SCHEMA: Final = step_schema(input=IntegerType(), timestamp=LongType())
"""A row is one step on the inputs of an operator.

key: the operator. sequence: the order of the steps of this operator. kind: "watermark", "idle" or "active".
input: counted from 0. timestamp: ms, null unless the kind is "watermark".
"""

SPLITS_OUTPUT_SCHEMA: Final = answer_schema(timestamp=LongType())
"""A row is one thing that goes downstream, or the refusal of a step; of splits and of inputs alike.

key: the subtask or operator. sequence: that of the step which caused it. position: its place among the
outputs of that step, from 0. kind: "watermark", "idle", "active" or "error". timestamp: ms, null unless the
kind is "watermark". error: "illegal-argument" or "illegal-state" if the kind is "error", else null.
"""

SPLITS_STATE_SCHEMA: Final = _state_schema(StringType())
"""The state of one source subtask, the fields of `CombinationState`."""

INPUTS_STATE_SCHEMA: Final = _state_schema(IntegerType())
"""The state of one operator, the fields of `CombinationState`."""


class SplitsProcessor(SteppedProcessor[SplitWatermarks]):
    """The splits of source subtasks for `transformWithState`, by the rules SPLIT-1 to SPLIT-13.

    Rows in are of `SPLITS_INPUT_SCHEMA`, rows out of `SPLITS_OUTPUT_SCHEMA`; see `SteppedProcessor`. A split
    that has not been added is "illegal-argument", adding one that is there "illegal-state" (SPLIT-12);
    removing one that is not there changes nothing.
    """

    input_schema = SPLITS_INPUT_SCHEMA
    output_schema = SPLITS_OUTPUT_SCHEMA
    state_name = "splits"
    state_schema = SPLITS_STATE_SCHEMA

    def create(self) -> SplitWatermarks:
        """Return a subtask without splits (SPLIT-7)."""
        return SplitWatermarks()

    def restored(self, state: tuple[Any, ...]) -> SplitWatermarks:
        """Return the subtask that has this state (SPLIT-13)."""
        return SplitWatermarks.restored(CombinationState(*state))

    def saved(self, component: SplitWatermarks) -> tuple[Any, ...]:
        """Return the state of the subtask."""
        return component.state()

    def take(self, component: SplitWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the subtask."""
        match step.kind:
            case "add-split":
                return component.add_split(given(step, "split"))
            case "remove-split":
                return component.remove_split(given(step, "split"))
            case "watermark":
                split, timestamp = given(step, "split"), given(step, "timestamp")
                return component.watermark(split, timestamp, bool(step.deferred))
            case "idle":
                return component.idle(given(step, "split"), bool(step.deferred))
            case "active":
                return component.active(given(step, "split"), bool(step.deferred))
            case "tick":
                return component.tick()
            case _:
                raise unknown_kind(step)


class InputsProcessor(SteppedProcessor[InputWatermarks]):
    """The inputs of operators for `transformWithState`, by the rules SPLIT-1 to SPLIT-13.

    inputs: how many each operator has; `IllegalArgumentError` for less than one. Rows in are of
    `INPUTS_INPUT_SCHEMA`, rows out of `SPLITS_OUTPUT_SCHEMA`; see `SteppedProcessor`. An input that the
    operator does not have is "illegal-argument" (SPLIT-12).
    """

    input_schema = INPUTS_INPUT_SCHEMA
    output_schema = SPLITS_OUTPUT_SCHEMA
    state_name = "inputs"
    state_schema = INPUTS_STATE_SCHEMA

    def __init__(self, inputs: int) -> None:
        InputWatermarks(inputs)  # refused here, not in a worker
        self._inputs = inputs

    def create(self) -> InputWatermarks:
        """Return an operator whose inputs are all active, without a watermark (SPLIT-1)."""
        return InputWatermarks(self._inputs)

    def restored(self, state: tuple[Any, ...]) -> InputWatermarks:
        """Return the operator that has this state (SPLIT-13)."""
        return InputWatermarks.restored(CombinationState(*state))

    def saved(self, component: InputWatermarks) -> tuple[Any, ...]:
        """Return the state of the operator."""
        return component.state()

    def take(self, component: InputWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the operator."""
        match step.kind:
            case "watermark":
                return component.watermark(given(step, "input"), given(step, "timestamp"))
            case "idle":
                return component.idle(given(step, "input"))
            case "active":
                return component.active(given(step, "input"))
            case _:
                raise unknown_kind(step)


def run_splits(steps: DataFrame) -> DataFrame:
    """Return what source subtasks send downstream for these steps on their splits.

    Rows in are of `SPLITS_INPUT_SCHEMA`, rows out of `SPLITS_OUTPUT_SCHEMA`. A streaming query needs the
    RocksDB state store provider. Raises `IllegalArgumentError` for a missing column or another type.
    """
    return run_steps(steps, SplitsProcessor())


def run_inputs(steps: DataFrame, inputs: int) -> DataFrame:
    """Return what operators with so many inputs send downstream for these steps.

    Rows in are of `INPUTS_INPUT_SCHEMA`, rows out of `SPLITS_OUTPUT_SCHEMA`. A streaming query needs the
    RocksDB state store provider. Raises `IllegalArgumentError` for less than one input, and for a missing
    column or another type.
    """
    return run_steps(steps, InputsProcessor(inputs))
