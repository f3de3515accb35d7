"""What the items of a run found, together, and the fewest rules that account for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tidegauge_spec import Rule

from ..component import Component
from ..plan import JUDGED_IN_OTHERS, judged_in
from ..results import JobPicture
from ..scenario import component_of
from .blame import Spectrum, property_scores
from .item_report import Counted, DeviationCount, FoundFailure, ItemReport, LeftOut, PropertyCount
from .jobs import RULES_OF_JOB_PROPERTIES

_ATTRIBUTED = 0.8
"""A failure is laid to a rule whose score is at least this part of the highest in that failure."""


@dataclass
class Findings:
    """All items of a run together; `silent`: the components in which nothing ever came out."""

    scenarios: int = 0
    steps: int = 0
    failing: int = 0
    unanswered: int = 0
    silent: set[str] = field(default_factory=set)
    rules: dict[str, Counted] = field(default_factory=dict)
    spectrum: Spectrum = field(default_factory=Spectrum)
    properties: dict[str, PropertyCount] = field(default_factory=dict)
    deviations: dict[str, DeviationCount] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    failures: list[FoundFailure] = field(default_factory=list)
    pictures: list[JobPicture] = field(default_factory=list)


def merged(reports: Sequence[ItemReport]) -> Findings:
    """Sum up items; the result does not depend on their order."""
    findings = Findings(silent=silent_components(reports))
    for report in sorted(reports, key=lambda report: report.item):
        findings.scenarios += report.scenarios
        findings.steps += report.steps
        findings.failing += report.failing
        findings.unanswered += report.unanswered
        findings.spectrum.merge(report.spectrum)
        findings.failures += report.failures
        findings.pictures += report.pictures
        for rule, counted in report.rules.items():
            total = findings.rules.setdefault(rule, Counted())
            total.scenarios += counted.scenarios
            total.steps += counted.steps
        for name, count in report.properties.items():
            sum_ = findings.properties.setdefault(name, PropertyCount())
            sum_.checked += count.checked
            sum_.violated += count.violated
            sum_.vacuous += count.vacuous
            sum_.known += count.known
            sum_.inexpressible |= count.inexpressible
        for reason, number in report.left_out.reasons.items():
            findings.left_out.reasons[reason] = findings.left_out.reasons.get(reason, 0) + number
        for rule, number in report.left_out.rules.items():
            findings.left_out.rules[rule] = findings.left_out.rules.get(rule, 0) + number
        for name, shown in report.deviations.items():
            known = findings.deviations.setdefault(name, DeviationCount())
            known.shown += shown.shown
            known.absent += shown.absent
    return findings


def silent_components(reports: Sequence[ItemReport]) -> set[str]:
    """The components whose scenarios fail and in none of which the engine output anything."""
    failing = {report.component for report in reports if report.failing}
    return failing - {report.component for report in reports if report.outputs}


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


def judged_by(rule: Rule, capabilities: frozenset[str]) -> set[str]:
    """The components an engine claims whose scenarios judge the rule: its own, whole jobs with alignment if
    they show it, and for a rule of time those that need it."""
    if rule.component == JUDGED_IN_OTHERS:
        return judged_in(rule) & capabilities
    judges = {rule.component} & capabilities if rule.checked_by != ("job",) else set()
    if "job" in rule.checked_by and (rule.component == "job" or "alignment" in capabilities):
        judges |= {"job"} & capabilities
    return judges
