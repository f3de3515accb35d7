"""Random inputs with idleness, and steps that matter to them."""

from collections.abc import Sequence
from typing import Any, get_args

from ...wire.steps.clock import AdvanceStep
from ...wire.steps.idleness import GeneratorKind, IdlenessSetup, RecordStep, TickStep
from ...wire.timestamps import LARGEST_PLAIN, MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..clock.drawing import draw_pause
from ..shared.random_source import RandomSource

_KINDS: Sequence[GeneratorKind] = get_args(GeneratorKind)
_BOUNDS = (0, 0, 1, 5, 10_000)
_TIMEOUTS = (1, 2, 10, 1_000_000, 3_000_000, 30_000_000_000)
_READINGS = (0, 0, 1, 7, 1_000_000_000, -1_000)
_TIMESTAMPS = (0, 1, 2, 3, 1_700_000_000_000, -50, MIN, MAX)


def draw_setup(random: RandomSource) -> IdlenessSetup:
    """Any generator with any timeout."""
    kind = random.pick(_KINDS)
    bound = random.pick(_BOUNDS) if kind in ("bounded-out-of-orderness", "after-silence") else 0
    return IdlenessSetup(kind, random.pick(_TIMEOUTS), bound, random.pick(_READINGS))


def draw_step(random: RandomSource, engine: Any) -> Step:
    """A step for the input as it stands: `engine` is the reference's."""
    kind = random.below(100)
    if kind < 20:
        return draw_pause(random, engine.clock)
    if kind < (60 if engine.idle else 30):
        return RecordStep(to_wire(random.pick(_TIMESTAMPS)))
    probed_already = engine.countdown == engine.clock.read()
    if kind < (85 if probed_already else 60):
        return AdvanceStep(_duration(random, engine))
    return TickStep()


def _duration(random: RandomSource, engine: Any) -> int:
    """Return a duration, often close to the rest of the idle timeout, or to the rest of the silence after
    which the watermark generator emits; sometimes a negative duration."""
    if random.chance(3):
        return -1
    if not random.chance(60):
        return random.pick(_TIMEOUTS)
    now, generator = engine.clock.read(), engine.generator
    ends = [(now if engine.countdown is None else engine.countdown) + engine.timeout]
    if hasattr(generator, "silence"):
        ends.append(generator.heard + generator.silence)
    left = random.pick(ends) - now + random.between(-1, 1)
    return min(max(1, int(left)), LARGEST_PLAIN)
