"""Generators whose bounds and idle timeouts are at their limits."""

from ...wire.steps.generator import GeneratorSetup
from ..scale import DAY_MS, LARGEST, YEARS_MS, Scale


def _bounded(bound: int, idle_timeout: int | None = None) -> GeneratorSetup:
    return GeneratorSetup(
        place="source",
        kind="bounded-out-of-orderness",
        max_out_of_orderness=bound,
        idle_timeout=idle_timeout,
    )


SCALE = Scale(
    setups={
        "a-day-out-of-order": _bounded(DAY_MS),
        "the-largest-out-of-orderness": _bounded(LARGEST),
        "a-bound-at-2-31": _bounded(2**31),
        "a-bound-at-2-32": _bounded(2**32),
        "a-day-until-idle": _bounded(0, DAY_MS),
        "years-until-idle": _bounded(1, YEARS_MS),
    },
)
