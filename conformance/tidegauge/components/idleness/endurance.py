"""An input that has records, is paused, and then has none until it is idle."""

from ...wire.steps.clock import AdvanceStep, PauseStep, ResumeStep
from ...wire.steps.idleness import IdlenessSetup, RecordStep, TickStep
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_TIMEOUT_NS = 1_000_000_000


def _pauses_and_silence(number: int) -> tuple[Step, ...]:
    records = RecordStep(FIRST_MOMENT + 10 * number), TickStep()
    paused = PauseStep(), AdvanceStep(_TIMEOUT_NS), TickStep(), ResumeStep()
    silence = AdvanceStep(_TIMEOUT_NS), TickStep()
    return *records, *paused, *silence, *silence


ENDURANCE = (
    Endurance(
        "pauses-and-silence",
        IdlenessSetup("bounded-out-of-orderness", _TIMEOUT_NS, max_out_of_orderness=5, nanoseconds=2**50),
        _pauses_and_silence,
    ),
)
