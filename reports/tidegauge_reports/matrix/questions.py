"""A chooser's questions in plain words, answered from the results of runs."""

from collections.abc import Iterator
from functools import cache

import msgspec
from msgspec import Struct

from tidegauge.components.registry import load_mutants
from tidegauge.judging.reference.profiles import recorded_profile
from tidegauge.wire.results import ACCUSED, ComponentResult, Results, RuleResult
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.shapes import shape_of
from tidegauge_spec import load_registry

from ..pages.environment import packaged

_BROKEN = (*ACCUSED, "error")


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about engines.

    text: the question. policy: the policy that it is about; empty if it is about rules. rules: these rules.
    answers: the answer for each value of the policy, or for rules that are `kept` and `broken`. limited_by:
    the rules whose defects are named beside the answer; empty for all rules of the policy. feature: the field
    of the component's shape and the value that an engine must have there; None if it needs none.
    """

    text: str
    answers: dict[str, str]
    policy: str = ""
    rules: tuple[str, ...] = ()
    limited_by: tuple[str, ...] = ()
    feature: tuple[str, str] | None = None

    def decided_by(self) -> tuple[str, ...]:
        """Return the ids of the rules whose verdicts carry the answer."""
        rules = load_registry().rules.values()
        return self.rules or tuple(rule.id for rule in rules if self.policy in rule.policies)


class Answer(Struct, frozen=True):
    """What a run says to a question.

    text: the answer in words. value: the policy value, or `kept` or `broken`; empty if the run gives none.
    but: sentences on known defects, on deviations, and on what the adapter does in the engine's place, which
    limit the answer. rules: the rules it rests on.
    """

    text: str
    value: str = ""
    but: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class _File(Struct, forbid_unknown_fields=True):
    question: tuple[Question, ...]


@cache
def read_questions() -> tuple[Question, ...]:
    """Return the questions of `questions.toml`, in their order."""
    return msgspec.toml.decode(packaged(__package__, "questions.toml"), type=_File).question


def answer(question: Question, results: Results) -> Answer | None:
    """Return the answer that the results of a run give, or None if the engine claims none of the rules.

    A value of a policy counts where the run could have shown another one: all rules of the policy were kept,
    or the diagnosis explains every scenario in which they were not.
    """
    rules = [rule for rule in results.rules if rule.id in question.decided_by()]
    claimed = [rule for rule in rules if rule.verdict != "not-applicable"]
    if not claimed or not _has(question.feature, claimed[0], results):
        return None
    ids = tuple(rule.id for rule in claimed)
    if all(rule.verdict == "not-tested" for rule in claimed):
        return Answer(f"Not known: {', '.join(ids)} could not be tested.", rules=ids)
    if question.rules:
        value = "broken" if any(rule.verdict in _BROKEN for rule in claimed) else "kept"
        return Answer(question.answers[value], value, rules=ids)
    component = _component_of(claimed[0], results)
    broken = [rule.id for rule in claimed if rule.verdict in _BROKEN and not rule.deviation]
    if broken and (component is None or component.unexplained or not component.model):
        return Answer(f"Not known: {', '.join(broken)} not kept, and nothing known explains it.", rules=ids)
    value = _value(question.policy, component, results)
    if value not in question.answers:
        return Answer("Not known: the results name a value that this version does not have.", rules=ids)
    limits = _limits(set(question.limited_by or ids), component, results)
    return Answer(question.answers[value], value, tuple(limits), ids)


def _component_name(rule: RuleResult) -> str:
    chapters = load_registry().chapters.items()
    return next(name for name, chapter in chapters if rule.id in {each.id for each in chapter.rules})


def _has(feature: tuple[str, str] | None, rule: RuleResult, results: Results) -> bool:
    """Return whether the engine has a feature of the component that a rule belongs to."""
    shape = shape_of(_component_name(rule), results.implementation.shapes)
    return feature is None or shape is None or feature[1] in getattr(shape, feature[0])


def _component_of(rule: RuleResult, results: Results) -> ComponentResult | None:
    """Return the diagnosis of the component that a rule belongs to; None if no scenario of it ran."""
    name = _component_name(rule)
    return next((each for each in results.components if each.component == name), None)


def _value(policy: str, component: ComponentResult | None, results: Results) -> str:
    """Return the value that the engine follows: in the diagnosis, as a known deviation, or in the profile."""
    terms = [term.name for term in component.model] if component is not None else []
    deviations = [found.name.replace(" = ", "=") for found in results.deviations]
    for name, _, value in (term.partition("=") for term in (*terms, *deviations)):
        if name == policy:
            return value
    try:
        policies = recorded_profile(results.profile, results.own_profile).policies
    except BadInput:
        return ""
    return str(getattr(policies, policy))


def _limits(rules: set[str], component: ComponentResult | None, results: Results) -> Iterator[str]:
    """Yield what an engine does against these rules that is no value of a policy, and what its adapter does
    to keep them."""
    for rule in sorted(rules & set(results.implementation.by_adapter)):
        text = results.implementation.by_adapter[rule]
        yield f"{text[:1].upper()}{text[1:]}."
    terms = component.model if component is not None else []
    for term in terms:
        if term.kind != "policy" and rules & set(term.rules):
            yield term.sentence
    for found in results.deviations:
        name = found.name.removeprefix("mutant:")
        if found.status == "as-known" and name in load_mutants() and rules & set(found.rules):
            yield load_mutants()[name].summary
