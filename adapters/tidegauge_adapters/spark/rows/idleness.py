"""Idleness of tidegauge_spark, bound to the kit: scenarios as rows, and rows back as outputs."""

from tidegauge.wire.steps.idleness import IdlenessSetup
from tidegauge_spark import WatermarkStrategy
from tidegauge_spark.decisions.watermark_strategy import (
    GeneratorSupplier,
    no_watermarks,
    punctuated_watermarks,
)
from tidegauge_spark.operators.idleness import (
    IDLENESS_INPUT_SCHEMA,
    IDLENESS_OUTPUT_SCHEMA,
    IdlenessProcessor,
)

from ..binding.processor_binding import ProcessorBinding
from .after_silence import AfterSilence


def idleness_processor(
    setup: IdlenessSetup, processor: type[IdlenessProcessor] = IdlenessProcessor
) -> IdlenessProcessor:
    """The processor for this setup, of the library's class or one derived from it."""
    return processor(setup.timeout, _supplier(setup), setup.nanoseconds)


def _supplier(setup: IdlenessSetup) -> GeneratorSupplier:
    match setup.generator:
        case "bounded-out-of-orderness":
            return WatermarkStrategy.for_bounded_out_of_orderness(setup.max_out_of_orderness).supplier
        case "punctuated":
            return punctuated_watermarks
        case "after-silence":
            return AfterSilence(setup.max_out_of_orderness)
        case _:
            return no_watermarks


IDLENESS_BINDING = ProcessorBinding(
    component="idleness",
    make=idleness_processor,
    input_schema=IDLENESS_INPUT_SCHEMA,
    output_schema=IDLENESS_OUTPUT_SCHEMA,
)
"""Inputs with idleness of `tidegauge_spark` under the chapter IDLE."""
