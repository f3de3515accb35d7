"""The rules that failing jobs accuse: their breach can violate the properties that the event logs violate."""

from collections.abc import Mapping, Sequence

from ..diagnosis.suspicion import Accusation
from ..items.blame import property_scores
from ..items.item_report import FoundFailure
from ..items.merged import Findings
from .findings import RULES_OF_JOB_PROPERTIES

_ATTRIBUTED = 0.8
"""A violated property is attributed to a rule if the score of the rule is at least this fraction of the
highest score among the rules of the property."""

_STANDS_OUT = 2.5
"""A rule fails if its score is at least this multiple of the next one; otherwise the first rules are
suspects."""

_ACCUSED = 0.4
_MOST_ACCUSED = 4


def job_accusations(findings: Findings) -> tuple[Accusation, ...]:
    """Return a small set of accusations that accounts for all violated job properties.

    The search is greedy: the rule with the highest mean score takes the properties that are attributed to it.
    The search repeats with the remaining properties.
    """
    counts = {
        name: findings.properties[name] for name in RULES_OF_JOB_PROPERTIES if name in findings.properties
    }
    violated = [name for name, counted in counts.items() if counted.violated]
    held = [name for name, counted in counts.items() if counted.checked and not counted.violated]
    scores = property_scores(RULES_OF_JOB_PROPERTIES, violated, held) if violated else {}
    left = {name: {rule: scores[rule] for rule in RULES_OF_JOB_PROPERTIES[name]} for name in violated}
    accusations = []
    while left:
        means = _means(list(left.values()))
        firsts = {
            rule
            for of_rules in left.values()
            for rule in of_rules
            if of_rules[rule] == max(of_rules.values())
        }
        first = max(firsts, key=lambda rule: (means[rule], rule))
        taken = [name for name, of_rules in left.items() if _is_attributed(first, of_rules)]
        accusations.append(_accusation(_means([left.pop(name) for name in taken]), taken))
    return tuple(accusations)


def failure_of(accusation: Accusation, findings: Findings) -> FoundFailure | None:
    """Return the smallest failing job of an accusation. Jobs that violate a property with the first accused
    rule as its main rule take precedence."""
    failures = [failure for failure in findings.failures if failure.property in accusation.properties]
    return min(failures, key=lambda failure: _plainness(failure, accusation.rules[0]), default=None)


def _plainness(failure: FoundFailure, rule: str) -> tuple[bool, int, str]:
    is_main_rule = RULES_OF_JOB_PROPERTIES[str(failure.property)][0] == rule
    return not is_main_rule, len(failure.scenario.history), failure.found_as


def _is_attributed(rule: str, scores: Mapping[str, float]) -> bool:
    return scores.get(rule, 0.0) >= _ATTRIBUTED * max(scores.values())


def _means(properties: Sequence[Mapping[str, float]]) -> dict[str, float]:
    rules = dict.fromkeys(rule for scores in properties for rule in scores)
    return {rule: sum(scores.get(rule, 0.0) for scores in properties) / len(properties) for rule in rules}


def _accusation(means: Mapping[str, float], properties: Sequence[str]) -> Accusation:
    ranked = sorted(means.items(), key=lambda entry: (-entry[1], entry[0]))
    stands_out = len(ranked) == 1 or ranked[0][1] >= _STANDS_OUT * ranked[1][1]
    accused = [entry for entry in ranked[:_MOST_ACCUSED] if entry[1] >= _ACCUSED * ranked[0][1]]
    rounded = tuple((rule, round(score, 4)) for rule, score in accused[: 1 if stands_out else None])
    return Accusation(rounded, properties=tuple(properties), stands_out=stands_out)
