"""Engines that output nothing at all: every rule of the component fails for that one reason, told once."""

from ..judging.diagnosis.component_judgement import SILENT
from ..wire.results import Results, RuleResult, kind_of
from .numbers import listed

NO_OUTPUT = "The engine outputs nothing at all."
"""The diagnosis of such an engine."""

_MOST_RULES = 12


def silent_components(results: Results) -> dict[str, list[RuleResult]]:
    """The components in which the engine output nothing, each with its failing rules in their order."""
    found: dict[str, list[RuleResult]] = {}
    for rule in results.rules:
        if kind_of(rule) == "fail" and rule.reason == SILENT:
            found.setdefault(rule.component, []).append(rule)
    return found


def others_words(rules: list[RuleResult]) -> str:
    """Which rules of a silent component fail as the first of these does; empty if it is the only one."""
    if len(rules) == 1:
        return ""
    others = listed([rule.id for rule in rules[1:]], _MOST_RULES)
    return f"{others} {'fails' if len(rules) == 2 else 'fail'} for the same reason: {SILENT}."
