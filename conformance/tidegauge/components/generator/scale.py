"""Scale of the watermark generator component: bounds and idle timeouts at their limits, and groups with
similar names."""

from ...wire.steps.generator import AlignmentStep, FinishStep, GeneratorSetup, StartStep
from ...wire.vocabulary import Step
from ..scale import DAY_MS, LARGEST, YEARS_MS, Scale


def _bounded(bound: int, idle_timeout: int | None = None) -> GeneratorSetup:
    return GeneratorSetup(
        place="source",
        kind="bounded-out-of-orderness",
        max_out_of_orderness=bound,
        idle_timeout=idle_timeout,
    )


def _closing(_: GeneratorSetup, history: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return steps that read the alignment of the built strategy and start the strategy, so that its settings
    affect the outputs."""
    started = any(isinstance(step, StartStep) for step in history[-2:])
    return AlignmentStep(), FinishStep(), *(() if started else (StartStep(), FinishStep()))


SCALE = Scale(
    setups={
        "a-day-out-of-order": _bounded(DAY_MS),
        "the-largest-out-of-orderness": _bounded(LARGEST),
        "a-bound-at-2-31": _bounded(2**31),
        "a-bound-at-2-32": _bounded(2**32),
        "a-timeout-at-2-31": _bounded(1, 2**31),
        "a-day-until-idle": _bounded(0, DAY_MS),
        "years-until-idle": _bounded(1, YEARS_MS),
        "the-latest-processing-time": GeneratorSetup(
            place="mid-pipeline", kind="processing-time", processing_time=LARGEST
        ),
    },
    names=(("watermark_group",),),
    names_come_out=True,
    durations={
        "max_out_of_orderness": (0, LARGEST),
        "idle_timeout": (1, YEARS_MS),
        "timeout": (1, YEARS_MS),
        "milliseconds": (0, YEARS_MS),
        "max_allowed_watermark_drift": (0, LARGEST),
        "update_interval": (1, LARGEST),
    },
    closing=_closing,
)
