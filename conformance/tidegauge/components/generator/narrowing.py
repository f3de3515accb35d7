"""Watermark generators within the shape of an engine."""

from typing import Any

from ...wire.shapes import GeneratorShape
from ...wire.steps.generator import (
    AlignmentStep,
    BuilderStep,
    ForBoundedOutOfOrdernessStep,
    ForGeneratorStep,
    ForMonotonousTimestampsStep,
    GeneratorSetup,
    NoWatermarksStep,
    WithIdlenessStep,
)
from ...wire.vocabulary import Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource


def _setup_outside(setup: GeneratorSetup, shape: GeneratorShape) -> str:
    if setup.kind not in shape.kinds:
        return f"watermark generators of the kind {setup.kind}"
    if setup.place not in shape.places:
        return f"a watermark generator at the place {setup.place}"
    return "" if shape.idleness or setup.idle_timeout is None else "an idle timeout"


def _step_outside(step: Step, shape: GeneratorShape, _: Any) -> str:
    if not shape.builders and isinstance(step, BuilderStep | AlignmentStep):
        return "builder calls"
    if not shape.idleness and isinstance(step, WithIdlenessStep):
        return "an idle timeout"
    kind = _kind_built_by(step)
    return f"watermark generators of the kind {kind}" if kind is not None and kind not in shape.kinds else ""


def _kind_built_by(step: Step) -> str | None:
    if isinstance(step, NoWatermarksStep):
        return "no-watermarks"
    if isinstance(step, ForGeneratorStep):
        return step.supplier
    bounded = isinstance(step, ForMonotonousTimestampsStep | ForBoundedOutOfOrdernessStep)
    return "bounded-out-of-orderness" if bounded else None


def _conformed(setup: GeneratorSetup, shape: GeneratorShape, random: RandomSource) -> GeneratorSetup:
    kind = setup.kind if setup.kind in shape.kinds else random.pick(shape.kinds)
    bounded = kind == "bounded-out-of-orderness"
    return GeneratorSetup(
        place=setup.place if setup.place in shape.places else random.pick(shape.places),
        kind=kind,
        max_out_of_orderness=setup.max_out_of_orderness if bounded else 0,
        assigner=setup.assigner,
        idle_timeout=setup.idle_timeout if shape.idleness else None,
        processing_time=setup.processing_time,
    )


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    conformed=_conformed,
    milliseconds=(
        "max_out_of_orderness",
        "idle_timeout",
        "processing_time",
        "milliseconds",
        "timeout",
        "max_allowed_watermark_drift",
        "update_interval",
    ),
)
