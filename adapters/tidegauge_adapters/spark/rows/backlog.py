"""Backlog of tidegauge_spark, bound to the kit: scenarios as rows, and rows back as outputs."""

from typing import Any

from pyspark.sql.types import StructType

from tidegauge.wire.steps.backlog import AttributesStep, BacklogSetup, CombinerSetup
from tidegauge.wire.vocabulary import Step
from tidegauge_spark.operators.backlog import (
    BACKLOG_DETECTOR_INPUT_SCHEMA,
    BACKLOG_OUTPUT_SCHEMA,
    RECORD_ATTRIBUTES_INPUT_SCHEMA,
    BacklogDetectorProcessor,
    RecordAttributesProcessor,
)

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import step_columns


def _processor(setup: BacklogSetup) -> BacklogDetectorProcessor | RecordAttributesProcessor:
    """A combiner, or a detector in a job without any option set: its options come as steps."""
    if isinstance(setup, CombinerSetup):
        return RecordAttributesProcessor(setup.channels, setup.without_strategy)
    return BacklogDetectorProcessor()


def _row(_: BacklogSetup, step: Step) -> dict[str, Any]:
    """What arrives on a channel is called as it was when it was sent."""
    columns = step_columns(step)
    return {**columns, "kind": "record-attributes"} if isinstance(step, AttributesStep) else columns


BACKLOG_BINDING = ProcessorBinding(
    component="backlog",
    make=_processor,
    input_schema=StructType([*BACKLOG_DETECTOR_INPUT_SCHEMA, RECORD_ATTRIBUTES_INPUT_SCHEMA["channel"]]),
    output_schema=BACKLOG_OUTPUT_SCHEMA,
    row=_row,
)
"""Detectors and combiners of `tidegauge_spark` under the chapter BACKLOG."""
