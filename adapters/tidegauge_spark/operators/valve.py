"""The valve as a stateful operator of a Spark query: one value of the grouping key is one valve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.valve import Valve, ValveState
from tidegauge_spark.operators.run_processor import run_processor
from tidegauge_spark.operators.stepped_processor import SteppedProcessor, check_columns, given

# Every input column may be null: a step that lacks something is answered, it does not end the query.
VALVE_INPUT_SCHEMA: Final = StructType(
    [
        StructField("valve", StringType()),
        StructField("channels", IntegerType()),
        StructField("sequence", LongType()),
        StructField("kind", StringType()),
        StructField("channel", IntegerType()),
        StructField("timestamp", LongType()),
    ]
)
"""A row is one step of a valve.

valve: the key. channels: the number of channels of this valve, the same in each of its rows. sequence: the
order of the steps of this valve. kind: "watermark", "idle" or "active". channel: counted from 0. timestamp:
ms, null unless the kind is "watermark".
"""

VALVE_OUTPUT_SCHEMA: Final = StructType(
    [
        StructField("valve", StringType()),
        StructField("sequence", LongType()),
        StructField("position", IntegerType()),
        StructField("kind", StringType()),
        StructField("timestamp", LongType()),
        StructField("error", StringType()),
    ]
)
"""A row is one thing that goes downstream, or the refusal of a step.

valve: the key. sequence: that of the step which caused it. position: its place among the outputs of that
step, from 0. kind: "watermark", "idle", "active" or "error". timestamp: ms, null unless the kind is
"watermark". error: "illegal-argument" if the kind is "error", else null.
"""

VALVE_STATE_SCHEMA: Final = StructType(
    [
        StructField("watermarks", ArrayType(LongType(), containsNull=False)),
        StructField("idle", ArrayType(BooleanType(), containsNull=False)),
        StructField("aligned", ArrayType(BooleanType(), containsNull=False)),
        StructField("output_watermark", LongType()),
        StructField("output_idle", BooleanType()),
    ]
)
"""The state of one valve, the fields of `ValveState`. One row: each access to a state is a round trip."""


@dataclass
class NewOrKnownValve:
    """The valve of a key, None before the first step that is not refused: that one settles the channels."""

    valve: Valve | None = None


class ValveProcessor(SteppedProcessor[NewOrKnownValve]):
    """Valves for `transformWithState`, by the rules VALVE-1 to VALVE-23.

    Group rows of `VALVE_INPUT_SCHEMA` by the column valve; the result has `VALVE_OUTPUT_SCHEMA`; see
    `SteppedProcessor`. The first step that is not refused settles the number of channels.

    Refused is a step on an unknown channel (VALVE-22), and also one of an unknown kind, without a channel,
    without a sequence, with `channels` missing, less than 1 or not that of the valve, or a watermark without
    timestamp.
    """

    input_schema = VALVE_INPUT_SCHEMA
    output_schema = VALVE_OUTPUT_SCHEMA
    state_name = "valve"
    state_schema = VALVE_STATE_SCHEMA

    def create(self) -> NewOrKnownValve:
        """Return a valve of which not even the channels are known."""
        return NewOrKnownValve()

    def restored(self, state: tuple[Any, ...]) -> NewOrKnownValve:
        """Return the valve that has this state (VALVE-23)."""
        return NewOrKnownValve(Valve.restored(ValveState(*state)))

    def saved(self, component: NewOrKnownValve) -> tuple[Any, ...]:
        """Return the state of the valve."""
        assert component.valve is not None
        return component.valve.state()

    def take(self, component: NewOrKnownValve, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the valve."""
        channels = given(step, "channels")
        valve = component.valve
        if valve is None:
            valve = Valve(channels)
        elif valve.channels != channels:
            raise IllegalArgumentError(f"the valve has {valve.channels} channels, not {channels}")
        outputs = valve.step(step.kind, step.channel, step.timestamp)
        component.valve = valve
        return outputs


def run_valves(steps: DataFrame) -> DataFrame:
    """Return what the valves send downstream for these steps.

    Rows in are of `VALVE_INPUT_SCHEMA`, rows out of `VALVE_OUTPUT_SCHEMA`. A streaming query needs the
    RocksDB state store provider. Rows of different valves come out in no particular order. Raises
    `IllegalArgumentError` for a column that is missing or of another type.
    """
    check_columns(steps, VALVE_INPUT_SCHEMA)
    return run_processor(steps.groupBy("valve"), ValveProcessor(), VALVE_OUTPUT_SCHEMA)
