"""The judgement of each rule of one component by its evidence, with the model that explains the evidence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

from ...wire.transcript import canonical
from ..items.judge import rules_named
from .clues import decisions_until
from .evidence import Difference, Evidence, Violation, reproduces
from .exclusion import ENOUGH_KILLS, FEW, Excluding, Exclusion
from .fitting import Fit, fit
from .model import model_of
from .suspicion import Accusation, Suspicion, suspicion_of
from .trial import Ask, trial_of, tried

ENOUGH_DECIDED = 10
"""Number of agreeing scenarios in which a rule must have decided to pass, if no mutant of the rule would have
been detected."""

NOT_EXPRESSED = "the adapter does not express"
"""The begin of the reason why a rule is not tested that an adapter hides."""

SILENT = "the engine output nothing at all, in any scenario"
"""The reason why every rule of a component fails if the engine never outputs anything."""

Standing = Literal["pass", "fail", "suspect", "error", "not-tested"]


@dataclass
class RuleJudgement:
    """The judgement of a rule and the reason for it.

    Attributes:
        standing: the verdict of this component; other components may judge the same rule.
        reason: the reason, as a text.
        accusation: the accusation that names the rule, if the rule fails or is a suspect.
        in_the_way: the id of the scenario, or the name of the property, that keeps the rule from passing.
        term: the name of the change in the model that breaks the rule.
        excluded: mutants of the rule that would have been detected, if the rule passes.
        not_excluded: mutants of the rule that only larger scenarios would have detected.
        thin: whether a pass excludes few mutants.
        undecided: whether the rule decided in too few scenarios.
    """

    standing: Standing
    reason: str
    accusation: Accusation | None = None
    in_the_way: str = ""
    term: str = ""
    excluded: list[str] = field(default_factory=list)
    not_excluded: list[str] = field(default_factory=list)
    thin: bool = False
    undecided: bool = False


@dataclass
class ComponentJudgement:
    """The judgements of all rules of a component.

    Attributes:
        rules: the judgement of each rule, by its id.
        fit: the model that reproduces the engine best.
        examined: the number of differing scenarios that were kept.
        accusations: the accusations for the differences that no model explains.
    """

    rules: dict[str, RuleJudgement]
    fit: Fit
    examined: int
    accusations: tuple[Accusation, ...] = ()


def judge_evidence(
    evidence: Evidence,
    rules: Sequence[str],
    left_out: Collection[str] = (),
    ask: Ask = lambda scenarios: {},
) -> ComponentJudgement:
    """Fit a model, test it, and judge the rules of a component.

    Args:
        evidence: the observations of the engine. The function closes the reference of the evidence.
        rules: the ids of the rules.
        left_out: names of changes that must not be used; serves to measure the soundness of verdicts.
        ask: runs the scenarios that test a model. The rules that an untested model breaks do not fail; they
            are suspects.
    """
    try:
        fitted = fit(evidence, left_out)
        trial = trial_of(evidence, fitted)
        evidence, fitted = tried(evidence, fitted, trial, ask(trial.every))
        return judge_component(evidence, fitted, rules, left_out)
    finally:
        evidence.reference.close()


def judge_component(
    evidence: Evidence, fitted: Fit, rules: Sequence[str], left_out: Collection[str] = ()
) -> ComponentJudgement:
    """Judge the rules of a component by the evidence and by `fitted`, the model after its trial."""
    if evidence.silent:
        failed = RuleJudgement("fail", SILENT)
        return ComponentJudgement(dict.fromkeys(rules, failed), Fit(exact=False), len(evidence.differing))
    is_proved = fitted.exact and all(term.name in fitted.tried for term in fitted.terms)
    violations = _unexplained(evidence, fitted)
    unexplained = [] if is_proved else evidence.differing
    suspicion = suspicion_of(evidence, rules, unexplained, violations, left_out)
    accused = accused_rules(suspicion.accusations) | _accused_by_model(evidence, fitted)
    excluding = Excluding(evidence, fitted, left_out)
    smallest = _smallest(unexplained)
    judged = {}
    for rule in rules:
        judgement = accused.get(rule) or _hindered(rule, evidence, fitted, suspicion)
        judged[rule] = judgement or _by_what_agrees(rule, evidence, fitted, excluding.of(rule), smallest)
    return ComponentJudgement(judged, fitted, len(evidence.differing), suspicion.accusations)


def _accused_by_model(evidence: Evidence, fitted: Fit) -> dict[str, RuleJudgement]:
    """Return the judgements of the rules that an exact model breaks. A rule fails if the change that breaks
    it was tested, and is a suspect otherwise."""
    if not fitted.exact or not fitted.terms:
        return {}
    steps = chain.from_iterable(decisions_until(evidence, difference) for difference in evidence.differing)
    decided = rules_named(chain.from_iterable(steps))
    accused: dict[str, RuleJudgement] = {}
    for term in fitted.terms:
        deciding = [rule for rule in term.rules if rule in decided]
        broken = deciding[:1] if term.any_of else deciding or list(term.rules)
        judgement = RuleJudgement("fail", f"the engine behaves as {term.name}", term=term.name)
        if term.name not in fitted.tried:
            reason = f"{judgement.reason} as far as it ran; no scenario that tests this could be drawn"
            accusation = Accusation(tuple((rule, 1.0) for rule in broken))
            judgement = replace(judgement, standing="suspect", reason=reason, accusation=accusation)
        for rule in broken:
            accused.setdefault(rule, judgement)
    return accused


def accused_rules(accusations: Sequence[Accusation]) -> dict[str, RuleJudgement]:
    """Return the judgements of the accused rules: a rule that stands out fails, the other accused rules are
    suspects."""
    accused: dict[str, RuleJudgement] = {}
    for accusation in sorted(accusations, key=lambda accusation: not accusation.stands_out):
        if accusation.stands_out:
            judgement = RuleJudgement("fail", accusation.seen, accusation)
        else:
            names = ", ".join(accusation.rules)
            broken = f"one of {names} is broken" if len(accusation.rules) > 1 else f"{names} may be broken"
            reason = f"{broken}: {accusation.seen}"
            judgement = RuleJudgement("suspect", reason, accusation)
        for rule in accusation.rules:
            accused.setdefault(rule, judgement)
    return accused


def _hindered(rule: str, evidence: Evidence, fitted: Fit, suspicion: Suspicion) -> RuleJudgement | None:
    """Return why a rule that is not accused cannot pass, even if scenarios agree; None if it can."""
    if rule in evidence.unanswered:
        number = evidence.unanswered[rule]
        return RuleJudgement(
            "error", f"the engine gave no answer in {number:,} scenarios where the rule decides"
        )
    if rule in fitted.breached:
        names = ", ".join(term.name for tie in fitted.ties for term in tie if rule in term.rules)
        return RuleJudgement(
            "not-tested", f"the model that explains the differences may break the rule: {names}"
        )
    if rule in suspicion.in_conflict:
        shown = suspicion.in_conflict[rule]
        reason = f"a breach of the rule may explain {shown}"
        return RuleJudgement("not-tested", reason, in_the_way=shown)
    return None


def _smallest(unexplained: Sequence[Difference]) -> str:
    """Return the id of the smallest scenario with an unexplained difference; empty if there is none."""
    scenarios = (difference.scenario for difference in unexplained)
    first = min(scenarios, key=lambda scenario: (len(scenario.history), scenario.id), default=None)
    return first.id if first is not None else ""


def _by_what_agrees(
    rule: str, evidence: Evidence, fitted: Fit, exclusion: Exclusion, unexplained: str
) -> RuleJudgement:
    """Return a pass, or the reason why the agreeing scenarios do not suffice for one. The reason is an error
    if the rule decides only after the point at which the engine stopped answering. `unexplained` is the id of
    a scenario that keeps the rule from being tested; empty if no difference is unexplained."""
    judgement = _passing(rule, evidence, fitted, exclusion)
    judgement.not_excluded = exclusion.not_excluded
    if judgement.standing == "not-tested":
        judgement.in_the_way = unexplained
    number = evidence.unreached.get(rule, 0)
    if judgement.standing == "pass" or not number:
        return judgement
    return RuleJudgement(
        "error", f"the engine gave no answer in {number:,} scenarios before the rule decides"
    )


def _passing(rule: str, evidence: Evidence, fitted: Fit, exclusion: Exclusion) -> RuleJudgement:
    """Return a pass if the agreeing scenarios exclude the mutants of the rule."""
    if exclusion.hidden:
        why = f' ("{evidence.why_hidden[rule]}")' if rule in evidence.why_hidden else ""
        reason = f"{NOT_EXPRESSED} the scenarios that would show {', '.join(exclusion.hidden)}{why}"
        return RuleJudgement("not-tested", reason)
    if exclusion.unseen:
        reason = f"mutants that would not have been detected: {', '.join(exclusion.unseen)}"
        return RuleJudgement("not-tested", reason)
    if not fitted.exact and not exclusion.named:
        return RuleJudgement("not-tested", "no scenario would have detected a known mutant of the rule")
    decided = max(evidence.decided.get(rule, 0), evidence.decided.get(f"{rule}!", 0))
    if not exclusion.excluded or (not decided and _decides_beyond(rule, evidence)):
        if decided < ENOUGH_DECIDED:
            reason = f"decided in {decided} scenarios that agree, {ENOUGH_DECIDED} are needed"
            return RuleJudgement("not-tested", reason, undecided=True)
        return RuleJudgement("pass", f"decided in {decided:,} scenarios that agree", thin=True)
    if not fitted.exact and exclusion.kills < ENOUGH_KILLS:
        reason = (
            f"{exclusion.kills} scenarios that agree would have detected a mutant, {ENOUGH_KILLS} are needed"
        )
        return RuleJudgement("not-tested", reason)
    number = len(exclusion.excluded)
    reason = f"{number} mutant{'s' * (number > 1)} of the rule would have shown"
    return RuleJudgement("pass", reason, excluded=exclusion.excluded, thin=number < FEW)


def _decides_beyond(rule: str, evidence: Evidence) -> bool:
    """Return whether a rule decides in scenarios that the engine could not run.

    If the rule decides in none of the scenarios that ran, an excluded mutant is not evidence for it: the
    mutant was detected because it also breaks other rules.
    """
    decisions = {rule, f"{rule}!"}
    return any(
        decisions & set(step)
        for scenario in chain(evidence.beyond, evidence.hidden)
        for step in evidence.reference.cited(scenario)
    )


def _unexplained(evidence: Evidence, fitted: Fit) -> list[Violation]:
    """Return the violations that the model does not reproduce."""
    if not fitted.terms or not evidence.violations:
        return list(evidence.violations)
    unexplained = []
    with model_of(evidence.component, evidence.policies, [*evidence.known, *fitted.terms]) as model:
        for violation in evidence.violations:
            pairs = zip(violation.family, violation.transcripts, strict=True)
            if model is None or not all(
                reproduces(
                    model.play(scenario, evidence.observes),
                    Difference(scenario, tuple(map(canonical, answer.outputs)), 0),
                )
                for scenario, answer in pairs
            ):
                unexplained.append(violation)
    return unexplained
