"""The windows of tidegauge_spark, bound to the kit."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.types import LongType, StructField, StructType

from tidegauge.wire.steps.window import RecordStep, Session, Sliding, WindowSetup
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import AnyOutput, Step
from tidegauge_spark import SessionWindows, SlidingWindows, TumblingWindows, WindowSettings
from tidegauge_spark.operators.aggregates import values_of
from tidegauge_spark.operators.record_columns import RecordColumns, packed, unpacked
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA, WindowProcessor
from tidegauge_spark.operators.window_results import WINDOW_OUTPUT_SCHEMA

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import named_output, step_columns

RECORDS = RecordColumns(StructType([StructField("value", LongType())]))
"""Records of the kit have a value beside their timestamp, and all the same key."""

_RECORDS_SCHEMA = RECORDS.arrow_schema


def window_settings(setup: WindowSetup) -> WindowSettings:
    """A setup of the kit in the library's words."""
    return WindowSettings(
        _assigner(setup),
        setup.allowed_lateness,
        setup.trigger,
        setup.accumulation,
        setup.late_output,
    )


def window_processor(
    setup: WindowSetup, processor: type[WindowProcessor] = WindowProcessor
) -> WindowProcessor:
    """The operator of a query, with the values in ascending order as its aggregate, and each result in a row
    of its own."""
    return processor(window_settings(setup), RECORDS, {"values": values_of("value")}, results_at_once=1)


def packed_record(timestamp: int | None, value: int | None) -> bytes:
    """A record as the operator gets it."""
    columns = [pa.array([timestamp], pa.int64()), pa.array([value], pa.int64())]
    return packed(columns, _RECORDS_SCHEMA)


def _assigner(setup: WindowSetup) -> TumblingWindows | SlidingWindows | SessionWindows:
    assigner = setup.assigner
    if isinstance(assigner, Session):
        return SessionWindows(assigner.gap)
    if isinstance(assigner, Sliding):
        return SlidingWindows(assigner.size, assigner.slide, assigner.offset)
    return TumblingWindows(assigner.size, assigner.offset)


_RESULTS = window_processor(WindowSetup(Session(1))).results
_RESULTS_SCHEMA = _RESULTS.packed_schema


def _row(_: WindowSetup, step: Step) -> dict[str, Any]:
    """A step in the columns of `WINDOW_INPUT_SCHEMA`."""
    if isinstance(step, RecordStep):
        return {"kind": "record", "records": packed_record(from_wire(step.timestamp), step.value)}
    return step_columns(step)


def _output(row: Mapping[str, Any]) -> AnyOutput:
    """What a row of `WINDOW_OUTPUT_SCHEMA` says."""
    found = dict(row)
    if row["results"] is not None:
        (result,) = unpacked(row["results"], _RESULTS_SCHEMA).to_pylist()
        kind = "retract" if result["retraction"] else "fire"
        found = {**result, "kind": kind, "start": result["window_start"], "end": result["window_end"]}
    elif row["late_records"] is not None:
        (record,) = unpacked(row["late_records"], _RECORDS_SCHEMA).to_pylist()
        found |= {"timestamp": record["event_time"], "value": record["value"]}
    if row["kind"] == "refused":
        found |= {"kind": "error", "error": "illegal-argument"}
    return named_output(found)


WINDOW_BINDING = ProcessorBinding(
    component="window",
    make=window_processor,
    input_schema=WINDOW_INPUT_SCHEMA,
    output_schema=WINDOW_OUTPUT_SCHEMA,
    row=_row,
    output=_output,
)
"""Windows of `tidegauge_spark` under the chapter WIN: each record is a batch of one, and the operator takes
those that follow one another in a micro-batch together, as in a query."""
