"""Random inputs with generators, and steps that matter to them."""

from typing import Any

from ...wire.steps.generator import (
    ActiveStep,
    AdvanceStep,
    AlignmentStep,
    FinishStep,
    ForBoundedOutOfOrdernessStep,
    ForGeneratorStep,
    ForMonotonousTimestampsStep,
    GeneratorSetup,
    IdleStep,
    Kind,
    NoWatermarksStep,
    RecordStep,
    StartStep,
    TickStep,
    WatermarkStep,
    WithIdlenessStep,
    WithTimestampAssignerStep,
    WithWatermarkAlignmentStep,
)
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.random_source import RandomSource

_KINDS: tuple[tuple[Kind, int], ...] = (
    *((("bounded-out-of-orderness", bound)) for bound in (0, 0, 1, 3, 10, 60_000)),
    ("punctuated", 0),
    ("punctuated", 0),
    ("processing-time", 0),
    ("processing-time", 0),
    ("no-watermarks", 0),
)
_EPOCHS = (0, 0, 1_700_000_000_000, -50)
_WAITS = (1, 2, 5, 20, 1000)
_TIMEOUTS = (1, 5, 20)
_ASSIGNERS = (WithTimestampAssignerStep("record-time"), WithTimestampAssignerStep("ingestion-time"))


def draw_setup(random: RandomSource) -> GeneratorSetup:
    """Mostly the bounded kind, half of them in mid-pipeline, a few on ingestion time or with idleness."""
    kind, bound = random.pick(_KINDS)
    return GeneratorSetup(
        place="mid-pipeline" if random.chance(50) else "source",
        kind=kind,
        max_out_of_orderness=bound,
        assigner="ingestion-time" if random.chance(20) else "record-time",
        idle_timeout=random.pick(_TIMEOUTS) if random.chance(30) else None,
        processing_time=random.pick((0, 0, 100, 1_700_000_000_000)),
    )


def draw_step(random: RandomSource, engine: Any) -> Step:
    """A step for the input as it stands: `engine` is the reference's."""
    timeout = engine.running.idle_timeout
    changed = engine.strategy != engine.running
    if timeout is not None and not changed and random.chance(10):
        return WithIdlenessStep(random.pick(_TIMEOUTS)) if random.chance(65) else random.pick(_ASSIGNERS)
    if timeout is not None and random.chance(25 if changed else 55):
        return TickStep() if random.chance(60) else AdvanceStep(_almost_idle(random, engine))
    if changed and random.chance(40):
        return random.pick((StartStep(), StartStep(), AlignmentStep(), _builder_call(random)))
    kind = random.below(100)
    if kind < 38:
        return RecordStep(to_wire(_timestamp(random, engine)))
    if kind < 60:
        return TickStep()
    if kind < 72:
        return AdvanceStep(random.pick((-1, 0)) if random.chance(8) else random.pick(_WAITS))
    if kind < 76:
        return WatermarkStep(to_wire(MAX if random.chance(30) else _timestamp(random, engine)))
    if kind < 80:
        return random.pick((IdleStep(), ActiveStep()))
    if kind < 82:
        return FinishStep()
    if kind < 85:
        return StartStep()
    if kind < 88:
        return AlignmentStep()
    return _builder_call(random)


def _almost_idle(random: RandomSource, engine: Any) -> int:
    """About the timeout, or a timeout that a builder call has replaced."""
    replaced = engine.running.inner
    if replaced is not None and random.chance(50):
        return int(replaced.idle_timeout) + random.below(2)
    return int(engine.running.idle_timeout) + random.below(2)


def _timestamp(random: RandomSource, engine: Any) -> int:
    """Around the largest timestamp or watermark so far; now and then none at all, or the end of time."""
    if random.chance(3):
        return MAX if random.chance(20) else MIN
    generator = getattr(engine.generator, "generator", engine.generator)
    known = max(generator.largest, engine.emitter.maximum)
    known = known if known > MIN else engine.now
    if known in (0, MAX):
        known = random.pick(_EPOCHS)
    behind = random.pick((1, 1, 2, getattr(generator, "bound", 0) + 1))
    return min(MAX, int(known) + random.between(-behind, random.pick((0, 2, 4))))


def _builder_call(random: RandomSource) -> Step:
    duration = random.pick((None, -1, 0, 0, 1, 5, 30_000))
    return random.pick(
        (
            NoWatermarksStep(),
            ForMonotonousTimestampsStep(),
            ForBoundedOutOfOrdernessStep(duration),
            ForGeneratorStep(random.pick((None, "punctuated", "processing-time"))),
            WithTimestampAssignerStep(random.pick((None, "record-time", "ingestion-time"))),
            WithTimestampAssignerStep(random.pick(("record-time", "ingestion-time"))),
            WithIdlenessStep(duration),
            WithIdlenessStep(random.pick((1, 5))),
            WithWatermarkAlignmentStep(random.pick((None, "group-1", "group-2")), random.pick((0, 200))),
            WithWatermarkAlignmentStep("group-1", duration),
            WithWatermarkAlignmentStep("group-1", 1, duration),
        )
    )
