"""Splits and inputs of tidegauge_spark, bound to the kit: scenarios as rows, and rows back as outputs."""

from typing import Any

from pyspark.sql.types import StructType

from tidegauge.wire.steps.splits import OperatorInputsSetup, SplitsSetup
from tidegauge.wire.vocabulary import Step
from tidegauge_spark.operators.splits import (
    INPUTS_INPUT_SCHEMA,
    SPLITS_INPUT_SCHEMA,
    SPLITS_OUTPUT_SCHEMA,
    InputsProcessor,
    SplitsProcessor,
)

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import step_columns


def _processor(setup: SplitsSetup) -> SplitsProcessor | InputsProcessor:
    return InputsProcessor(setup.inputs) if isinstance(setup, OperatorInputsSetup) else SplitsProcessor()


def _row(_: SplitsSetup, step: Step) -> dict[str, Any]:
    """The kinds of steps on an input are those on a split; which it is, the processor knows."""
    columns = step_columns(step)
    return {**columns, "kind": columns["kind"].removeprefix("input-")}


SPLITS_BINDING = ProcessorBinding(
    component="splits",
    make=_processor,
    input_schema=StructType([*SPLITS_INPUT_SCHEMA, INPUTS_INPUT_SCHEMA["input"]]),
    output_schema=SPLITS_OUTPUT_SCHEMA,
    row=_row,
)
"""Splits of sources and inputs of operators of `tidegauge_spark` under the chapter SPLIT."""
