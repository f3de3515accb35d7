"""What the items of a run found, together, and the fewest rules that account for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...wire.results import JobPicture
from .blame import Spectrum
from .item_report import Counted, DeviationCount, FoundFailure, ItemReport, LeftOut, PropertyCount


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
            total.world.merge(counted.world)
        for name, count in report.properties.items():
            sum_ = findings.properties.setdefault(name, PropertyCount())
            sum_.checked += count.checked
            sum_.violated += count.violated
            sum_.vacuous += count.vacuous
            sum_.known += count.known
            sum_.inexpressible |= count.inexpressible
            sum_.outside |= count.outside
            sum_.unsteady += count.unsteady
            sum_.without_sessions |= count.without_sessions
        for reason, number in report.left_out.reasons.items():
            findings.left_out.reasons[reason] = findings.left_out.reasons.get(reason, 0) + number
        for rule, number in report.left_out.rules.items():
            findings.left_out.rules[rule] = findings.left_out.rules.get(rule, 0) + number
        for every, own in (
            (findings.left_out.hidden, report.left_out.hidden),
            (findings.left_out.outside, report.left_out.outside),
        ):
            for rule, reason in own.items():
                every.setdefault(rule, reason)
        for name, shown in report.deviations.items():
            known = findings.deviations.setdefault(name, DeviationCount())
            known.shown += shown.shown
            known.absent += shown.absent
    return findings


def silent_components(reports: Sequence[ItemReport]) -> set[str]:
    """The components whose scenarios fail and in none of which the engine output anything."""
    failing = {report.component for report in reports if report.failing}
    return failing - {report.component for report in reports if report.outputs}
