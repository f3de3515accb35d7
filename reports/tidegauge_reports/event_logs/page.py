"""What the page of an event log shows, derived from its results."""

from dataclasses import dataclass
from itertools import islice

from markupsafe import Markup

from tidegauge.words.log_times import time_text
from tidegauge.words.numbers import counted
from tidegauge_spec import Rule, load_registry

from ..site.symptoms import symptoms
from .document import Finding, LogDocument, Operator, PropertyVerdict, RuleVerdict
from .picture import course_picture

_MOST_FINDINGS = 60
_MOST_PROPERTIES = 40
_MOST_PICTURES = 12
_VERDICTS = ("fail", "suspect", "pass", "not-tested")


@dataclass(frozen=True)
class FindingView:
    """A finding, the title of the page about its symptom, and the course of the operator's watermark. The
    picture is empty if an earlier finding has the same picture, if there are too few watermarks, or if the
    page has enough pictures."""

    finding: Finding
    title: str
    picture: Markup


@dataclass(frozen=True)
class Page:
    """What the templates need. `kind` is the class of the first screen: `fails`, `open` or `conforms`."""

    document: LogDocument
    kind: str
    headline: str
    findings: list[FindingView]
    broken: list[PropertyVerdict]

    @property
    def more_findings(self) -> int:
        """The number of findings that are not shown."""
        return len(self.document.findings) - len(self.findings)

    @property
    def more_broken(self) -> int:
        """The number of violated properties that are not shown."""
        return len(_violated(self.document)) - len(self.broken)

    @property
    def rules(self) -> list[RuleVerdict]:
        """The rules: first failed and suspect ones, then passed ones, then those not tested."""
        return sorted(self.document.rules, key=lambda rule: _VERDICTS.index(rule.verdict))

    @property
    def extent(self) -> str:
        """The size of the log."""
        log = self.document
        jobs = len({operator.job for operator in log.operators})
        subtasks = sum(operator.subtasks for operator in log.operators)
        return (
            f"{counted(log.rows, 'row')} of {counted(jobs, 'job')}, "
            f"{counted(len(log.operators), 'operator')}, {counted(subtasks, 'subtask')}, "
            f"in {counted(log.files, 'file')}"
        )

    @property
    def span(self) -> str:
        """When the job ran, by the processing times of the log; empty for a log without rows."""
        begins = [operator.begin for operator in self.document.operators if operator.begin is not None]
        ends = [operator.end for operator in self.document.operators if operator.end is not None]
        return f"{time_text(min(begins))} to {time_text(max(ends))}" if begins and ends else ""

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(dict.fromkeys(operator.job for operator in self.document.operators))

    @property
    def troubled(self) -> list[Operator]:
        """The operators with troubles in their rows."""
        return [operator for operator in self.document.operators if operator.troubles]


def build_page(document: LogDocument) -> Page:
    """Return the page of the results of a log."""
    broken = _violated(document)
    return Page(
        document=document,
        kind=_kind(document),
        headline=_headline(document),
        findings=_finding_views(document),
        broken=broken[:_MOST_PROPERTIES],
    )


def rule_of(name: str) -> Rule | None:
    """Return a rule of the specification, or None for an unknown name."""
    return load_registry().rules.get(name)


def _violated(document: LogDocument) -> list[PropertyVerdict]:
    return [verdict for verdict in document.properties if verdict.verdict == "fail"]


def _kind(document: LogDocument) -> str:
    if document.overall == "fail" or any(finding.severity == "error" for finding in document.findings):
        return "fails"
    return "open" if document.overall == "incomplete" or document.findings else "conforms"


def _headline(document: LogDocument) -> str:
    """Return the conclusion in a line, findings first."""
    rules = len({rule.rule for rule in document.rules if rule.verdict == "fail"})
    suspects = len({rule.rule for rule in document.rules if rule.verdict == "suspect"})
    parts = []
    if document.findings:
        parts.append(f"{counted(len(document.findings), 'finding')} about the job")
    if rules:
        parts.append(f"{counted(rules, 'broken rule')}")
    if suspects:
        parts.append(f"{counted(suspects, 'suspect rule')}")
    if document.overall == "incomplete":
        parts.append("the log is incomplete")
    if not parts:
        return "No findings, and no broken rule"
    return ", ".join(parts) + ("" if rules or suspects else "; no broken rule")


def _finding_views(document: LogDocument) -> list[FindingView]:
    operators = {(operator.job, operator.source): operator for operator in document.operators}
    drawn: set[tuple[str, str]] = set()
    views = []
    for finding in islice(document.findings, _MOST_FINDINGS):
        key = finding.job, finding.source
        picture = Markup("")
        if key in operators and key not in drawn and len(drawn) < _MOST_PICTURES:
            begins = [other.begin for other in document.findings if (other.job, other.source) == key]
            picture = course_picture(operators[key], begins)
            drawn.add(key)
        views.append(FindingView(finding, _title(finding.name), picture))
    return views


def _title(name: str) -> str:
    """Return the title of the symptom of a finding; of several symptoms, the one with the fewest findings."""
    about = [symptom for symptom in symptoms() if name in symptom.findings]
    if not about:
        return name.replace("-", " ").capitalize()
    return min(about, key=lambda symptom: len(symptom.findings)).title
