"""Bind an unchanged windowing processor of a user to chapter WIN."""

from __future__ import annotations

from typing import Any

from pyspark.sql.types import DataType, DateType, IntegerType

from tidegauge.wire.shapes import WindowShape
from tidegauge.wire.steps.window import RecordStep, Session, Sliding, WindowSetup
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import Step

from ...spark.binding.processor_binding import ProcessorBinding
from ..playing.alteration import NONE, Alteration
from ..processor_under_test import ProcessorUnderTest
from ..watched.one_row_frames import OneRowFrames
from ..watched.user_rows import UserRows, has_numbers
from ..watched.watched_processor import STEPS, WatchedProcessor, answers_of
from .result_reader import ResultReader
from .window_results import WindowResults

_LARGEST_INTEGER = 2**31 - 1
_DAY_MS = 86_400_000


def windows_binding(
    processor: ProcessorUnderTest, results: WindowResults, alteration: Alteration = NONE
) -> ProcessorBinding:
    """Return the binding of a processor with windows, or of an altered one.

    Raises `ValueError` for a description that contradicts itself or that the chapter cannot test.
    """
    _check(processor, results)
    kind = processor.inputs[results.value].dataType if results.value else None
    example = dict(processor.examples[0]) if processor.examples else {}
    rows = UserRows(processor.inputs, processor.keys, processor.time, results.value, example)
    return ProcessorBinding(
        component="window",
        make=lambda setup: _watched(processor, rows, alteration),
        input_schema=STEPS,
        output_schema=answers_of(processor.outputs),
        row=_columns,
        reads=lambda setup: ResultReader(results, kind, processor.ordered),
        time_mode="EventTime",
        shape=window_shape(processor, results),
    )


def window_shape(processor: ProcessorUnderTest, results: WindowResults) -> WindowShape:
    """Return the shape of the scenarios: they use only the windows of the processor."""
    assigner = results.assigner.kit
    is_session = isinstance(assigner, Session)
    kind = processor.inputs[processor.time].dataType
    offset = 0 if isinstance(assigner, Session) else assigner.offset
    return WindowShape(
        assigners=(str(assigner.__struct_config__.tag),),  # type: ignore[arg-type]
        sizes=(assigner.gap if isinstance(assigner, Session) else assigner.size,),
        every=(assigner.slide,) if isinstance(assigner, Sliding) else (),
        offsets=bool(offset) and not is_session,
        begins_at=(offset,) if offset else (),
        triggers=(results.trigger,),
        allowed_lateness=(results.lateness_ms,),
        accumulation=(results.accumulation,),
        late_records=("drop",) if results.late is None else ("output",),
        statuses="none",
        lowest=results.earliest,
        highest=min(results.latest, _LARGEST_INTEGER) if isinstance(kind, IntegerType) else results.latest,
        resolution_ms=_DAY_MS if isinstance(kind, DateType) else 1,
        no_timestamp=False,
        end_of_input=False,
    )


def _watched(processor: ProcessorUnderTest, rows: UserRows, alteration: Alteration) -> WatchedProcessor:
    made = processor.make()
    if processor.form == "pandas":
        made = OneRowFrames(made)
    return WatchedProcessor(made, rows, processor.outputs.names, tuple(processor.keeps), alteration)


def _columns(_: WindowSetup, step: Step) -> dict[str, Any]:
    """Return the columns of a step, which is a record or a query for the entries of the state."""
    if isinstance(step, RecordStep):
        return {"kind": "record", "timestamp": from_wire(step.timestamp), "value": step.value}
    return {"kind": str(step.__struct_config__.tag)}


def _check(processor: ProcessorUnderTest, results: WindowResults) -> None:
    if processor.form == "group-state":
        raise ValueError(
            'form: "group-state" cannot be tested as windows yet; take "rows" or "pandas", or test the '
            "function of applyInPandasWithState by `tidegauge processor`"
        )
    if processor.mode != "EventTime":
        raise ValueError(f"time_mode: {processor.mode!r} has no watermark; windows need 'EventTime'")
    if results.value:
        _check_value(processor, results.value)
    columns = {"start": results.start, "end": results.end, "result": results.result}
    for name, column in {**columns, "late_value": results.late_value}.items():
        if isinstance(column, str) and column.split(".")[0] not in processor.outputs.names:
            raise ValueError(
                f"{name}: column {column!r} is not in output_schema; "
                f"it has {', '.join(processor.outputs.names)}"
            )


def _check_value(processor: ProcessorUnderTest, value: str) -> None:
    if value not in processor.values:
        raise ValueError(
            f"value: {value!r} is not a column of input_schema beside key and time; it has "
            f"{', '.join(processor.values) or 'none'}"
        )
    kind: DataType = processor.inputs[value].dataType
    if not has_numbers(kind):
        raise ValueError(
            f"value: column {value!r} is {kind.simpleString()}; it has to be a number, a string or a boolean"
        )
