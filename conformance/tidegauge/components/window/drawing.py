"""Random windows and steps that matter to them."""

from typing import Any

from ...wire.steps.window import (
    ActiveStep,
    ExpiredStateStep,
    IdleStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import EPOCHS
from ..shared.random_source import RandomSource

_LATENESS = (0, 0, 1, 2, 3, 5, 8)


def draw_setup(random: RandomSource) -> WindowSetup:
    """Windows of a few ms; of sliding ones some overlap, some leave gaps."""
    return WindowSetup(
        _assigner(random),
        allowed_lateness=random.pick(_LATENESS),
        trigger="per-record" if random.chance(20) else "event-time",
        accumulation=random.pick(("discarding", "accumulating", "accumulating-and-retracting")),
        late_output=random.chance(70),
    )


def _assigner(random: RandomSource) -> Tumbling | Sliding | Session:
    kind = random.below(3)
    if kind == 0:
        return Tumbling(random.between(1, 6), random.between(-2, 3))
    if kind == 1:
        return Sliding(random.between(1, 6), random.between(1, 5), random.between(-2, 3))
    return Session(random.between(1, 4))


def draw_step(random: RandomSource, windows: Any) -> Step:
    """A step for the windows as they stand: `windows` is the reference's engine."""
    kind = random.below(100)
    if kind < 56:
        return RecordStep(to_wire(_within(_timestamp(random, windows))), random.below(100))
    if kind < 90:
        return WatermarkStep(to_wire(_within(_watermark(random, windows))))
    if kind < 92:
        return IdleStep()
    if kind < 94:
        return ActiveStep()
    return ExpiredStateStep()


def _within(moment: int) -> int:
    """Near a window that goes beyond event time, as it does under a policy, there may be none."""
    return min(max(MIN, moment), MAX)


def _timestamp(random: RandomSource, windows: Any) -> int:
    """Around the watermark, mostly ahead of it, or near a window that has records; seldom no moment."""
    if random.chance(2):
        return random.pick((MIN, MIN, MAX))
    if windows.windows and random.chance(50):
        start, end = random.pick(sorted(windows.windows))
        return random.between(start - 2, end + 1)
    return _now(random, windows) + random.between(-6, 9)


def _watermark(random: RandomSource, windows: Any) -> int:
    """Just before, at or after the moments that matter: a window's end, the end of its lateness."""
    if random.chance(1):
        return MAX
    if windows.windows and random.chance(70):
        _, end = random.pick(sorted(windows.windows))
        lateness = windows.allowed_lateness if random.chance(50) else 0
        return int(end) - 1 + lateness + random.pick((-1, 0, 0, 0, 1))
    return _now(random, windows) + random.between(-1, 5)


def _now(random: RandomSource, windows: Any) -> int:
    """The watermark; before the first one and after the last a window, or else a moment to begin at."""
    if MIN < windows.current_watermark < MAX:
        return int(windows.current_watermark)
    return max((end for _, end in windows.windows), default=random.pick(EPOCHS))
