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
    """The scenarios that did not run, by the reason: `skipped for time budget: 136,606 scenarios`; empty if
    all ran."""
    return "; ".join(
        f"{_left_out(reason)}: {counted(count, 'scenario')}" for reason, count in results.left_out.items()
    )


def _left_out(reason: str) -> str:
    """A reason of the document: the budget, or what the adapter says that the engine has nothing for."""
    if reason == _TOO_SLOW:
        return "skipped for time budget"
    return f"skipped, as this engine cannot express them ({reason})"


_TOO_SLOW = "more than the engine can do in the time"
"""How results documents name the one reason that is not an adapter's."""
