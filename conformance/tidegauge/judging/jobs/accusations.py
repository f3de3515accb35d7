"""The rules that failing jobs accuse: their breach can violate the properties that the event logs violate."""

from collections.abc import Mapping
from dataclasses import replace

from ..diagnosis.suspicion import Accusation, accusation_of, means
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
        over_all = means(list(left.values()))
        firsts = {
            rule
            for of_rules in left.values()
            for rule in of_rules
            if of_rules[rule] == max(of_rules.values())
        }
        first = max(firsts, key=lambda rule: (over_all[rule], rule))
        taken = [name for name, of_rules in left.items() if _is_attributed(first, of_rules)]
        accused = accusation_of(means([left.pop(name) for name in taken]), stands_out=_STANDS_OUT)
        accusations.append(replace(accused, properties=tuple(taken)))
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
