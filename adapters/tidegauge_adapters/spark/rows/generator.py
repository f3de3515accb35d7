"""Generators and strategies of tidegauge_spark, bound to the kit: scenarios as rows, and rows as outputs."""

from typing import Any

from tidegauge.wire.steps.generator import GeneratorSetup
from tidegauge.wire.vocabulary import Step
from tidegauge_spark import WatermarkStrategy
from tidegauge_spark.decisions.watermark_strategy import (
    ingestion_time,
    processing_time_watermarks,
    punctuated_watermarks,
)
from tidegauge_spark.operators.generator import (
    GENERATOR_INPUT_SCHEMA,
    GENERATOR_OUTPUT_SCHEMA,
    GeneratorProcessor,
)

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_columns import step_columns


def generator_processor(
    setup: GeneratorSetup, processor: type[GeneratorProcessor] = GeneratorProcessor
) -> GeneratorProcessor:
    """The processor for this setup, of the library's class or one derived from it."""
    return processor(_strategy(setup), setup.place == "mid-pipeline", setup.processing_time)


def _strategy(setup: GeneratorSetup) -> WatermarkStrategy:
    match setup.kind:
        case "bounded-out-of-orderness":
            strategy = WatermarkStrategy.for_bounded_out_of_orderness(setup.max_out_of_orderness)
        case "punctuated":
            strategy = WatermarkStrategy.for_generator(punctuated_watermarks)
        case "processing-time":
            strategy = WatermarkStrategy.for_generator(processing_time_watermarks)
        case "no-watermarks":
            strategy = WatermarkStrategy.no_watermarks()
    if setup.assigner == "ingestion-time":
        strategy = strategy.with_timestamp_assigner(ingestion_time)
    return strategy if setup.idle_timeout is None else strategy.with_idleness(setup.idle_timeout)


def _row(_: GeneratorSetup, step: Step) -> dict[str, Any]:
    """Among so many columns a timeout has a longer name."""
    columns = step_columns(step)
    columns["idle_timeout"] = columns.pop("timeout", None)
    return columns


GENERATOR_BINDING = ProcessorBinding(
    component="generator",
    make=generator_processor,
    input_schema=GENERATOR_INPUT_SCHEMA,
    output_schema=GENERATOR_OUTPUT_SCHEMA,
    row=_row,
)
"""Inputs with watermark strategies of `tidegauge_spark` under the chapter GEN."""
