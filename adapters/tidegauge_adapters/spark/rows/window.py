"""The windows of tidegauge_spark, bound to the kit."""

from collections.abc import Mapping
from typing import Any

from tidegauge.wire.steps.window import Session, Sliding, WindowSetup
from tidegauge.wire.vocabulary import AnyOutput
from tidegauge_spark import SessionWindows, SlidingWindows, TumblingWindows, WindowSettings
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA, WINDOW_OUTPUT_SCHEMA, WindowProcessor

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import named_output


def window_settings(setup: WindowSetup) -> WindowSettings:
    """A setup of the kit in the library's words."""
    return WindowSettings(
        _assigner(setup),
        setup.allowed_lateness,
        setup.trigger,
        setup.accumulation,
        setup.late_output,
    )


def _assigner(setup: WindowSetup) -> TumblingWindows | SlidingWindows | SessionWindows:
    assigner = setup.assigner
    if isinstance(assigner, Session):
        return SessionWindows(assigner.gap)
    if isinstance(assigner, Sliding):
        return SlidingWindows(assigner.size, assigner.slide, assigner.offset)
    return TumblingWindows(assigner.size, assigner.offset)


def _output(row: Mapping[str, Any]) -> AnyOutput:
    """What a row of `WINDOW_OUTPUT_SCHEMA` says."""
    return named_output({**row, "start": row["window_start"], "end": row["window_end"]})


WINDOW_BINDING = ProcessorBinding(
    component="window",
    make=lambda setup: WindowProcessor(window_settings(setup)),
    input_schema=WINDOW_INPUT_SCHEMA,
    output_schema=WINDOW_OUTPUT_SCHEMA,
    output=_output,
)
"""Windows of `tidegauge_spark` under the chapter WIN; all records have the record key null."""
