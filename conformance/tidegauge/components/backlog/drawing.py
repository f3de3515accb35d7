"""Random detectors and combiners, and steps that matter to them."""

from typing import Any

from tidegauge_reference.backlog import OPTION, LagDetector

from ...wire.steps.backlog import (
    ActiveStep,
    AttributesStep,
    BacklogSetup,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.random_source import RandomSource

MISSPELLED = "piplinepipeline.backlog.watermark-lag-threshold"
"""The name as the page's diff shows it, removed and added letters run together."""

_CHANNELS = (1, 2, 2, 3, 3, 4)
_OPTIONS = (OPTION,) * 10 + (MISSPELLED, "pipeline.backlog")
_THRESHOLDS = (1, 10, 10, 10, 50, 30_000, 0, -1)
_EPOCHS = (0, 0, 100, 1_700_000_000_000)


def draw_setup(random: RandomSource) -> BacklogSetup:
    """A detector, or a combiner of one to four channels, some of them without a strategy."""
    if random.chance(65):
        return DetectorSetup()
    channels = random.pick(_CHANNELS)
    return CombinerSetup(channels, tuple(c for c in range(channels) if random.chance(20)))


def draw_step(random: RandomSource, engine: Any) -> Step:
    """A step for the detector or the combiner as it stands: `engine` is the reference's."""
    if isinstance(engine, LagDetector):
        return _step_of_detector(random, engine)
    channel = random.below(len(engine.channels))
    if random.chance(2):
        channel = random.pick((-1, len(engine.channels)))
    return AttributesStep(channel, random.chance(40))


def _step_of_detector(random: RandomSource, detector: LagDetector) -> Step:
    if random.chance(2 if detector.started or detector.threshold else 85):
        return ConfigureStep(random.pick(_OPTIONS), random.pick(_THRESHOLDS))
    kind = random.below(100)
    if kind < 40:
        return WatermarkStep(to_wire(_timestamp(random, detector)))
    if kind < 60:
        return ClockStep(_time(random, detector))
    if kind < 85:
        return ActiveStep() if detector.is_idle else IdleStep()
    if kind < 95:
        return OtherStep(not detector.others if random.chance(80) else detector.others)
    return random.pick((IdleStep(), ActiveStep()))


def _timestamp(random: RandomSource, detector: LagDetector) -> int:
    """Around the border of the threshold or anywhere near; seldom the end of input, or `MIN`."""
    if random.chance(4):
        return MAX if random.chance(70) else MIN
    if random.chance(60):
        return detector.now - detector.threshold + random.between(-2, 2)
    return detector.now - random.between(-3, 25)


def _time(random: RandomSource, detector: LagDetector) -> int:
    """Mostly later, now and then earlier; at the start any epoch."""
    if detector.now == 0:
        return random.pick(_EPOCHS) + random.between(0, 100)
    if random.chance(10):
        return max(0, detector.now - random.between(1, 30))
    return detector.now + random.pick((1, 2, 9, 10, 11, 25, detector.threshold))
