"""`tidegauge run --update-deviations`: the file of known deviations after a run."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from ..judging.reference.deviation_file import update_file
from ..judging.reference.deviations import Deviation, KnownDeviations, read_deviations
from ..judging.verdicts.known_deviations import expected
from ..wire.results import Results, Term
from ..words.suspects import one_of_words, suspected_together
from .folder_lock import locked
from .terminal_text import inline


def bring_up_to_date(path: Path, results: Results, console: Console) -> None:
    """Update the file of known deviations, and print the changes on the console.

    The function removes deviations that the engine does not have, and adds the policy values and mutants of
    its diagnosis. It adds nothing for differences that no model explains, since suspects describe no
    deviation.
    """
    with locked(path.parent):
        known = read_deviations(path) if path.exists() else KnownDeviations()
        gone = {one.name for one in results.deviations if not expected(one)}
        there = {one.name for one in known.deviation} - gone
        terms = [term for found in results.components for term in found.model]
        found = [one for one in _deviations(terms) if one.name not in there]
        update_file(path, [one for one in known.deviation if one.name in gone], found)
    for name in sorted(gone):
        console.print(f"{inline(str(path))}: taken out: {inline(name)}")
    for one in found:
        console.print(
            f"{inline(str(path))}: put in: {inline(one.name)}; give its reason and link, and run again"
        )
    described = {rule for one in (*found, *known.deviation) for rule in one.rules}
    for rule in results.rules:
        if rule.verdict == "fail" and rule.id not in described:
            console.print(
                f"{rule.id}: no policy value and no mutant describes the failure; the rule still fails"
            )
    for suspects in suspected_together(results):
        if described.isdisjoint(rule.id for rule in suspects):
            broken = one_of_words(suspects[0])
            text = f"{inline(broken)}: no policy value and no mutant describes the difference"
            console.print(text, soft_wrap=True)


def _deviations(terms: Iterable[Term]) -> list[Deviation]:
    """Those that policies and mutants are; small changes name nothing. Reason and link are for a person to
    give."""
    found: dict[str, Deviation] = {}
    for term in terms:
        if term.kind == "policy":
            policy, _, value = term.name.partition("=")
            one = Deviation(policy=policy, value=value)
        elif term.kind == "mutant":
            one = Deviation(like=f"mutant:{term.name}")
        else:
            continue
        found.setdefault(one.name, one)
    return list(found.values())
