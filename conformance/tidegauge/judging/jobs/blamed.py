"""The fewest rules that account for what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ...components.component import Component
from ...wire.scenario import component_of
from ..items.blame import property_scores
from ..items.item_report import FoundFailure
from ..items.merged import Findings
from .findings import RULES_OF_JOB_PROPERTIES

_ATTRIBUTED = 0.8
"""A failure is laid to a rule whose score is at least this part of the highest in that failure."""


@dataclass
class Blamed:
    """A rule to which failures were laid: the smallest of them, the suspects over all of them, and the
    components in whose scenarios they were found."""

    failure: FoundFailure
    suspects: list[tuple[str, float]]
    found_in: frozenset[str] = frozenset()


def blamed_rules(findings: Findings, components: Mapping[str, Component]) -> dict[str, Blamed]:
    """The fewest rules that account for the failures: of the rules that rank first in a failure that is
    left, again and again the one with the highest score over those left, equal ones together."""
    rules_of = {p.name: p.rules for component in components.values() for p in component.properties}
    remaining = _scored(findings, rules_of | RULES_OF_JOB_PROPERTIES)
    blamed: dict[str, Blamed] = {}
    while remaining:
        means = dict(_means([scores for _, scores in remaining]))
        firsts = {rule for _, scores in remaining for rule in scores if scores[rule] == max(scores.values())}
        highest = max(means[rule] for rule in firsts)
        roots = sorted(rule for rule in firsts if means[rule] == highest)
        explained = [entry for entry in remaining if any(_laid_to(rule, entry[1]) for rule in roots)]
        for root in roots:
            mine = [entry for entry in explained if _laid_to(root, entry[1])]
            plainest = min((failure for failure, _ in mine), key=partial(_plainness, root=root))
            found_in = frozenset(component_of(failure.scenario) for failure, _ in mine)
            suspects = _means([scores for _, scores in mine])[:5]
            blamed.setdefault(root, Blamed(plainest, suspects, found_in))
        remaining = [entry for entry in remaining if entry not in explained]
    return blamed


def _means(scored: Sequence[Mapping[str, float]]) -> list[tuple[str, float]]:
    """The mean score of each rule over several failures, the highest first, equal ones by name."""
    totals: dict[str, float] = {}
    for scores in scored:
        for rule, score in scores.items():
            totals[rule] = totals.get(rule, 0.0) + score
    means = {rule: round(total / len(scored), 4) for rule, total in totals.items()}
    return sorted(means.items(), key=lambda entry: (-entry[1], entry[0]))


def _scored(
    findings: Findings, rules_of: Mapping[str, Sequence[str]]
) -> list[tuple[FoundFailure, dict[str, float]]]:
    """Each failure with the scores of its suspects. A violated property of a component is laid to the rules
    it speaks for only if no comparison with the reference failed; of a job, one failure a property counts."""
    job_counts = {
        name: findings.properties[name] for name in RULES_OF_JOB_PROPERTIES.keys() & findings.properties
    }
    of_jobs = property_scores(
        rules_of,
        [name for name, counted in job_counts.items() if counted.violated],
        [name for name, counted in job_counts.items() if counted.checked and not counted.violated],
    )
    scored: dict[object, tuple[FoundFailure, dict[str, float]]] = {}
    for number, failure in enumerate(findings.failures):
        if failure.property in RULES_OF_JOB_PROPERTIES:
            scores = {rule: of_jobs[rule] for rule in rules_of[failure.property]}
            scored.setdefault(failure.property, (failure, scores))
            continue
        scores = dict(findings.spectrum.suspects(failure.cited, failure.explaining))
        if not any(scores.values()):
            scores = dict.fromkeys(rules_of.get(failure.property or "", tuple(scores)), 1.0)
        scored[number] = (failure, scores)
    return list(scored.values())


def _plainness(failure: FoundFailure, root: str) -> tuple[bool, bool, int, str]:
    """Comparisons before properties, a property that speaks for the rule before others, short histories."""
    primary = RULES_OF_JOB_PROPERTIES.get(failure.property or "", (root,))[0]
    return failure.property is not None, primary != root, len(failure.scenario.history), failure.found_as


def _laid_to(rule: str, scores: Mapping[str, float]) -> bool:
    return scores.get(rule, 0.0) >= _ATTRIBUTED * max(scores.values())
