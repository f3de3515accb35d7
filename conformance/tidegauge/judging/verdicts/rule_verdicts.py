"""The verdict on each rule, from what the components and the jobs prove of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tidegauge_spec import Rule

from ...components.registry import COMPONENTS
from ...wire.results import Verdict
from ..diagnosis.component_judgement import NOT_EXPRESSED, ComponentJudgement, RuleJudgement
from ..diagnosis.suspicion import Accusation
from ..items.merged import Findings
from ..jobs.findings import not_claimed
from ..jobs.judgement import judge_by_jobs
from .judged_in import JUDGED_IN_OTHERS, judged_by

OUTSIDE_SHAPE = "the rule is about features outside the declared shape"
"""The begin of the reason why a rule is not applicable to an engine without a feature."""


@dataclass(frozen=True)
class Circumstances:
    """What besides the findings bears on the verdicts: what the engine claims; components without any answer
    in the preflight, with the reason; rules that decide in a scenario that ended the engine's process; the
    items of each component that did not come to their end, as their number and a reason; the jobs that
    ran; the rules that nothing within the declared shape breaks, with the feature that is lacking; in how
    many scenarios a rule must have decided to pass."""

    capabilities: frozenset[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    ended: Mapping[str, str] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)
    jobs: frozenset[str] = frozenset()
    outside: Mapping[str, str] = field(default_factory=dict)
    least_decided: int = 0


@dataclass(frozen=True)
class Ruling:
    """A verdict and all that is said of it."""

    verdict: Verdict
    reason: str
    judgement: RuleJudgement | None = None


def ruling(
    rule: Rule,
    findings: Findings,
    components: Mapping[str, ComponentJudgement],
    job_accusations: Sequence[Accusation],
    circumstances: Circumstances,
) -> Ruling:
    """Return the verdict on a rule. `job_accusations` are the accusations of the failing jobs."""
    if rule.checked_by[0].startswith("not testable"):
        return Ruling("not-applicable", rule.checked_by[0])
    claimed = circumstances.capabilities
    if rule.needs and not claimed & set(rule.needs):
        return Ruling("not-applicable", f"not claimed by this engine: {_needed(rule.needs)}")
    judges = judged_by(rule, claimed)
    if not judges:
        return Ruling("not-applicable", f"not claimed by this engine: the component {rule.component}")
    if judges == {"job"} and (missing := not_claimed(rule.id, claimed)):
        return Ruling("not-applicable", f"not claimed by this engine: {_needed(missing)}")
    if rule.id in circumstances.outside and "job" not in judges:
        return Ruling("not-applicable", f"{OUTSIDE_SHAPE}: {circumstances.outside[rule.id]}")
    found = [
        components[name].rules[rule.id]
        for name in sorted(judges)
        if name in components and rule.id in components[name].rules
    ]
    if "job" in judges:
        found.append(judge_by_jobs(rule.id, findings, job_accusations, claimed, circumstances.jobs))
    if accused := [*_of(found, "fail"), *_of(found, "suspect")]:
        return _ruling(accused[0])
    for name in sorted(judges & set(circumstances.refused)):
        return Ruling("error", circumstances.refused[name])
    if rule.id in circumstances.ended:
        return Ruling("error", circumstances.ended[rule.id])
    if errors := _of(found, "error"):
        return _ruling(errors[0])
    for name in sorted(judges & set(circumstances.not_run)):
        return Ruling("not-tested", circumstances.not_run[name])
    if not found:
        return Ruling("not-tested", "no test item of this component was completed")
    return _often_enough(rule, judges, _combined(rule, found, findings), findings, circumstances)


def _often_enough(
    rule: Rule, judges: set[str], ruling: Ruling, findings: Findings, circumstances: Circumstances
) -> Ruling:
    """Return the ruling, and "not tested" in place of the pass of a rule that decided in too few scenarios.
    Rules that whole jobs judge are excepted, since jobs are few."""
    decided = findings.rules[rule.id].scenarios if rule.id in findings.rules else 0
    if ruling.verdict != "pass" or "job" in judges or decided >= circumstances.least_decided:
        return ruling
    least = circumstances.least_decided
    return Ruling("not-tested", f"decided in {decided} scenarios that agree, {least} are needed")


def _combined(rule: Rule, found: Sequence[RuleJudgement], findings: Findings) -> Ruling:
    """A pass wherever the rule is judged; a rule of time decides in some components only."""
    passing = _of(found, "pass")
    open_ones = [one for one in _of(found, "not-tested") if not (one.undecided and passing)]
    if rule.component != JUDGED_IN_OTHERS:
        open_ones = _of(found, "not-tested")
    if open_ones:
        never = rule.id not in findings.rules and all(one.undecided for one in open_ones)
        left_out = findings.left_out
        if rule.id in left_out.hidden and never:
            why = left_out.hidden[rule.id]
            reason = f'{NOT_EXPRESSED} the scenarios in which the rule decides ("{why}")'
            return Ruling("not-tested", reason)
        if rule.id in left_out.outside and never:
            why = left_out.outside[rule.id]
            never_sent = why.startswith("no runtime sends")
            return Ruling("not-applicable", why if never_sent else f"{OUTSIDE_SHAPE}: {why}")
        return _ruling(open_ones[0])
    return _ruling(max(passing, key=lambda one: len(one.excluded)))


def _of(found: Iterable[RuleJudgement], standing: str) -> list[RuleJudgement]:
    return [one for one in found if one.standing == standing]


def _needed(names: Sequence[str]) -> str:
    """What a rule needs, one of several: `the component coordinator or window`."""
    kind = "component" if set(names) <= set(COMPONENTS) else "capability"
    return f"the {kind} {' or '.join(names)}"


def _ruling(judgement: RuleJudgement) -> Ruling:
    return Ruling(judgement.standing, judgement.reason, judgement)
