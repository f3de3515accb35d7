"""The valve of tidegauge_spark, bound to the kit: scenarios as rows, and rows back as outputs."""

from typing import Any

from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.wire.vocabulary import Step
from tidegauge_spark import run_valves
from tidegauge_spark.operators.valve import VALVE_INPUT_SCHEMA, VALVE_OUTPUT_SCHEMA, ValveProcessor

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import step_columns


def _row(setup: ValveSetup, step: Step) -> dict[str, Any]:
    return {"channels": setup.channels, **step_columns(step)}


VALVE_BINDING = ProcessorBinding(
    component="valve",
    make=lambda setup: ValveProcessor(),
    key="valve",
    input_schema=VALVE_INPUT_SCHEMA,
    output_schema=VALVE_OUTPUT_SCHEMA,
    row=_row,
    operator=run_valves,
)
"""Valves of `tidegauge_spark` under the chapter VALVE; a valve is told its number of channels in each row."""
