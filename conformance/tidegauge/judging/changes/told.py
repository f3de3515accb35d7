"""What is said of a change: what an engine with it does, and the known bugs that do the same."""

from tidegauge_spec import read_policies

from ...components.registry import load_mutants
from ...mutants.known_bugs import KnownBug, known_bug, load_known_bugs
from .change import Change


def sentence_of(change: Change) -> str:
    """What an engine with the change does."""
    if change.policy is not None:
        name, value = change.policy
        return f"{read_policies()[name].meaning} Here: {value}."
    if change.kind == "mutant":
        return load_mutants()[change.name].summary
    return f"It behaves as if this stood in the reference: {change.name}."


def bugs_of(change: Change) -> list[KnownBug]:
    """The known bugs that behave as the change does."""
    if change.policy is not None:
        return [bug for bug in load_known_bugs().values() if bug.is_shown_under(*change.policy)]
    if change.kind != "mutant":
        return []
    own = known_bug(load_mutants()[change.name].bug)
    others = [bug for bug in load_known_bugs().values() if change.name in bug.mutants and bug is not own]
    return [*([own] if own is not None else []), *others]
