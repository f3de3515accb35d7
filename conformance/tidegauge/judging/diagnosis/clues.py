"""Clues in the minimal counterexamples: which rules acted in them, and the breach of which rules gives the
outputs of the engine."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from ...engine.limits import NoAnswer
from ...wire.transcript import spans
from ...wire.vocabulary import Restore
from ..changes.change import named_changes, policy_changes
from ..items.kinds import Kind
from .evidence import Difference, Evidence
from .model import Model, model_of, observed

_SMALLEST = 3
"""Number of counterexamples of each kind that are examined, the smallest first. A clue of the kind is a clue
that all of them share."""

_LONGEST = 60
"""Largest number of steps of a counterexample in which decisions are inverted. In a longer counterexample
most rules act somewhere, so that the clue distinguishes nothing."""

_LAST = 8
"""Number of steps at which a decision is inverted: the last steps that make the decision. The decision is
inverted at each of these steps alone, and from each of these steps to the difference."""


@dataclass(frozen=True)
class Clues:
    """The clues that the smallest counterexamples of a kind have in common.

    Attributes:
        acted: rules that had a condition hold in the span that differs.
        acted_before: rules that had a condition hold in the steps before that span.
        turned: rules with a decision that, inverted in the reference, reproduces the outputs of the engine.
        imitated: rules of the policy values and named mutants that reproduce the outputs of the engine.
        restores: whether every counterexample restores a snapshot.
    """

    acted: frozenset[str]
    acted_before: frozenset[str]
    turned: frozenset[str]
    imitated: frozenset[str]
    restores: bool


def clues_of(
    evidence: Evidence, kinds: Mapping[Kind, Sequence[Difference]], left_out: Collection[str]
) -> dict[Kind, Clues]:
    """Return the clues in the smallest counterexamples of each kind.

    Args:
        evidence: the observations of the engine.
        kinds: the counterexamples of each kind, the smallest first.
        left_out: names of mutants that must not be used.
    """
    smallest = {kind: differences[:_SMALLEST] for kind, differences in kinds.items()}
    imitated = _imitated(evidence, smallest, left_out)
    return {kind: _clues(evidence, differences, imitated[kind]) for kind, differences in smallest.items()}


def _clues(evidence: Evidence, smallest: Sequence[Difference], imitated: frozenset[str]) -> Clues:
    acted, acted_before = [], []
    for difference in smallest:
        steps, begin = decisions_until(evidence, difference), _begin(evidence, difference)
        acted.append(_held(steps[begin:]))
        acted_before.append(_held(steps[:begin]))
    return Clues(
        acted=_common(acted),
        acted_before=_common(acted_before),
        turned=_common([_turned(evidence, difference) for difference in smallest]),
        imitated=imitated,
        restores=all(_restores(evidence, difference) for difference in smallest),
    )


def decisions_until(evidence: Evidence, difference: Difference) -> list[tuple[str, ...]]:
    """Return the decisions of each step up to and including the first span that differs."""
    return evidence.reference.cited(difference.scenario)[: _until(evidence, difference)]


def _until(evidence: Evidence, difference: Difference) -> int:
    return sum(spans(difference.scenario, evidence.observes)[: difference.at + 1])


def _begin(evidence: Evidence, difference: Difference) -> int:
    return sum(spans(difference.scenario, evidence.observes)[: difference.at])


def _held(steps: Iterable[tuple[str, ...]]) -> set[str]:
    return {decision for step in steps for decision in step if not decision.endswith("!")}


def _common(sets: Iterable[Collection[str]]) -> frozenset[str]:
    return reduce(frozenset.intersection, map(frozenset, sets))


def _restores(evidence: Evidence, difference: Difference) -> bool:
    steps = difference.scenario.history[: _until(evidence, difference)]
    return any(isinstance(step, Restore) for step in steps)


def _turned(evidence: Evidence, difference: Difference) -> set[str]:
    """Return the rules with a decision that reproduces the outputs of the engine when it is inverted at one
    step, or from one step to the difference."""
    until = _until(evidence, difference)
    if until > _LONGEST:
        return set()
    steps = decisions_until(evidence, difference)
    expected = difference.outputs[: difference.at + 1]
    rules: set[str] = set()
    for decision in dict.fromkeys(decision for step in steps for decision in step):
        rule = decision.removesuffix("!")
        made = [number for number, decisions in enumerate(steps) if decision in decisions][-_LAST:]
        turns = (range(begin, end) for begin in made for end in (begin + 1, until))
        if rule not in rules and any(
            _outputs(evidence, difference, decision, turn, until) == expected for turn in turns
        ):
            rules.add(rule)
    return rules


def _outputs(evidence: Evidence, difference: Difference, decision: str, turn: range, until: int) -> object:
    try:
        outputs = evidence.reference.turned(difference.scenario, decision, turn, until)
    except (Exception, NoAnswer):
        return None
    return observed(difference.scenario, outputs, evidence.observes)


def _imitated(
    evidence: Evidence, kinds: Mapping[Kind, Sequence[Difference]], left_out: Collection[str]
) -> dict[Kind, frozenset[str]]:
    """Return, for each kind, the rules of the policy values and named mutants that output the same as the
    engine in each counterexample, up to the difference."""
    rules_of: dict[Kind, set[str]] = {kind: set() for kind in kinds}
    name, policies = evidence.component.name, evidence.policies
    for change in (*named_changes(name), *policy_changes(name, policies)):
        if change.name in left_out or change in evidence.known:
            continue
        with model_of(evidence.component, policies, [*evidence.known, change]) as mutant:
            for kind, differences in kinds.items():
                if mutant is not None and all(_reproduces(mutant, each, evidence) for each in differences):
                    rules_of[kind].update(change.rules)
    return {kind: frozenset(rules) for kind, rules in rules_of.items()}


def _reproduces(mutant: Model, difference: Difference, evidence: Evidence) -> bool:
    end = difference.at + 1
    return mutant.play(difference.scenario, evidence.observes)[:end] == difference.outputs[:end]
