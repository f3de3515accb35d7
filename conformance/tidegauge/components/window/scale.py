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
"""The distance between the beginnings of windows that come again."""

_FAR_MS = 100_000
"""The latest end of a window that a wide history has."""

_MOST_WINDOWS = 8
_HOUR_MS = 3_600_000


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
    """Repeat each record in later windows, so that about `wanted` windows are open at once. The other steps
    follow after all records."""
    records = [step for step in history if isinstance(step, RecordStep)]
    if not records:
        return None
    copies = -(-wanted // len(records))
    many = [copy for step in records for copy in _copies(step, copies)]
    later = [step for step in history if not isinstance(step, RecordStep)]
    closing = _closing(setup, tuple(many))
    return setup, (*many, *later, *closing)


def _copies(step: RecordStep, number: int) -> list[RecordStep]:
    if from_wire(step.timestamp) + number * _APART_MS > MAX:
        return [step]
    moments = (from_wire(step.timestamp) + place * _APART_MS for place in range(number))
    return [replace(step, timestamp=to_wire(moment)) for moment in moments]


def _bearable(setup: WindowSetup) -> bool:
    """Return whether a record belongs to a few windows only."""
    assigner = setup.assigner
    return not isinstance(assigner, Sliding) or assigner.size <= _MOST_WINDOWS * assigner.slide


SCALE = Scale(
    # Of the first moments of event time Flink's assigners make windows that begin before it.
    edges={**EDGES, "MIN": MIN + 1000},
    closing=_closing,
    widen={"windows": _windows},
    calendar={
        "hours": WindowSetup(Tumbling(_HOUR_MS)),
        "days": WindowSetup(Tumbling(DAY_MS), allowed_lateness=_HOUR_MS),
        "days-of-one-time-zone": WindowSetup(Tumbling(DAY_MS, -2 * _HOUR_MS)),
        "weeks": WindowSetup(Tumbling(7 * DAY_MS, 4 * DAY_MS)),
        "a-day-every-hour": WindowSetup(Sliding(6 * _HOUR_MS, _HOUR_MS)),
        "a-session-of-an-hour": WindowSetup(Session(_HOUR_MS), allowed_lateness=_HOUR_MS),
    },
    durations={
        "size": (1, LARGEST),
        "slide": (1, LARGEST),
        "gap": (1, LARGEST),
        "offset": (0, LARGEST),
        "allowed_lateness": (0, LARGEST),
        "value": (0, LARGEST),
    },
    bearable=_bearable,
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
