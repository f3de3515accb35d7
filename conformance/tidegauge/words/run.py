"""A run in words: what it was of, how much it ran, and what it left out."""

from ..wire.implementation import Implementation
from ..wire.results import Results
from .numbers import counted

ENDED_EARLY = "The run ended early"
ADAPTER_NOTES = "Adapter notes"
"""Stands before what an adapter wants readers to know."""

_MOST_CHOSEN = 20


def extent_words(results: Results) -> str:
    """How much a run exercised: `2,100 scenarios, 9,804 steps`."""
    both = (("scenarios", "scenario"), ("steps", "step"))
    return ", ".join(counted(results.counts.get(name, 0), noun) for name, noun in both)


def layer_words(implementation: Implementation) -> str:
    """Where the engine's code ran: `in-process`, `tester (streaming: valve)`."""
    elsewhere = implementation.elsewhere()
    return f"{implementation.layer} ({elsewhere})" if elsewhere else implementation.layer


def selection_words(results: Results) -> str:
    """What a run was narrowed to: `components valve, rules VALVE-2`; empty for a whole run."""
    chosen = [f"{name} {value.replace(',', ', ')}" for name, value in results.selection.items() if value]
    return ", ".join(chosen[:_MOST_CHOSEN])


def left_out_words(results: Results) -> str:
    """The scenarios that did not run: `skipped for time budget: 136,606 scenarios`, and those that the engine
    has no means for, with what these contain; empty if all ran."""
    others = {reason: number for reason, number in results.left_out.items() if reason != _TOO_SLOW}
    parts = []
    if too_slow := results.left_out.get(_TOO_SLOW, 0):
        parts.append(f"skipped for time budget: {counted(too_slow, 'scenario')}")
    if others:
        contained = "; ".join(f"{reason}: {number:,}" for reason, number in others.items())
        parts.append(
            f"not expressible on this engine: {counted(sum(others.values()), 'scenario')} ({contained})"
        )
    return "; ".join(parts)


_TOO_SLOW = "more than the engine can do in the time"
"""How results documents name the time budget; all other reasons are the adapter's."""
