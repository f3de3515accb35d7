"""The input of an operator with several channels: its valve, through which the records pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql.functions import col, concat, create_map, lit, pmod, unix_millis, when, xxhash64
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    VariantType,
)

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.valve import Valve, ValveState
from tidegauge_spark.operators.record_columns import RecordColumns, arrow_schema, known_columns, packed
from tidegauge_spark.operators.run_processor import run_processor
from tidegauge_spark.operators.valve import VALVE_STATE_SCHEMA
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA
from tidegauge_spark.worker_process import spare_collections

OPERATOR_INPUT_SCHEMA: Final = StructType(
    [
        StructField("key", StringType()),
        StructField("kind", StringType()),
        StructField("channel", IntegerType()),
        StructField("timestamp", LongType()),
        StructField("records", BinaryType()),
    ]
)
"""A row is what one channel brings to one operator subtask.

key: the operator subtask. kind: "record", "watermark", "idle" or "active"; others, such as "kept-state" of
windows, are passed on at the end of the micro-batch, and have no channel. channel: counted from 0; null for
records. timestamp: of a watermark (ms). records: of the kind "record", any number of them, packed; the
metadata of the column say what they are (`RecordColumns`).
"""

_CHANNELS: Final = "tidegauge.channels"
"""Where the metadata of the column channel say how many there are."""

_ORDER: Final = {"active": 0, "record": 1, "watermark": 2, "idle": 3}
_LAST: Final = 4
_FIRST_COLUMN: Final = 4
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
        spare_collections()
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
                steps += [(answer.kind, answer.timestamp, None) for answer in answers]
            else:
                steps.append((row.kind, row.timestamp, row.records))
        self._state.update(valve.state())
        return iter([_step_row(key[0], number, *step) for number, step in enumerate(steps)])

    def valve(self) -> Valve:
        """Return the valve of an operator subtask that starts; a subclass may use another one."""
        return Valve(self._channels)

    def restored(self, state: ValveState) -> Valve:
        """Return the valve of an operator subtask that goes on."""
        return Valve.restored(state)


class _Packing:
    """Packs records by operator subtask, and gives each of these what is said in band.

    Batches in have the columns kind, channel, event time and operator subtask, then those of the records;
    batches out `OPERATOR_INPUT_SCHEMA`.
    """

    def __init__(self, records: RecordColumns, operator_subtasks: int, sources: Mapping[str, int]) -> None:
        self._records = records
        self._subtasks = operator_subtasks
        self._sources = dict(sources)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_collections()
        schema = self._records.arrow_schema
        for batch in batches:
            if batch.column(0).null_count:
                raise IllegalArgumentError(
                    "a row has no kind in its progress column; take all rows as the sources give them, and "
                    "change only those whose progress.kind is 'record'"
                )
            is_record = pc.equal(batch.column(0), "record")
            told = batch.filter(pc.invert(is_record))
            if told.column(1).null_count:
                raise IllegalArgumentError(
                    f"a row in band is of no source subtask among {self._sources}; name every source by its "
                    "sourceName, with its numSubtasks"
                )
            rows: list[tuple[Any, ...]] = [
                (str(subtask), kind, channel, timestamp, None)
                for kind, channel, timestamp in zip(
                    *(told.column(place).to_pylist() for place in range(3)), strict=True
                )
                for subtask in range(self._subtasks)
            ]
            records = batch if not told.num_rows else batch.filter(is_record)
            for subtask in range(self._subtasks) if records.num_rows else ():
                own = records
                if self._subtasks > 1:
                    own = records.filter(pc.equal(records.column(3), subtask))
                if own.num_rows:
                    columns = [own.column(2), *own.columns[_FIRST_COLUMN:]]
                    rows.append((str(subtask), "record", None, None, packed(columns, schema)))
            if rows:
                columns = [
                    pa.array(values, type=own_type)
                    for values, own_type in zip(zip(*rows, strict=True), _PACKED.types, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=_PACKED)


_PACKED: Final = arrow_schema(OPERATOR_INPUT_SCHEMA)


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
    key: str | Sequence[str] = (),
    event_time: str | None = None,
    progress: str = "progress",
) -> DataFrame:
    """Return rows of sources as what reaches operator subtasks, in `OPERATOR_INPUT_SCHEMA`.

    rows: of one source or the union of several, with inBandWatermarks and the column `progress`. All their
    other columns are those of the records, of any types that Arrow has. sources: how many subtasks each of
    the sources has, by sourceName. key: the columns by which records are dealt out to the operator subtasks,
    and for each value of which there are windows; any types but maps; nulls are a value like any other, and
    without columns all records have the same key. event_time: a column of timestamps, or of whole numbers
    (ms); without it, that of the source. What is said in band goes to all operator subtasks.

    Raises `IllegalArgumentError` for columns that are missing or of a type that cannot be.
    """
    key = (key,) if isinstance(key, str) else tuple(key)
    if operator_subtasks < 1:
        raise IllegalArgumentError(f"an operator has at least one subtask, not {operator_subtasks}")
    known_columns(rows.schema, [progress], "progress")
    columns = StructType([field for field in rows.schema if field.name != progress])
    if not len(columns) or len({name.lower() for name in columns.names}) < len(columns):
        raise IllegalArgumentError(
            f"the records need columns, each with a name of its own; they have {', '.join(columns.names)}"
        )
    records = RecordColumns(columns, key, operator_subtasks)
    for field in known_columns(columns, key, "key"):
        _check_key(field.name, field.dataType)
    records.arrow_schema  # noqa: B018 - refused here, not in a worker
    channels = channels_of(sources)
    channel = create_map(
        *(
            lit(each)
            for (source, subtask), number in channels.items()
            for each in (f"{source}\0{subtask}", number)
        )
    )
    told = col(progress)
    is_record = told["kind"] == "record"
    own_time = told["timestamp"] if event_time is None else _milliseconds(columns, event_time)
    own_subtask = pmod(xxhash64(*map(_column, key)), lit(operator_subtasks)) if key else lit(0)
    named = when(~is_record, channel[_joined(told["source"], told["subtask"])])
    packing = _Packing(records, operator_subtasks, sources)
    key_field, kind_field, channel_field, time_field, _ = OPERATOR_INPUT_SCHEMA
    numbered = StructField(channel_field.name, channel_field.dataType, metadata={_CHANNELS: len(channels)})
    return (
        rows.where(told["kind"].isNull() | (told["kind"] != "record-attributes"))
        .select(
            told["kind"],
            named,
            when(is_record, own_time).otherwise(told["timestamp"]),
            own_subtask.cast("int"),
            *map(_column, columns.names),
        )
        .toDF("kind", "channel", "event_time", "subtask", *(f"c{place}" for place in range(len(columns))))
        .mapInArrow(
            packing, StructType([key_field, kind_field, numbered, time_field, records.field("records")])
        )
    )


def run_operator_input(steps: DataFrame, channels: int) -> DataFrame:
    """Return what goes into the operator behind valves of so many channels, in `WINDOW_INPUT_SCHEMA`.

    Rows in are of `OPERATOR_INPUT_SCHEMA`. A streaming query needs the RocksDB state store provider. The
    operator is `run_windows`, or a processor of your own: the records of a row are
    `unpacked(row.records, columns.arrow_schema)`, where `columns` is `RecordColumns.of(inputs.schema,
    "records")`. Raises `IllegalArgumentError` if `operator_input` has made another number of channels.
    """
    processor = OperatorInputProcessor(channels)
    records = RecordColumns.of(steps.schema, "records")
    made = steps.schema["channel"].metadata.get(_CHANNELS, channels)
    if channels != made:
        raise IllegalArgumentError(
            f"channels = {channels}: the inputs have {made}, one for each subtask of the sources; write that"
        )
    schema = StructType([*WINDOW_INPUT_SCHEMA.fields[:-1], records.field("records")])
    return run_processor(steps.groupBy("key"), processor, schema)


def _check_key(name: str, own_type: DataType) -> None:
    """Refuse a key whose values Spark does not compare, or not as Python does."""
    if isinstance(own_type, MapType | VariantType):
        raise IllegalArgumentError(
            f"the key {name!r} is or has a {own_type.typeName()}; take columns that can be compared"
        )
    if isinstance(own_type, StringType) and own_type.collation != StringType().collation:
        raise IllegalArgumentError(
            f"the key {name!r} is {own_type.simpleString()}; windows compare bytes: cast it to string"
        )
    if isinstance(own_type, StructType):
        for field in own_type:
            _check_key(name, field.dataType)
    if isinstance(own_type, ArrayType):
        _check_key(name, own_type.elementType)


def _milliseconds(columns: StructType, event_time: str) -> Column:
    (field,) = known_columns(columns, [event_time], "event_time")
    if isinstance(field.dataType, TimestampType):
        return unix_millis(_column(event_time))
    if isinstance(field.dataType, LongType):
        return _column(event_time)
    raise IllegalArgumentError(
        f"the event time {event_time!r} is {field.dataType.simpleString()}; give a timestamp or a bigint"
    )


def _column(name: str) -> Column:
    """Return the column of this name, also if there are dots in it."""
    return col("`" + name.replace("`", "``") + "`")


def _joined(source: Column, subtask: Column) -> Column:
    return concat(source, lit("\0"), subtask.cast("string"))


def _place(row: Row) -> tuple[int, int, int]:
    """Return the place of a row in its micro-batch."""
    return _ORDER.get(row.kind, _LAST), row.channel or 0, row.timestamp or 0
