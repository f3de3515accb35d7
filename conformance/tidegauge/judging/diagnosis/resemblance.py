"""Which rules a first difference looks like a breach of: the engine lacks or adds the same kinds of output,
at the same step, as a mutant that breaks this rule and no other."""

from collections import Counter
from collections.abc import Collection

from ..changes.change import named_changes
from .evidence import Difference, Evidence, first_difference, reproduces
from .fitting import Fit
from .kinds import by_kind
from .model import Played, model_of

_EACH = 3
"""So many scenarios of each kind of difference are looked at, those that differ earliest."""


def rules_resembled(evidence: Evidence, fit: Fit, left_out: Collection[str] = ()) -> dict[str, str]:
    """These rules, each with the scenario that differs so. What policies and named mutants of the fit explain
    is left aside; what small changes explain is not: one may imitate the breach of a rule that does not
    decide at its place. `left_out`: the names of changes that nobody is to know of."""
    unproved = _unproved(evidence, fit)
    found: dict[str, str] = {}
    expected = {one.scenario.id: evidence.expected(one.scenario) for one in unproved}
    looked_at = [one for alike in by_kind(unproved, expected).values() for one in alike[:_EACH]]
    telling = [one for one in looked_at if any(_kinds(expected[one.scenario.id], one.outputs, one.at))]
    for change in named_changes(evidence.component.name):
        ignored = change.name in left_out or change in evidence.known
        if ignored or len(change.rules) != 1 or change.rules[0] in found:
            continue
        with model_of(evidence.component, evidence.policies, [*evidence.known, change]) as mutant:
            alike = (
                one.scenario.id
                for one in telling
                if mutant is not None
                and _alike(mutant.play(one.scenario, evidence.observes), one, expected[one.scenario.id])
            )
            first = next(alike, None)
        if first is not None:
            found[change.rules[0]] = first
    return found


def _alike(played: Played, one: Difference, expected: Played) -> bool:
    """Whether a mutant differs at the same place, by the same kinds of output."""
    if not first_difference(played, expected) == one.at < len(played):
        return False
    return _kinds(expected, played, one.at) == _kinds(expected, one.outputs, one.at)


def _unproved(evidence: Evidence, fit: Fit) -> list[Difference]:
    """The answers that differ and that no policy and no named mutant of the fit explains."""
    proved = [term for term in fit.terms if term.kind != "small-change"]
    answered = [one for one in evidence.differing if one.at < len(one.outputs)]
    with model_of(evidence.component, evidence.policies, [*evidence.known, *proved]) as model:
        return [
            one
            for one in answered
            if model is None or not reproduces(model.play(one.scenario, evidence.observes), one)
        ]


def _kinds(expected: Played, played: Played, at: int) -> tuple[Counter[type], Counter[type]]:
    """The kinds of output that are missing there, and those that are too many."""
    wanted, got = Counter(map(type, expected[at])), Counter(map(type, played[at]))
    return wanted - got, got - wanted
