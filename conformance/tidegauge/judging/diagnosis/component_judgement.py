"""What the evidence of one component proves of each of its rules, and the model that explains it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...wire.transcript import spans
from ..items.blame import Spectrum
from .evidence import Difference, Evidence, Violation, reproduces
from .exclusion import ENOUGH_KILLS, FEW, Excluding, Exclusion
from .fitting import Fit, fit
from .model import canonical, model_of
from .resemblance import rules_resembled
from .turning import rules_explaining
from .witnesses import rules_named

_LIKELY = 0.8
"""A rule is a likely cause if its suspiciousness is at least this part of the highest."""

ACTED = _TURNED = 0.1
"""What raises a suspicion by this share: that a decision of the rule held, so that the rule acted; and that
one of its decisions, turned, reproduces a difference. Measured on 221 engines with one unknown defect: the
most likely cause is a rule that they break in 177 without, in 189 with 0.1 each."""

ENOUGH_DECIDED = 10
"""In so many scenarios that agree a rule without a mutant that would have shown must have decided."""

SILENT = "the engine output nothing at all, in any scenario"
"""Why every rule of a component fails if the engine never outputs anything."""

Standing = Literal["pass", "fail", "error", "not-tested"]


@dataclass
class RuleJudgement:
    """What is proved of a rule, and why. `suspected`: by the spectrum alone. `in_the_way`: the id of the
    smallest unexplained scenario that may be a breach of it. `term`: the change of the model that breaks it.
    `undecided`: the rule decided too seldom. `not_excluded`: mutants of the rule that only a
    larger world would have shown."""

    standing: Standing
    reason: str
    suspected: bool = False
    in_the_way: str = ""
    term: str = ""
    excluded: list[str] = field(default_factory=list)
    not_excluded: list[str] = field(default_factory=list)
    thin: bool = False
    undecided: bool = False


@dataclass
class ComponentJudgement:
    """All rules of a component, and what the engine behaves as. `suspects`: how suspicious each rule is in
    what the model does not explain, the most suspicious first."""

    rules: dict[str, RuleJudgement]
    fit: Fit
    examined: int
    suspects: list[tuple[str, float]]


def judge_component(
    evidence: Evidence, rules: Sequence[str], left_out: Collection[str] = (), until: float = math.inf
) -> ComponentJudgement:
    """The judgement. `left_out`: names of changes that nobody is to know of, to measure how sound it is.
    `until`: when the search for a model ends at the latest, in seconds of the monotonic clock."""
    try:
        return _judged(evidence, rules, left_out, until)
    finally:
        evidence.reference.close()


def _judged(
    evidence: Evidence, rules: Sequence[str], left_out: Collection[str], until: float
) -> ComponentJudgement:
    if evidence.silent:
        failed = RuleJudgement("fail", SILENT)
        return ComponentJudgement(dict.fromkeys(rules, failed), Fit(exact=False), len(evidence.differing), [])
    found = fit(evidence, left_out, until)
    unexplained = [one for one in evidence.differing if one.scenario.id not in found.explained]
    unexplained.sort(key=lambda one: (one.at, len(one.outputs), one.scenario.id))
    suspects = _suspects(evidence, rules)
    excused = unexplained if found.proves else evidence.differing
    turned = rules_explaining(evidence, excused) if excused else {}
    violations = _unexplained(evidence, found)
    failing = _failing(found, violations, unexplained, suspects, turned)
    speaking = rules_named(evidence, violations, unexplained, suspects)
    resembled = {} if found.proves else rules_resembled(evidence, found, left_out)
    excluding = Excluding(evidence, found, left_out)
    judged = {}
    for rule in rules:
        judgement = failing.get(rule) or _hindered(
            rule, evidence, found, unexplained, speaking, turned, resembled
        )
        judged[rule] = judgement or _by_what_agrees(rule, evidence, found, excluding.of(rule), unexplained)
    return ComponentJudgement(judged, found, len(evidence.differing), suspects)


def _failing(
    found: Fit,
    violations: Sequence[Violation],
    unexplained: Sequence[Difference],
    suspects: Sequence[tuple[str, float]],
    turned: Mapping[str, str],
) -> dict[str, RuleJudgement]:
    """The rules that are proved broken; where none of them is a likely cause of what is unexplained, the most
    likely cause, too."""
    failing: dict[str, RuleJudgement] = {}
    for term in found.terms if found.exact else ():
        if term.kind == "small-change":
            continue
        suspicious = {rule for rule, _ in suspects}
        deciding = [rule for rule in term.rules if rule in suspicious]
        for rule in deciding[:1] if term.any_of else deciding or term.rules:
            failing.setdefault(
                rule, RuleJudgement("fail", f"the engine behaves as {term.name}", term=term.name)
            )
    for violation in violations:
        if len(violation.property.rules) == 1:
            reason = f"the property {violation.property.name} is violated"
            failing.setdefault(violation.property.rules[0], RuleJudgement("fail", reason))
    likely = {rule for rule, score in suspects if score >= _LIKELY * suspects[0][1]}
    if found.proves:
        return failing  # what breaks no rule of this component breaks one of a component that it is built on
    if suspects and not (failing and (likely & set(failing) or not unexplained)):
        highest = suspects[0][1]
        raised = [(score + _TURNED * highest * (rule in turned), score, rule) for rule, score in suspects]
        _, score, rule = max(raised, key=lambda one: one[0])
        reason = f"the most likely cause (suspiciousness {score:.2f}), not proved"
        failing[rule] = RuleJudgement("fail", reason, suspected=True)
    return failing


def _hindered(
    rule: str,
    evidence: Evidence,
    found: Fit,
    unexplained: Sequence[Difference],
    speaking: Mapping[str, str],
    turned: Mapping[str, str],
    resembled: Mapping[str, str],
) -> RuleJudgement | None:
    """Why a rule that is not proved broken cannot pass, whatever agrees."""
    if rule in evidence.unanswered:
        number = evidence.unanswered[rule]
        return RuleJudgement(
            "error", f"the engine gave no answer in {number:,} scenarios where the rule decides"
        )
    if rule in found.breached | found.tied:
        names = ", ".join(term.name for tie in found.ties for term in tie if rule in term.rules)
        return RuleJudgement(
            "not-tested", f"the model that explains the differences may break the rule: {names}"
        )
    if not found.exact and rule in speaking:
        return RuleJudgement("not-tested", speaking[rule], in_the_way=_first(unexplained))
    if rule in turned:
        reason = f"scenario {turned[rule]} differs as if the rule were broken"
        return RuleJudgement("not-tested", reason, in_the_way=turned[rule])
    if rule in resembled:
        reason = f"scenario {resembled[rule]} lacks or adds the outputs that a breach of the rule would"
        return RuleJudgement("not-tested", reason, in_the_way=resembled[rule])
    return None


def _by_what_agrees(
    rule: str, evidence: Evidence, found: Fit, exclusion: Exclusion, unexplained: Sequence[Difference]
) -> RuleJudgement:
    """A pass, or why what agrees proves none: an error, if the rule would have decided where no answer
    came."""
    judgement = _passing(rule, evidence, found, exclusion, unexplained)
    judgement.not_excluded = exclusion.not_excluded
    number = evidence.unreached.get(rule, 0)
    if judgement.standing == "pass" or not number:
        return judgement
    return RuleJudgement(
        "error", f"the engine gave no answer in {number:,} scenarios before the rule decides"
    )


def _passing(
    rule: str, evidence: Evidence, found: Fit, exclusion: Exclusion, unexplained: Sequence[Difference]
) -> RuleJudgement:
    """A pass, if what agrees excludes the mutants of the rule."""
    if exclusion.unseen:
        reason = f"mutants that would not have been detected: {', '.join(exclusion.unseen)}"
        return RuleJudgement("not-tested", reason, in_the_way=_first(unexplained))
    if not found.exact and not exclusion.named:
        reason = "no scenario would have detected a known mutant of the rule"
        return RuleJudgement("not-tested", reason, in_the_way=_first(unexplained))
    decided = max(evidence.decided.get(rule, 0), evidence.decided.get(f"{rule}!", 0))
    if not exclusion.excluded or (not decided and _decides_beyond(rule, evidence)):
        if decided < ENOUGH_DECIDED:
            reason = f"decided in {decided} scenarios that agree, {ENOUGH_DECIDED} are needed"
            return RuleJudgement("not-tested", reason, in_the_way=_first(unexplained), undecided=True)
        return RuleJudgement("pass", f"decided in {decided:,} scenarios that agree", thin=True)
    if not found.exact and exclusion.kills < ENOUGH_KILLS:
        reason = (
            f"{exclusion.kills} scenarios that agree would have detected a mutant, {ENOUGH_KILLS} are needed"
        )
        return RuleJudgement("not-tested", reason, in_the_way=_first(unexplained))
    number = len(exclusion.excluded)
    reason = f"{number} mutant{'s' * (number > 1)} of the rule would have shown"
    return RuleJudgement("pass", reason, excluded=exclusion.excluded, thin=number < FEW)


def _decides_beyond(rule: str, evidence: Evidence) -> bool:
    """Whether a rule decides in what is beyond the engine: a mutant that breaks others, too, is no evidence
    of a rule that decides nowhere else."""
    decisions = {rule, f"{rule}!"}
    return any(decisions & set(step) for one in evidence.beyond for step in evidence.reference.cited(one))


def _first(unexplained: Sequence[Difference]) -> str:
    return unexplained[0].scenario.id if unexplained else ""


def _unexplained(evidence: Evidence, found: Fit) -> list[Violation]:
    """The violations that the model does not show too."""
    if not found.terms or not evidence.violations:
        return list(evidence.violations)
    left = []
    with model_of(evidence.component, evidence.policies, [*evidence.known, *found.terms]) as model:
        for one in evidence.violations:
            pairs = zip(one.family, one.transcripts, strict=True)
            if model is None or not all(
                reproduces(
                    model.play(scenario, evidence.observes),
                    Difference(scenario, tuple(map(canonical, answer.outputs)), 0),
                )
                for scenario, answer in pairs
            ):
                left.append(one)
    return left


def _suspects(evidence: Evidence, rules: Sequence[str]) -> list[tuple[str, float]]:
    """These rules by the Ochiai score of their decisions over the scenarios that differ, the highest
    first."""
    kept = len(evidence.differing) / max(evidence.differ, len(evidence.differing), 1)
    spectrum = Spectrum(passed={one: round(number * kept) for one, number in evidence.decided.items()})
    cited: set[str] = set()
    for one in evidence.differing:
        until = sum(spans(one.scenario, evidence.observes)[: one.at + 1])
        decisions = {decision for step in evidence.reference.cited(one.scenario)[:until] for decision in step}
        cited |= decisions
        spectrum.add(True, decisions)
    return spectrum.suspects((one for one in cited if one.removesuffix("!") in rules), acted=ACTED)
