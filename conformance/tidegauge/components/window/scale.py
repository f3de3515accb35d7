"""Many windows at a time, windows of days over summer time, lateness at its limits, sums at theirs."""

from msgspec.structs import replace

from ...wire.steps.window import (
    ExpiredStateStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from ...wire.timestamps import MAX, MIN, from_wire, to_wire
from ...wire.vocabulary import Step
from ..scale import DAY_MS, EDGES, LARGEST, Scale, Widened
from ..shared.random_source import RandomSource

_APART_MS = 60
_FAR_MS = 100_000
"""Windows that come again begin so many ms apart; those of a wide history end within the other."""


def _closing(_: WindowSetup, history: tuple[Step, ...]) -> tuple[Step, ...]:
    """A watermark that passes all records by far, or else the end of event time, and a look at what is kept.
    Only with the latter can records stay next to `MAX`, where a cleanup time is cut off."""
    moments = [from_wire(step.timestamp) for step in history if isinstance(step, RecordStep)]
    known = [moment for moment in moments if MIN < moment < MAX - _FAR_MS]
    if not known:
        return ()
    far = to_wire(max(known) + _FAR_MS) if max(known) % 2 else "MAX"
    return WatermarkStep(far), ExpiredStateStep()


def _windows(_: RandomSource, setup: WindowSetup, history: tuple[Step, ...], wanted: int) -> Widened | None:
    """Each record comes again in later windows, so that with all of them so many wait at a time."""
    records = sum(isinstance(step, RecordStep) for step in history)
    if not records:
        return None
    copies = -(-wanted // records)
    return setup, tuple(copy for step in history for copy in _copies(step, copies))


def _copies(step: Step, number: int) -> list[Step]:
    if not isinstance(step, RecordStep) or from_wire(step.timestamp) + number * _APART_MS > MAX:
        return [step]
    moments = (from_wire(step.timestamp) + place * _APART_MS for place in range(number))
    return [replace(step, timestamp=to_wire(moment)) for moment in moments]


SCALE = Scale(
    # Of the first moments of event time Flink's assigners make windows that begin before it.
    edges={**EDGES, "MIN": MIN + 1000},
    closing=_closing,
    widen={"windows": _windows},
    setups={
        "days-in-berlin": WindowSetup(Tumbling(DAY_MS, -7_200_000)),
        "weeks-every-day": WindowSetup(Sliding(7 * DAY_MS, DAY_MS)),
        "a-session-of-a-day": WindowSetup(Session(DAY_MS), allowed_lateness=DAY_MS),
        "the-largest-window": WindowSetup(Tumbling(LARGEST)),
        "the-largest-gap": WindowSetup(Session(LARGEST)),
        "the-largest-lateness": WindowSetup(Tumbling(5), allowed_lateness=LARGEST),
        "a-lateness-at-2-31": WindowSetup(Tumbling(5), allowed_lateness=2**31),
        "a-size-at-2-31": WindowSetup(Tumbling(2**31)),
        "a-size-at-2-32": WindowSetup(Sliding(2**32, 2**31)),
    },
)
