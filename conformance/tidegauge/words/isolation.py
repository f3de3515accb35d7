"""Instances of an engine that share state, and what depends on what ran before, in words."""

from collections.abc import Iterable

from ..wire.results import ACCUSED, Counterexample, PropertyResult, Results, RuleResult
from .numbers import are, counted, listed
from .suspects import accused_words

SHARE_STATE = "instances of the engine share state"
DEPENDS = "Depends on earlier scenarios: in a fresh process the engine conforms here"
"""Said of a counterexample that does not show again."""

_MOST = 10


def sharing(results: Results) -> list[PropertyResult]:
    """The properties that show that instances share state, one a component."""
    return [one for one in results.properties if one.verdict == "fail" and one.interference is not None]


def sharing_words(results: Results) -> str:
    """Where instances share state: `instances of the engine share state (valve, window)`; empty if they do
    not."""
    components = [one.component for one in sharing(results)]
    return f"{SHARE_STATE} ({listed(components, _MOST)})" if components else ""


def sharing_remarks(results: Results) -> list[str]:
    """What it means for the verdicts that instances share state, and which failures depend on what ran
    before."""
    remarks = []
    components = [one.component for one in sharing(results)]
    if components:
        number = len(_depending(rule for rule in results.rules if rule.verdict == "not-tested"))
        remarks.append(
            "What one instance of the engine does depends on what another one was given: start with "
            f"{listed(components, _MOST)}. The other verdicts on these components hold for instances that "
            "run alone."
            + (f" {counted(number, 'rule')} that failed only so {are(number)} not tested." if number else "")
        )
    if accused := _depending(rule for rule in results.rules if rule.verdict in ACCUSED):
        remarks.append(
            f"In {accused_words(accused)} the difference depends on earlier scenarios: in a fresh "
            "process the engine conforms in the counterexample."
        )
    return remarks


def interference_words(found: PropertyResult) -> str:
    """The smallest pair of scenarios that shows that instances share state, a line a step; empty if none
    does."""
    shows = found.verdict == "fail" and found.interference is not None
    return found.interference.message if shows and found.interference is not None else ""


def dependence_words(example: Counterexample) -> str:
    """That a counterexample does not show again by itself; empty if it does."""
    return f"{DEPENDS}." if example.depends_on_earlier else ""


def _depending(rules: Iterable[RuleResult]) -> list[RuleResult]:
    return [
        rule for rule in rules if rule.counterexample is not None and rule.counterexample.depends_on_earlier
    ]
