"""The input of an operator with several channels: its valve, through which the records pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql.functions import (
    array,
    coalesce,
    col,
    concat,
    create_map,
    explode,
    lit,
    pmod,
    sequence,
    when,
    xxhash64,
)
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.valve import Valve, ValveState
from tidegauge_spark.operators.valve import VALVE_STATE_SCHEMA
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA

OPERATOR_INPUT_SCHEMA: Final = StructType(
    [
        StructField("key", StringType()),
        StructField("kind", StringType()),
        StructField("channel", IntegerType()),
        StructField("record_key", StringType()),
        StructField("timestamp", LongType()),
        StructField("value", LongType()),
    ]
)
"""A row is what one channel brings to one operator subtask.

key: the operator subtask. kind: "record", "watermark", "idle" or "active"; others, such as "kept-state" of
windows, are passed on at the end of the micro-batch, and have no channel.
channel: counted from 0. record_key, value: of a record. timestamp: of a record or a watermark (ms).
"""

_ORDER: Final = {"active": 0, "record": 1, "watermark": 2, "idle": 3}
_LAST: Final = 4
_step_row: Final = Row(*WINDOW_INPUT_SCHEMA.names)


class OperatorInputProcessor(StatefulProcessor):
    """The inputs of operator subtasks for `transformWithState`, by the rules VALVE-1 to VALVE-23.

    Group rows of `OPERATOR_INPUT_SCHEMA` by the column key; the result has `WINDOW_INPUT_SCHEMA`: records,
    and the watermarks and statuses of the operator subtask. Output mode "Append", time mode "None".

    A micro-batch has no order among its channels. They are taken in the one that makes nothing late which is
    not late in every order: ACTIVE, records, watermarks, IDLE. So a record is judged by the watermark that
    the operator had before the micro-batch.
    """

    _state: ValueState

    def __init__(self, channels: int) -> None:
        """channels: how many there are. Raises `IllegalArgumentError` for less than one."""
        Valve(channels)
        self._channels = channels

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: one value, named "valve", for each operator subtask."""
        self._state = handle.getValueState("valve", VALVE_STATE_SCHEMA)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Take what came for one operator subtask in a batch; return its steps, numbered in order.

        Raises `IllegalArgumentError` for a channel that is not there (VALVE-22), which ends the query: the
        channels were declared wrongly.
        """
        stored = self._state.get()
        valve = self.valve() if stored is None else self.restored(ValveState(*stored))
        steps: list[tuple[Any, ...]] = []
        for row in sorted(rows, key=_place):
            if row.kind in ("active", "watermark", "idle"):
                answers = valve.step(row.kind, row.channel, row.timestamp)
                steps += [(answer.kind, None, answer.timestamp, None) for answer in answers]
            else:
                steps.append((row.kind, row.record_key, row.timestamp, row.value))
        self._state.update(valve.state())
        return iter([_step_row(key[0], number, *step) for number, step in enumerate(steps)])

    def valve(self) -> Valve:
        """Return the valve of an operator subtask that starts; a subclass may use another one."""
        return Valve(self._channels)

    def restored(self, state: ValveState) -> Valve:
        """Return the valve of an operator subtask that goes on."""
        return Valve.restored(state)


def channels_of(sources: Mapping[str, int]) -> dict[tuple[str, int], int]:
    """Return the channel of each source subtask: sources in their order, subtasks by number.

    sources: how many subtasks each has, by the option sourceName. Raises `IllegalArgumentError` for none.
    """
    subtasks = [(source, subtask) for source, count in sources.items() for subtask in range(count)]
    if not subtasks or any(count < 1 for count in sources.values()):
        raise IllegalArgumentError(f"write how many subtasks each source has, at least 1: {dict(sources)}")
    return {each: channel for channel, each in enumerate(subtasks)}


def operator_input(
    rows: DataFrame,
    sources: Mapping[str, int],
    operator_subtasks: int = 1,
    *,
    progress: str = "progress",
    record_key: Column | None = None,
    value: Column | None = None,
) -> DataFrame:
    """Return rows of sources as what reaches operator subtasks, in `OPERATOR_INPUT_SCHEMA`.

    rows: of one source or the union of several, with inBandWatermarks and the column `progress`. sources: how
    many subtasks each of them has, by sourceName. record_key: by which records are dealt out to the operator
    subtasks (text; null without it). value: what windows collect of a record (a whole number; its timestamp
    without it). What is said in band goes to all operator subtasks.
    """
    channel = create_map(
        *(
            lit(each)
            for (source, subtask), number in channels_of(sources).items()
            for each in (f"{source}\0{subtask}", number)
        )
    )
    told = col(progress)
    key_text = lit(None).cast("string") if record_key is None else record_key.cast("string")
    is_record = told["kind"] == "record"
    own = pmod(xxhash64(coalesce(key_text, lit(""))), lit(operator_subtasks)).cast("string")
    everyone = sequence(lit(0), lit(operator_subtasks - 1)).cast("array<string>")
    named = concat(told["source"], lit("\0"), told["subtask"].cast("string"))
    return rows.where(told["kind"] != "record-attributes").select(
        explode(when(is_record, array(own)).otherwise(everyone)).alias("key"),
        told["kind"].alias("kind"),
        channel[named].alias("channel"),
        when(is_record, key_text).alias("record_key"),
        told["timestamp"].alias("timestamp"),
        when(is_record, told["timestamp"] if value is None else value.cast("long")).alias("value"),
    )


def run_operator_input(steps: DataFrame, channels: int) -> DataFrame:
    """Return what goes into the operator behind valves of so many channels, in `WINDOW_INPUT_SCHEMA`.

    Rows in are of `OPERATOR_INPUT_SCHEMA`. A streaming query needs the RocksDB state store provider.
    """
    processor = OperatorInputProcessor(channels)
    return steps.groupBy("key").transformWithState(processor, WINDOW_INPUT_SCHEMA, "Append", "None")


def _place(row: Row) -> tuple[int, int, int]:
    """Return the place of a row in its micro-batch."""
    return _ORDER.get(row.kind, _LAST), row.channel or 0, row.timestamp or 0
