"""An input that has records, then none until it is idle, then records again."""

from ...wire.steps.generator import AdvanceStep, GeneratorSetup, RecordStep, TickStep
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_TIMEOUT_MS = 1_000


def _records_and_silence(number: int) -> tuple[Step, ...]:
    at = FIRST_MOMENT + 10 * number
    records = RecordStep(at), RecordStep(at - 3), TickStep()
    return *records, AdvanceStep(_TIMEOUT_MS), TickStep(), AdvanceStep(_TIMEOUT_MS), TickStep()


ENDURANCE = (
    Endurance(
        "records-and-silence",
        GeneratorSetup(
            "source",
            "bounded-out-of-orderness",
            max_out_of_orderness=5,
            idle_timeout=_TIMEOUT_MS,
            processing_time=FIRST_MOMENT,
        ),
        _records_and_silence,
    ),
)
