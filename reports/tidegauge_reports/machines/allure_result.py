"""A case as Allure's test result: what it is filed under, why it failed, step by step, with attachments."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from uuid import UUID, uuid5

from allure_commons.model2 import (
    Attachment,
    Label,
    Link,
    StatusDetails,
    TestResult,
    TestStepResult,
)

from tidegauge.wire.results import Counterexample, Results, RuleResult, StepRecord
from tidegauge.words.evidence import exercised_words

from ..chapter_titles import chapter_title
from ..histories.timeline import timeline_svg
from ..text import short, shown
from ..wording import NO_ANSWER, outputs_words, step_words
from .cases import DEVIATIONS, RUN, Case, Kind
from .inert_markdown import code, inert, prose
from .source_links import is_web_address, issue_address

FRAMEWORK = "tidegauge"
"""The label `framework` of each result; by it those of an earlier run are found."""

_NAMES = UUID("5d9b5f53-6a1b-5c39-9a83-3c4f8a0f7a55")
_SEVERITIES = {"MUST": "critical", "SHOULD": "normal", "MAY": "minor"}
_GROUPS: dict[Kind, str] = {
    "rule": "rules",
    "property": "properties",
    "error": "errors",
    "item": "test items",
    "deviation": "known deviations",
    "run": "run",
}
_TITLES = {RUN: "The run", DEVIATIONS: "Known deviations"}
_MOST_STEPS = 500
_LONGEST_ID = 300
_LONGEST_LINE = 500
_LONGEST_TEXT = 30_000


@dataclass(frozen=True)
class AllureResult:
    """A result, and the files attached to it by their names."""

    result: TestResult
    attachments: dict[str, bytes]


def allure_result(case: Case, results: Results, place: int) -> AllureResult:
    """The result of a case. The same results give the same one, with the same names of files. It starts
    `place` ms after the run did, as Allure shows tests in the order of their time, and rules have none."""
    identity = short(case.identity, _LONGEST_ID)
    run = f"{results.started} {results.implementation.name} {results.implementation.version}"
    uuid = str(uuid5(_NAMES, f"{short(run, _LONGEST_LINE)} {identity}"))
    start = _milliseconds(results.started) + place
    title = _TITLES.get(case.component) or short(chapter_title(case.component), _LONGEST_LINE)
    result = TestResult(
        uuid=uuid,
        historyId=identity,
        testCaseId=identity,
        fullName=f"{FRAMEWORK}.{identity}",
        titlePath=["Tidegauge", title],
        name=short(case.name, _LONGEST_LINE),
        status=case.outcome,
        stage="finished",
        start=start,
        stop=start + _duration(case.duration_s),
        labels=[
            Label(name, visible)
            for name, value in _labels(case, title, results)
            if (visible := short(value, _LONGEST_LINE))
        ],
    )
    result.file_pattern = f"{uuid}-result.json"
    if case.summary and case.outcome != "passed":
        result.statusDetails = StatusDetails(
            known=case.summary.startswith("Known") or None,
            flaky=case.flaky or None,
            message=shown(case.summary),
            trace=shown(case.text, _LONGEST_TEXT),
        )
    attachments: dict[str, bytes] = {}
    if case.rule is not None:
        result.description = _description(case.rule)
        result.links = _links(case.rule)
        counterexample = case.rule.counterexample
        if counterexample is not None:
            result.steps = _steps(counterexample, start)
            attachments = _attach(result, counterexample, case.text)
    return AllureResult(result, attachments)


def _labels(case: Case, title: str, results: Results) -> list[tuple[str, str]]:
    """What Allure's views file a result under: suites, behaviours (epic, feature, story), packages."""
    implementation = results.implementation
    labels = [
        ("framework", FRAMEWORK),
        ("language", "python"),
        ("epic", f"Event time, profile {results.profile}"),
        ("feature", title),
        ("story", _GROUPS[case.kind]),
        ("parentSuite", f"{implementation.name} {implementation.version}"),
        ("suite", case.component),
        ("subSuite", _GROUPS[case.kind]),
        ("package", f"{FRAMEWORK}.{case.component}"),
        ("component", case.component),
    ]
    rule = case.rule
    if rule is None:
        return [*labels, ("severity", "critical" if case.kind in ("run", "property", "error") else "normal")]
    tags = [rule.level]
    tags += ["known deviation"] if rule.deviation is not None else []
    tags += ["suspect"] if case.suspect else []
    return [
        *labels,
        ("severity", _SEVERITIES.get(rule.level, "normal")),
        ("rule", rule.id),
        ("level", rule.level),
        ("layer", rule.layer),
        *(("tag", tag) for tag in tags),
    ]


def _description(rule: RuleResult) -> str:
    """The text of the specification, in Markdown."""
    lines = [prose(rule.sentence, 2_000), f"**Why:** {prose(rule.intent, 2_000)}"]
    lines.append(f"**If an engine fails this, check** {prose(rule.check, 2_000)}")
    if rule.policy:
        lines.append(f"**Policy:** {inert(rule.policy, 600)}")
    exercised = exercised_words(rule) or "never in a scenario"
    lines.append(f"**Exercised:** {exercised}. **Sources:** {inert(', '.join(rule.sources), 600)}")
    lines.append(f"The whole chapter: {code(f'tidegauge explain {rule.id}')}")
    return "\n\n".join(lines)


def _links(rule: RuleResult) -> list[Link]:
    """The sources that are issues, and the addresses among them."""
    links = []
    for source in dict.fromkeys(rule.sources):
        if address := issue_address(source):
            links.append(Link(type="issue", url=address, name=source))
        elif is_web_address(source):
            links.append(Link(type="link", url=source, name=source))
    return links


def _steps(counterexample: Counterexample, start: int) -> list[TestStepResult]:
    """The steps of the history: those before the first difference pass, those after it say nothing."""
    if not counterexample.steps:
        said = StatusDetails(message=shown(counterexample.got))
        name = short(counterexample.expected, _LONGEST_LINE)
        return [TestStepResult(name=name, status="failed", statusDetails=said, start=start, stop=start)]
    steps = [
        TestStepResult(
            name=short(f"step {number + 1}: {step_words(record.step)}{_due(record)}", _LONGEST_LINE),
            status="passed" if number < counterexample.diverges_at else "skipped",
            stage="finished",
            start=start,
            stop=start,
        )
        for number, record in enumerate(counterexample.steps[:_MOST_STEPS])
    ]
    if 0 <= counterexample.diverges_at < len(steps):
        diverging = steps[counterexample.diverges_at]
        diverging.status = "failed"
        diverging.statusDetails = StatusDetails(
            message=shown(f"expected: {counterexample.expected}\ngot: {counterexample.got}")
        )
    return steps


def _due(record: StepRecord) -> str:
    """The expected outputs, and those that differ."""
    if record.expected is None:
        return ""
    expected = outputs_words(record.expected)
    got = NO_ANSWER if record.got is None else outputs_words(record.got)
    return f" → {expected}" if expected == got else f" → expected {expected}; got {got}"


def _attach(result: TestResult, counterexample: Counterexample, text: str) -> dict[str, bytes]:
    """Name the attachments in the result; their contents."""
    history = json.dumps(counterexample.scenario, separators=(",", ":"), default=str) + "\n"
    bodies = [
        ("counterexample, for tidegauge replay", "application/json", "jsonl", history),
        ("timeline", "image/svg+xml", "svg", timeline_svg(counterexample)),
        ("message", "text/plain", "txt", shown(text, _LONGEST_TEXT)),
    ]
    attachments = {}
    for name, kind, ending, body in bodies:
        if body:
            file_name = f"{uuid5(UUID(str(result.uuid)), name)}-attachment.{ending}"
            result.attachments.append(Attachment(name=name, source=file_name, type=kind))
            attachments[file_name] = body.encode()
    return attachments


def _milliseconds(started: str) -> int:
    """The time of a run in ms since 1970; 0 if the document does not say it."""
    try:
        time = datetime.fromisoformat(started)
        return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


def _duration(seconds: float) -> int:
    return round(seconds * 1000) if isfinite(seconds) and seconds > 0 else 0
