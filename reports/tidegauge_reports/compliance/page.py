"""What the page shows, derived from a results document; the templates only lay it out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from tidegauge.results import ItemResult, PropertyResult, Results, RuleResult, Verdict

from ..chapter_titles import chapter_title
from ..conclusion import UNFINISHED_OUTCOMES, Conclusion, conclude, tally
from ..histories.timeline import timeline_svg
from .jobs import JobView, job_of, job_views

_RESERVED = ("tested", "map", "deviations", "properties", "items", "jobs")


@dataclass(frozen=True)
class RuleView:
    """A rule's result, its anchor on the page, its drawing (empty: none), and the job that breaks it."""

    result: RuleResult
    anchor: str
    timeline: Markup
    job: JobView | None

    @property
    def number(self) -> str:
        """The last part of the id: `3` of `VALVE-3`."""
        return self.result.id.rsplit("-", 1)[-1]


@dataclass(frozen=True)
class ChapterView:
    """The rules of a component, in the order of the document."""

    name: str
    component: str
    rules: list[RuleView]
    counts: dict[Verdict, int]

    @property
    def title(self) -> str:
        """What the chapter is about."""
        return chapter_title(self.component)

    @property
    def applies(self) -> bool:
        """Whether any of its rules applies to the engine."""
        return self.counts["not-applicable"] < len(self.rules)


@dataclass(frozen=True)
class Page:
    """All that the templates need."""

    results: Results
    conclusion: Conclusion
    counts: dict[Verdict, int]
    chapters: list[ChapterView]
    failing: list[RuleView]
    jobs: list[JobView]
    properties: dict[str, list[PropertyResult]]
    anchors: dict[str, str]
    unfinished: list[ItemResult]


def build_page(results: Results) -> Page:
    """The page of a results document."""
    anchor = _anchors()
    anchors = [anchor(rule.id) for rule in results.rules]
    jobs = job_views(results.jobs, results.rules, anchor)
    views = [_view(rule, place, jobs) for rule, place in zip(results.rules, anchors, strict=True)]
    chapters = [
        ChapterView(name, component, rules, tally([view.result for view in rules]))
        for (name, component), group in groupby(views, _chapter)
        if (rules := list(group))
    ]
    return Page(
        results=results,
        conclusion=conclude(results),
        counts=tally(results.rules),
        chapters=chapters,
        failing=sorted(
            (view for view in views if view.result.verdict == "fail" and view.result.scored),
            key=lambda view: bool(view.result.affected_by),
        ),
        jobs=list(jobs.values()),
        properties=_by_component(results.properties),
        anchors={view.result.id: view.anchor for view in views},
        unfinished=[item for item in results.items if item.outcome in UNFINISHED_OUTCOMES],
    )


def _anchors() -> Callable[[str], str]:
    """Makes a place on the page from a text, another one each time."""
    taken: set[str] = set(_RESERVED)

    def anchor(text: str) -> str:
        found = re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:60] or "rule"
        while found in taken:
            found += "-again"
        taken.add(found)
        return found

    return anchor


def _view(rule: RuleResult, anchor: str, jobs: dict[str, JobView]) -> RuleView:
    drawing = "" if rule.counterexample is None else timeline_svg(rule.counterexample)
    return RuleView(rule, anchor, Markup(drawing), jobs.get(job_of(rule.counterexample) or ""))


def _by_component(properties: list[PropertyResult]) -> dict[str, list[PropertyResult]]:
    found: dict[str, list[PropertyResult]] = {}
    for result in properties:
        found.setdefault(result.component, []).append(result)
    return found


def _chapter(view: RuleView) -> tuple[str, str]:
    return view.result.id.rpartition("-")[0] or view.result.component.upper(), view.result.component
