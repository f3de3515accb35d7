"""Simpler inputs: at a source, without idleness, with smaller numbers."""

from msgspec.structs import replace

from ...wire.steps.generator import GeneratorSetup
from ...wire.vocabulary import Step
from ..shared.simplification import plainer_numbers


def simplify(
    setup: GeneratorSetup, history: tuple[Step, ...]
) -> list[tuple[GeneratorSetup, tuple[Step, ...]]]:
    """Candidates that do the same with a simpler setup or smaller numbers."""
    setups = [
        replace(setup, place="source"),
        replace(setup, idle_timeout=None),
        replace(setup, assigner="record-time"),
        replace(setup, processing_time=0),
        replace(setup, max_out_of_orderness=setup.max_out_of_orderness // 2),
    ]
    return [*((simpler, history) for simpler in setups if simpler != setup), *plainer_numbers(setup, history)]
