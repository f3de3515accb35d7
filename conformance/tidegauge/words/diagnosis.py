"""What is wrong with an engine, in words: the model that behaves alike, and what that does not explain."""

from collections.abc import Sequence

from ..wire.results import ComponentResult, Results, Term, TermKind
from .numbers import counted, listed
from .silence import NO_OUTPUT, silent_components
from .suspects import PLAUSIBILITY, SUSPECTS

DIAGNOSIS = "Diagnosis"
"""Stands above it."""

OF_A_MUTANT = f"{DIAGNOSIS} of an engine that behaves alike"
"""Stands above the diagnosis of a mutant."""

NOT_OF_JOBS = "No model is fitted to whole jobs: a run names the rules that their event logs break."
"""Stands in the place of a diagnosis."""

TERM_KINDS: dict[TermKind, str] = {"policy": "choice", "mutant": "defect", "small-change": "unknown"}
"""How reports classify the terms of a model: a choice on which engines differ, a defect, or neither."""

SMALL_CHANGE = "a small change of the reference"
"""The words for a small change. Its name is a piece of code, which explains nothing to most readers."""

_MOST_NAMES = 7
_MOST_BUGS = 3
_MOST_TIES = 4
_MOST_SUSPECTS = 3
_GAVE_UP = "the search for an explanation ended early (see --diagnose-steps)"


def diagnosis_words(results: Results) -> str:
    """The diagnosis of a run in a sentence; empty if nothing differs."""
    examined = sum(found.examined for found in results.components)
    if not examined:
        return ""
    silent = silent_components(results)
    if all(found.component in silent for found in results.components if found.examined):
        return NO_OUTPUT
    explained = sum(found.explained for found in results.components)
    terms = [term for found in results.components for term in found.model]
    scenarios = "failing scenario" if examined == 1 else "failing scenarios"
    kept = "" if examined == sum(found.failing for found in results.components) else " examined"
    late = f"; {_GAVE_UP}" if any(found.gave_up for found in results.components) else ""
    if not terms:
        return f"Nothing that is known explains the {examined:,}{kept} {scenarios}{late}."
    names = list(dict.fromkeys(map(_short_name, sorted(terms, key=lambda term: not term.bugs))))
    named = _joined(names) if len(names) <= _MOST_NAMES else f"{len(names)} differences"
    engine = f"The engine behaves as the profile {results.profile} with {named}"
    if explained == examined:
        return f"{engine}: this explains {_all(examined)}{kept} {scenarios}."
    left = examined - explained
    return (
        f"{engine}: this explains {explained:,} of {examined:,}{kept} {scenarios}; "
        f"{left:,} {'remains' if left == 1 else 'remain'} unexplained{late}."
    )


def unexplained_words(results: Results) -> list[str]:
    """Return a line for each component with scenarios that its model does not explain."""
    return [
        f"{found.component}: {found.examined - found.explained:,} of "
        f"{counted(found.examined, 'scenario')} unexplained{_unexplained(found)}"
        for found in results.components
        if found.examined > found.explained
    ]


def term_sentence(term: Term) -> str:
    """Return what an engine with this term does; for a small change, without its code."""
    if term.kind == "small-change":
        return f"The engine behaves as {SMALL_CHANGE}. This reproduces the failures, but names no defect."
    return term.sentence


def explained_components(results: Results) -> set[str]:
    """The components all of whose failing scenarios their models explain."""
    return {found.component for found in results.components if found.explained == found.examined > 0}


def differences_words(results: Results) -> list[str]:
    """Of an engine with more differences than the diagnosis names: those of each component, a line each."""
    by_component = {
        found.component: list(dict.fromkeys(map(_short_name, found.model)))
        for found in results.components
        if found.model
    }
    if len({name for names in by_component.values() for name in names}) <= _MOST_NAMES:
        return []
    return [f"{component}: {', '.join(names)}" for component, names in by_component.items()]


def model_words(found: ComponentResult) -> str:
    """What a component behaves as, and how much that explains; empty if nothing differs."""
    if not found.examined:
        return ""
    of = counted(found.failing, "failing scenario")
    if found.examined != found.failing:
        of = f"{found.examined:,} examined scenarios, of {of}"
    if not found.model:
        return f"{found.component}: nothing that is known explains {of}{_unexplained(found)}"
    together = _joined([term_name(term) for term in found.model])
    together += " together" if len(found.model) > 1 else ""
    explains = f"explains {found.explained:,} of {of}"
    if found.explained == found.examined:
        return f"{found.component} behaves as {together}: {explains}"
    return f"{found.component} behaves in part as {together}: {explains}{_unexplained(found)}"


def term_name(term: Term) -> str:
    """What a part of a model is called: by the known bugs that do the same, if there are some."""
    if term.kind == "small-change":
        return f"{SMALL_CHANGE} ({term.name})"
    name = term.name.replace("=", " = ") if term.kind == "policy" else term.name
    return f"{' or '.join(term.bugs[:_MOST_BUGS])} ({name})" if term.bugs else name


def _short_name(term: Term) -> str:
    """By the known bugs alone, if there are some: one bug may show in several components."""
    return " or ".join(term.bugs[:_MOST_BUGS]) or term_name(term)


def term_words(term: Term) -> str:
    """What an engine with this part of the model does, which rules it breaks, and what is as likely."""
    told = [term.sentence]
    if term.kind == "small-change":
        told.append("This reproduces the failures, but names no defect.")
    elif term.rules:
        told.append(f"It breaks {listed(term.rules, _MOST_NAMES)}.")
    if term.ties:
        told.append(f"As likely: {listed(term.ties, _MOST_TIES)}.")
    return " ".join(filter(None, told))


def _unexplained(found: ComponentResult) -> str:
    told = f"; the smallest unexplained one is {found.unexplained}" if found.unexplained else ""
    if found.suspects:
        suspects = ", ".join(f"{each.rule} {each.score:.2f}" for each in found.suspects[:_MOST_SUSPECTS])
        told += f"; {SUSPECTS.lower()} ({PLAUSIBILITY}): {suspects}"
    return told + (f"; {_GAVE_UP}" if found.gave_up else "")


def _all(number: int) -> str:
    return "the one" if number == 1 else f"all {number:,}"


def _joined(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return listed(names, _MOST_NAMES)
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
