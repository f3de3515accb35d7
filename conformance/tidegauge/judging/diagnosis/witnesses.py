"""What golden vectors that differ and properties that are violated say of the rules that they are about."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...wire.transcript import spans
from .evidence import Difference, Evidence, Violation

_SUSPECT = 0.55
"""What a vector or a property says of several rules hinders those whose suspiciousness is at least this part
of the highest. Measured on 159 engines with two unknown defects: no rule more that they break passes so, and
with 0.65 two do."""

_MANY = 3
"""A rule is no suspect either if so many times as many of the vectors about it agree as differ."""


def rules_named(
    evidence: Evidence,
    violations: Sequence[Violation],
    unexplained: Iterable[Difference],
    suspects: Sequence[tuple[str, float]],
) -> dict[str, str]:
    """The rules that unexplained vectors and violated properties are about, each with what is said of it.

    One of several rules is broken there, and not all of them. What only vectors say of a rule, or only
    properties, is left out where others are far more suspicious.
    """
    differing, differ = _differing_vectors(evidence, unexplained)
    violated = {rule: one.property for one in violations for rule in one.property.rules}
    agree = _agreeing_vectors(evidence)
    scores = dict(suspects)
    enough = _SUSPECT * max(scores.values(), default=0.0)
    said: dict[str, str] = {}
    for rule, vector in differing.items():
        likely = scores.get(rule, 0.0) >= enough and agree[rule] < _MANY * differ[rule]
        if rule in violated or agree[rule] <= differ[rule] or likely:
            said[rule] = f"the golden vector {vector}, which is about it, differs"
    for rule, property in violated.items():
        if rule in differing or scores.get(rule, 0.0) >= enough:
            said.setdefault(rule, f"the property {property.name}, which is about it, is violated")
    return said


def _differing_vectors(
    evidence: Evidence, unexplained: Iterable[Difference]
) -> tuple[dict[str, str], Counter[str]]:
    """The rules that decide in unexplained vectors about them: the first vector of each, and their number."""
    first: dict[str, str] = {}
    number: Counter[str] = Counter()
    for one in unexplained:
        about = evidence.vectors.get(one.scenario.id, ())
        decided = _decided_until(evidence, one) if about else set()
        for rule in about:
            if rule in decided:
                first.setdefault(rule, one.scenario.id)
                number[rule] += 1
    return first, number


def _agreeing_vectors(evidence: Evidence) -> Counter[str]:
    """How many of the vectors about each rule agree: they are in front."""
    front = evidence.agreeing[: len(evidence.vectors)]
    return Counter(rule for one in front for rule in evidence.vectors.get(one.id, ()))


def _decided_until(evidence: Evidence, one: Difference) -> set[str]:
    """The rules that decide in a scenario up to its first difference: what comes later shows nothing."""
    until = sum(spans(one.scenario, evidence.observes)[: one.at + 1])
    steps = evidence.reference.cited(one.scenario)[:until]
    return {decision.removesuffix("!") for step in steps for decision in step}
