"""The rules that the unexplained differences may breach: how plausible a breach of each rule is, and which
rules the verdict accuses together."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from math import exp

from tidegauge_spec import load_registry

from ..items.blame import Spectrum
from ..items.judge import rules_named
from ..items.kinds import Kind
from .clues import Clues, clues_of, decisions_until
from .evidence import Difference, Evidence, Violation, first_difference
from .kinds import by_kind

_WEIGHTS = {
    "suspiciousness": 1.5,
    "imitated": 2.0,
    "acted": 0.7,
    "acted before": 1.0,
    "turned": 1.1,
    "restored": 1.0,
    "violated": 2.0,
    "golden vectors": 2.2,
}
"""The amount that each clue adds to the log-odds that a rule is broken: rounded coefficients of a logistic
regression on 96 engines that were written from the chapters alone. Another 96 engines were held out to
validate the weights (`DETECTION.md`)."""

_NO_CLUE = -4.2
"""The log-odds of a rule without any clue: one in 67."""

_SHARES_A_KIND = 0.5
"""An accused rule also accounts for the kinds of difference in which its plausibility is at least this
fraction of the highest one."""

_ACCUSED = 0.4
"""The plausibility of every suspect is at least this fraction of the plausibility of the first suspect."""

_MOST_ACCUSED = 4

_STANDS_OUT = 3.5
"""A rule fails, instead of being one of several suspects, if its plausibility is at least this multiple of
the next one and at least `_PLAUSIBLE`."""

_PLAUSIBLE = 0.3

IN_CONFLICT = 0.08
"""A rule cannot pass if its plausibility in any kind of difference is at least this value."""

_IN_CONFLICT_AT_SCALE = 0.05
"""The threshold for a kind of difference that only large scenarios show. It is lower, since agreement in
small scenarios is weak evidence for a rule that breaks at scale."""


@dataclass(frozen=True)
class Accusation:
    """A group of rules of which at least one is broken, with the evidence.

    Attributes:
        plausibility: each accused rule with its plausibility from 0 to 1, the most plausible first.
        differences: the minimal counterexamples, the smallest first; empty if only properties are violated.
        properties: names of the violated properties, if no scenario differs.
        stands_out: whether the first rule is far more plausible than any other. It is then the only accused
            rule.
    """

    plausibility: tuple[tuple[str, float], ...]
    differences: tuple[Difference, ...] = ()
    properties: tuple[str, ...] = ()
    stands_out: bool = False

    @property
    def rules(self) -> tuple[str, ...]:
        """The accused rules."""
        return tuple(rule for rule, _ in self.plausibility)

    @property
    def seen(self) -> str:
        """The evidence, as a text."""
        if self.differences:
            return f"scenario {self.differences[0].scenario.id} differs"
        return f"the property {self.properties[0]} is violated"


@dataclass(frozen=True)
class Suspicion:
    """The conclusions from the unexplained differences.

    Attributes:
        accusations: the accusations that account for the differences.
        in_conflict: the rules that cannot pass, each with the id of a scenario or the name of a property that
            keeps it from passing.
    """

    accusations: tuple[Accusation, ...] = ()
    in_conflict: Mapping[str, str] = field(default_factory=dict)


def suspicion_of(
    evidence: Evidence,
    rules: Sequence[str],
    unexplained: Sequence[Difference],
    violations: Sequence[Violation],
    left_out: Collection[str] = (),
) -> Suspicion:
    """Return the rules that are suspected of the differences that no model explains.

    Args:
        evidence: the observations of the engine.
        rules: the ids of the rules to judge.
        unexplained: the kept scenarios that differ and that no model explains.
        violations: the violated properties.
        left_out: names of mutants that must not be used.
    """
    if not unexplained:
        return _of_properties(rules, violations)
    kinds = by_kind([each for each in unexplained if each.at < len(each.outputs)], evidence.expected)
    smallest = _smallest(evidence, kinds)
    clues = clues_of(evidence, smallest, left_out)
    vectors, violated = _golden_vectors(evidence, unexplained), _violated(violations)
    plausible = {
        kind: {rule: _plausibility(rule, clues[kind], suspiciousness, vectors, violated) for rule in rules}
        for kind, differences in kinds.items()
        for suspiciousness in [_suspiciousness(evidence, differences)]
    }
    in_conflict = _rules_of(violations)
    for kind, plausibilities in plausible.items():
        threshold = _IN_CONFLICT_AT_SCALE if _is_large(kinds[kind]) else IN_CONFLICT
        for rule in rules:
            if plausibilities[rule] >= threshold:
                in_conflict.setdefault(rule, smallest[kind][0].scenario.id)
    return Suspicion(tuple(_accusations(plausible, smallest)), in_conflict)


def _of_properties(rules: Sequence[str], violations: Sequence[Violation]) -> Suspicion:
    """Return the suspicion if no scenario differs: each violated property accuses the rules that it
    checks."""
    accusations = []
    for property in {violation.property.name: violation.property for violation in violations}.values():
        accused = [rule for rule in property.rules if rule in rules]
        if accused:
            shares = tuple((rule, round(1 / len(accused), 4)) for rule in accused)
            accusations.append(Accusation(shares, properties=(property.name,), stands_out=len(accused) == 1))
    return Suspicion(tuple(accusations), _rules_of(violations))


def _rules_of(violations: Sequence[Violation]) -> dict[str, str]:
    """Return the rules that violated properties check, each with the name of a property."""
    return {rule: violation.property.name for violation in violations for rule in violation.property.rules}


def _is_large(differences: Sequence[Difference]) -> bool:
    """Return whether only large scenarios show a kind of difference: many parts, numbers at the limits of
    int64, similar names or restarts."""
    scenarios = [difference.scenario for difference in differences]
    return all(scenario.origin.kind == "scale" or "int64" in scenario.needs for scenario in scenarios)


def _smallest(evidence: Evidence, kinds: Mapping[Kind, Sequence[Difference]]) -> dict[Kind, list[Difference]]:
    """Return the minimal counterexamples of each kind, the smallest first. A kind without any has its
    differing scenarios instead, the shortest first."""
    minimal = by_kind(_located(evidence), evidence.expected)
    return {kind: sorted(minimal.get(kind, unshrunk), key=_size) for kind, unshrunk in kinds.items()}


def _located(evidence: Evidence) -> Iterator[Difference]:
    """Yield the minimal counterexamples with the place of their first difference. A counterexample of a
    property may agree with the reference; it is skipped."""
    for counterexample in evidence.smallest:
        expected = evidence.expected(counterexample.scenario)
        at = first_difference(counterexample.outputs, expected)
        if at < min(len(counterexample.outputs), len(expected)):
            yield replace(counterexample, at=at)


def _size(difference: Difference) -> tuple[int, str]:
    return len(difference.scenario.history), difference.scenario.id


def _suspiciousness(evidence: Evidence, differences: Sequence[Difference]) -> dict[str, float]:
    """Return the suspiciousness (Ochiai score) of each rule for the differences of one kind."""
    spectrum = Spectrum(passed=dict(evidence.decided))
    for difference in differences:
        spectrum.add(True, set(chain.from_iterable(decisions_until(evidence, difference))))
    return dict(spectrum.suspects(spectrum.failed))


def _golden_vectors(evidence: Evidence, unexplained: Sequence[Difference]) -> dict[str, float]:
    """Return, for each rule, the fraction of its golden vectors that differ. A differing vector counts only
    if the rule decided up to the difference."""
    differ: Counter[str] = Counter()
    for difference in unexplained:
        about = evidence.vectors.get(difference.scenario.id, ())
        if about:
            decided = rules_named(chain.from_iterable(decisions_until(evidence, difference)))
            differ.update(rule for rule in about if rule in decided)
    front = evidence.agreeing[: len(evidence.vectors)]
    agree = Counter(rule for scenario in front for rule in evidence.vectors.get(scenario.id, ()))
    return {rule: number / (number + agree[rule]) for rule, number in differ.items()}


def _violated(violations: Sequence[Violation]) -> dict[str, float]:
    """Return how many violated properties check each rule; a property counts in equal parts for its rules."""
    shares: Counter[str] = Counter()
    for property in {violation.property.name: violation.property for violation in violations}.values():
        for rule in property.rules:
            shares[rule] += 1 / len(property.rules)  # type: ignore[assignment]
    return dict(shares)


def _plausibility(
    rule: str,
    clues: Clues,
    suspiciousness: Mapping[str, float],
    vectors: Mapping[str, float],
    violated: Mapping[str, float],
) -> float:
    """Return the probability that a rule is broken, estimated from the clues of one kind of difference."""
    features = {
        "suspiciousness": suspiciousness.get(rule, 0.0),
        "imitated": (rule in clues.imitated) / max(1, len(clues.imitated)),
        "acted": rule in clues.acted,
        "turned": rule in clues.turned,
        "acted before": rule in clues.acted_before,
        "violated": violated.get(rule, 0.0),
        "restored": clues.restores and rule in _about_snapshots(),
        "golden vectors": vectors.get(rule, 0.0),
    }
    return 1 / (1 + exp(-_NO_CLUE - sum(weight * features[clue] for clue, weight in _WEIGHTS.items())))


@cache
def _about_snapshots() -> frozenset[str]:
    """Return the rules about snapshots: they need the capability, or a snapshot property checks them."""
    return frozenset(
        rule.id
        for rule in load_registry().rules.values()
        if rule.needs == ("snapshot",) or any("snapshot-restore" in check for check in rule.checked_by)
    )


def _accusations(
    plausible: Mapping[Kind, Mapping[str, float]], smallest: Mapping[Kind, Sequence[Difference]]
) -> list[Accusation]:
    """Return a small set of accusations that accounts for all kinds of difference.

    The search is greedy. The rule with the highest mean plausibility takes the kinds that it explains about
    as well as any other rule. The search repeats with the remaining kinds.
    """
    left = dict(plausible)
    accusations = []
    while left:
        over_all = means(list(left.values()))
        first = max(over_all, key=lambda rule: (over_all[rule], rule))
        taken = [
            kind
            for kind, plausibilities in left.items()
            if plausibilities[first] >= _SHARES_A_KIND * max(plausibilities.values())
        ] or [max(left, key=lambda kind: left[kind][first])]
        shown = sorted(chain.from_iterable(smallest[kind] for kind in taken), key=_size)
        scores = means([left.pop(kind) for kind in taken])
        accused = accusation_of(scores, stands_out=_STANDS_OUT, plausible=_PLAUSIBLE)
        accusations.append(replace(accused, differences=tuple(shown)))
    return accusations


def means(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean score of each rule. A rule counts with 0 where it has no score."""
    rules = dict.fromkeys(rule for of_rules in scores for rule in of_rules)
    return {rule: sum(of_rules.get(rule, 0.0) for of_rules in scores) / len(scores) for rule in rules}


def accusation_of(scores: Mapping[str, float], stands_out: float, plausible: float = 0.0) -> Accusation:
    """Return an accusation of the rules with the highest scores, without evidence.

    Args:
        scores: the score of each rule.
        stands_out: the multiple of the next score from which the first rule stands out.
        plausible: the smallest score of a rule that stands out.
    """
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    highest, next_one = ranked[0][1], ranked[1][1] if len(ranked) > 1 else 0.0
    alone = highest >= plausible and highest >= stands_out * next_one
    accused = [entry for entry in ranked[:_MOST_ACCUSED] if entry[1] >= _ACCUSED * highest]
    rounded = tuple((rule, round(score, 4)) for rule, score in accused[: 1 if alone else None])
    return Accusation(rounded, stands_out=alone)
