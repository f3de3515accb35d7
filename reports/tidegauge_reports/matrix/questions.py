"""Questions of a user who chooses an engine, in plain words, answered from the results of runs."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from tidegauge.components.registry import load_mutants
from tidegauge.judging.reference.profiles import check_own_profile, profile_of_author
from tidegauge.wire.results import ComponentResult, Results, RuleResult
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.shapes import shape_of
from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import load_registry

from ..pages.environment import packaged

_NO_ANSWER = ("not-tested", "error", "suspect")
"""Verdicts that say neither that a rule is kept nor how it is broken."""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about engines.

    Attributes:
        text: the question.
        answers: the answer for each value of the policy, or for `kept` and `broken` rules.
        policy: the policy of the question; empty if the question is about rules.
        rules: the rules of the question; empty if the question is about a policy.
        limited_by: the rules of the policy on which the answer rests; empty for all of them.
        feature: a field of the component's shape and the value that this field must contain, or None. An
            engine without the feature has no answer.
        unaffected_by: mutants that break one of the rules without changing the answer.
    """

    text: str
    answers: dict[str, str]
    policy: str = ""
    rules: tuple[str, ...] = ()
    limited_by: tuple[str, ...] = ()
    feature: tuple[str, str] | None = None
    unaffected_by: tuple[str, ...] = ()

    def decided_by(self) -> tuple[str, ...]:
        """Return the ids of the rules whose verdicts decide the answer."""
        rules = load_registry().rules.values()
        of_policy = tuple(rule.id for rule in rules if self.policy in rule.policies)
        return self.rules or self.limited_by or of_policy


class Answer(Struct, frozen=True):
    """The answer of a run to a question.

    Attributes:
        text: the answer in words.
        value: the policy value, or `kept` or `broken`; empty if the engine follows no value, or if the run
            does not show which.
        but: what the adapter does in place of the engine, and the policy by which a rule is kept.
        rules: the rules on which the answer rests.
    """

    text: str
    value: str = ""
    but: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


NOT_IN_RUN = Answer("Not in this run.")
"""The answer of a run that was narrowed to other rules."""


class _File(Struct, forbid_unknown_fields=True):
    question: tuple[Question, ...]


@cache
def read_questions() -> tuple[Question, ...]:
    """Return the questions of `questions.toml`, in their order."""
    return msgspec.toml.decode(packaged(__package__, "questions.toml"), type=_File).question


def answer(question: Question, results: Results) -> Answer | None:
    """Return the answer that the results of a run give, or None if the engine has no such part.

    The run must have a verdict on each rule that the answer rests on: a rule that is not tested, gave an
    error or is one of several suspects leaves the question open.
    """
    ids = question.decided_by()
    rules = [rule for rule in results.rules if rule.id in ids]
    claimed = [rule for rule in rules if rule.verdict != "not-applicable"]
    if len(rules) < len(ids):
        return NOT_IN_RUN
    if not claimed or not _has(question.feature, claimed[0], results):
        return None
    open_rules = [rule.id for rule in claimed if rule.verdict in _NO_ANSWER]
    component = _component_of(claimed[0], results)
    if open_rules:
        return Answer(f"Not known: no verdict on {', '.join(open_rules)}.", rules=ids)
    if question.rules:
        return _of_rules(question, claimed, results)
    return _of_policy(question, claimed, component, results)


def _of_rules(question: Question, claimed: Sequence[RuleResult], results: Results) -> Answer:
    value = "broken" if any(rule.verdict == "fail" for rule in claimed) else "kept"
    readings = [f"{rule.id}: {rule.reason}." for rule in claimed if rule.policy and rule.reason]
    but = (*readings, *_by_adapter(claimed, results))
    return Answer(question.answers[value], value, but, question.decided_by())


def _of_policy(
    question: Question, claimed: Sequence[RuleResult], component: ComponentResult | None, results: Results
) -> Answer:
    ids = question.decided_by()
    failing = [rule.id for rule in claimed if rule.verdict == "fail" and not rule.deviation]
    if failing and (component is None or component.unexplained or not component.model):
        return Answer(f"Not known: nothing known explains why {', '.join(failing)} fails.", rules=ids)
    but = tuple(_by_adapter(claimed, results))
    defects = _defects({rule.id for rule in claimed}, component, results)
    if sentences := [sentence for name, sentence in defects if name not in question.unaffected_by]:
        return Answer(" ".join(sentences), but=but, rules=ids)
    value = _value(question.policy, component, results)
    if value not in question.answers:
        return Answer("Not known: the profile of the run is not known here.", rules=ids)
    return Answer(question.answers[value], value, but, ids)


def _has(feature: tuple[str, str] | None, rule: RuleResult, results: Results) -> bool:
    """Return whether the shape of a rule's component contains a feature."""
    shape = shape_of(load_registry().rules[rule.id].component, results.implementation.shapes)
    return feature is None or shape is None or feature[1] in getattr(shape, feature[0])


def _component_of(rule: RuleResult, results: Results) -> ComponentResult | None:
    """Return the diagnosis of a rule's component; None if no scenario of the component ran."""
    name = load_registry().rules[rule.id].component
    return next((each for each in results.components if each.component == name), None)


def _value(policy: str, component: ComponentResult | None, results: Results) -> str:
    """Return the value that the engine follows: in the diagnosis, as a known deviation, or in the profile;
    empty if the profile is not known here."""
    terms = [term.name for term in component.model] if component is not None else []
    shown = [found.name for found in results.deviations if found.status == "as-known"]
    for name, _, value in (term.partition("=") for term in (*terms, *shown)):
        if name.strip() == policy:
            return value.strip()
    policies = _policies(results)
    return str(getattr(policies, policy)) if policies is not None else ""


def _policies(results: Results) -> Policies | None:
    """Return the policies of the profile of a run; None for a profile that this version does not have."""
    if results.own_profile is None:
        return PROFILES.get(results.profile)
    try:
        check_own_profile(results.own_profile)
    except BadInput:
        return None
    return profile_of_author(results.own_profile).policies


def _defects(
    rules: set[str], component: ComponentResult | None, results: Results
) -> Iterator[tuple[str, str]]:
    """Yield the names and sentences of what an engine does against these rules that is no policy value."""
    for term in component.model if component is not None else []:
        if term.kind != "policy" and rules & set(term.rules):
            yield term.name, term.sentence
    for found in results.deviations:
        name = found.name.removeprefix("mutant:")
        if found.status == "as-known" and name in load_mutants() and rules & set(found.rules):
            yield name, load_mutants()[name].summary


def _by_adapter(rules: Sequence[RuleResult], results: Results) -> Iterator[str]:
    """Yield what the adapter does in the engine's place to keep these rules."""
    for rule in rules:
        text = results.implementation.by_adapter.get(rule.id, "")
        if text:
            yield f"{text[:1].upper()}{text[1:]}."
