"""The valve as a stateful operator of a Spark query: one value of the grouping key is one valve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tidegauge_spark.errors import IllegalArgumentError
from tidegauge_spark.valve_state import Valve, ValveOutput, ValveState

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

ILLEGAL_ARGUMENT: Final = "illegal-argument"

_output_row = Row(*VALVE_OUTPUT_SCHEMA.names)


class ValveProcessor(StatefulProcessor):
    """Valves for `transformWithState`, by the rules VALVE-1 to VALVE-23.

    Group rows of `VALVE_INPUT_SCHEMA` by the column valve; the result has `VALVE_OUTPUT_SCHEMA`. Output mode
    "Append", time mode "None": time is in the data, so there are no timers.

    The rows of one batch are taken in the order of their sequence, whatever the order they come in. Across
    batches the order is that of the batches; a sequence is not compared with earlier ones. The first step
    that is not refused settles the number of channels.

    A refused step is answered by one row of kind "error" with "illegal-argument", and the query goes on. That
    is a step on an unknown channel (VALVE-22), and also one of an unknown kind, without a channel, without a
    sequence, with `channels` missing, less than 1 or not that of the valve, or a watermark without timestamp.
    """

    _state: ValueState

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: one value, named "valve", for each valve."""
        self._state = handle.getValueState("valve", VALVE_STATE_SCHEMA)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Take the steps of one valve in a batch; return its outputs in order.

        The state is read once and written once. It is written before an output is handed over, so that it
        does not depend on how far the caller reads.
        """
        steps = sorted(rows, key=_place)
        if not steps:
            return iter(())
        stored = self._state.get()
        valve = None if stored is None else Valve.restored(ValveState(*stored))
        outputs: list[Row] = []
        for step in steps:
            try:
                valve, answers = _take(step, valve)
            except IllegalArgumentError:
                outputs.append(_output_row(key[0], step.sequence, 0, "error", None, ILLEGAL_ARGUMENT))
            else:
                outputs += [
                    _output_row(key[0], step.sequence, position, answer.kind, answer.timestamp, None)
                    for position, answer in enumerate(answers)
                ]
        if valve is not None:  # it is None if all the steps that a new valve ever had were refused
            self._state.update(valve.state())
        return iter(outputs)


def run_valves(steps: DataFrame) -> DataFrame:
    """Return what the valves send downstream for these steps.

    Rows in are of `VALVE_INPUT_SCHEMA`, rows out of `VALVE_OUTPUT_SCHEMA`. A streaming query needs the
    RocksDB state store provider. Rows of different valves come out in no particular order.
    """
    return steps.groupBy("valve").transformWithState(ValveProcessor(), VALVE_OUTPUT_SCHEMA, "Append", "None")


def _place(step: Row) -> tuple[bool, int]:
    """Return the place of a step in its batch: by sequence, those without one (to be refused) first."""
    return (False, 0) if step.sequence is None else (True, step.sequence)


def _take(step: Row, valve: Valve | None) -> tuple[Valve, list[ValveOutput]]:
    """Take one step; return the valve, which is new if there was none, and what goes downstream.

    Raises `IllegalArgumentError`, the given valve being unchanged, for a step that is refused (VALVE-22).
    """
    if step.sequence is None or step.channels is None:
        raise IllegalArgumentError("a step has a sequence and a number of channels")
    if valve is None:
        # Kept by the caller only if the step is not refused: a wrong first row must not settle `channels`.
        valve = Valve(step.channels)
    elif valve.channels != step.channels:
        raise IllegalArgumentError(f"the valve has {valve.channels} channels, not {step.channels}")
    return valve, valve.step(step.kind, step.channel, step.timestamp)
