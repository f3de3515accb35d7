"""Windows that fill, fire, take late records and are over, one after the other."""

from ...wire.steps.window import (
    ActiveStep,
    IdleStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_APART_MS = 100
"""The windows of a round are over before those of the next one begin."""


def _finished_windows(number: int) -> tuple[Step, ...]:
    at = FIRST_MOMENT + _APART_MS * number
    records = RecordStep(at, 1), RecordStep(at + 4, 2)
    fired_and_late = WatermarkStep(at + 20), RecordStep(at + 1, 3), IdleStep(), ActiveStep()
    return *records, *fired_and_late, WatermarkStep(at + 80), RecordStep(at + 2, 4)


ENDURANCE = tuple(
    Endurance(name, setup, _finished_windows, rules=("WIN-13",))
    for name, setup in {
        "tumbling-windows": WindowSetup(Tumbling(10), allowed_lateness=30),
        "sliding-windows": WindowSetup(Sliding(10, 5), allowed_lateness=30, accumulation="discarding"),
        "sessions": WindowSetup(
            Session(10), allowed_lateness=30, accumulation="accumulating-and-retracting", late_output=False
        ),
    }.items()
)
