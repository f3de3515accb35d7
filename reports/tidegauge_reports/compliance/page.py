"""What the page shows, derived from a results document; the templates only lay it out."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from tidegauge.wire.results import ItemResult, PropertyResult, Results, kind_of
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.diagnosis import diagnosis_words, unexplained_words
from tidegauge.words.own_profile import choice_rows, own_profile_remark
from tidegauge.words.shapes import declared_rows, shapes_remark
from tidegauge.words.suspects import unexplained_components
from tidegauge.words.verdicts import UNFINISHED_OUTCOMES, known_deviations, standing

from ..readings import is_core
from ..text import short
from ..time_words import moment_of
from .chapters import ChapterView, RuleView, chapter_views, chapters_of, counts_of_views
from .diagnosis import DifferenceView, code_in_reasons, difference_views, without_code
from .errors import ErrorView, error_views
from .failures import FailureRow, FirstCounterexample, failure_rows, leading
from .jobs import JobView, job_of, job_views
from .suspects import SuspectsView, suspects_views

_RESERVED = (
    "tested",
    "map",
    "rules",
    "search",
    "deviations",
    "properties",
    "items",
    "jobs",
    "failures",
    "errors",
    "diagnosis",
    "suspects",
    "remarks",
    "first-counterexample",
)
_MANY = 400

FIRST_ANCHOR = "first-counterexample"
"""The anchor of the first counterexample on the page."""


@dataclass(frozen=True)
class Page:
    """All that the templates need.

    Attributes:
        counts: the number of rules of each kind, as in `counts_of`.
        diagnosis: the diagnosis in a sentence.
        differences: the rows of the table of the diagnosis.
        unexplained: a line for each component with unexplained scenarios.
        roots: the failing rules that are root causes.
        affected: the failing rules of parts that build on a failing part.
        suspects: a card for each difference with suspects.
        lead: the rule or card whose counterexample is at the top of the page.
        marks: the signs in the map that need to be explained.
        code: the pattern of the code of the reference that reasons can contain.
    """

    results: Results
    conclusion: Conclusion
    counts: dict[str, int]
    errors: list[ErrorView]
    diagnosis: str
    differences: list[DifferenceView]
    unexplained: list[str]
    chapters: list[ChapterView]
    roots: list[RuleView]
    affected: list[RuleView]
    suspects: list[SuspectsView]
    lead: RuleView | SuspectsView | None
    marks: dict[str, str]
    jobs: list[JobView]
    properties: dict[str, list[PropertyResult]]
    anchors: dict[str, str]
    unfinished: list[ItemResult]
    code: re.Pattern[str]

    @property
    def failing(self) -> list[RuleView]:
        """The failing rules, those at the root first."""
        return [*self.roots, *self.affected]

    @cached_property
    def first(self) -> FirstCounterexample | None:
        """The counterexample at the top of the page; None if there is none or a card of suspects is there."""
        return FirstCounterexample(self.lead, FIRST_ANCHOR) if isinstance(self.lead, RuleView) else None

    @property
    def other_cards(self) -> list[SuspectsView]:
        """The cards of suspects that are not at the top of the page."""
        return [card for card in self.suspects if card is not self.lead]

    @cached_property
    def failures(self) -> list[FailureRow]:
        """The rows of the table of failures. Failures that do not count against the engine have no row."""
        return failure_rows(self.roots, self.affected, _held(self.suspects))

    @property
    def first_failure(self) -> str:
        """The anchor of the first counterexample, otherwise of the first failure; empty if nothing fails."""
        return FIRST_ANCHOR if self.lead else self.first_open

    @property
    def first_open(self) -> str:
        """The anchor of the rule or card that is always open initially; empty if nothing fails."""
        return self.lead.anchor if self.lead else next((row.anchor for row in self.failures), "")

    @property
    def ordered_chapters(self) -> list[ChapterView]:
        """The chapters: failing ones first, chapters that the engine does not claim last."""
        return sorted(self.chapters, key=lambda chapter: chapter.rank)

    @property
    def about_the_engine(self) -> str:
        """The first sentence of the adapter's remark, which may be empty: that the engine is a mutant."""
        remark = self.results.implementation.remark.strip()
        first, dot, _ = remark.partition(". ")
        return short(f"{first}." if dot else remark, 240)

    @property
    def has_choices(self) -> bool:
        """Whether the run is judged against `core`, and the diagnosis names a choice of the engine."""
        return is_core(self.results) and any(view.kind == "choice" for view in self.differences)

    @property
    def started(self) -> str:
        """The start of the run, to the minute; the text of the document if it is not a time."""
        began = moment_of(self.results.started)
        return self.results.started if began is None else f"{began:%Y-%m-%d %H:%M} UTC"

    @property
    def violated(self) -> dict[str, list[PropertyResult]]:
        """The properties that are violated or in error, by component."""
        return _with_kind(self.properties, {"fail", "error"})

    @property
    def other_properties(self) -> dict[str, list[PropertyResult]]:
        """The properties that are neither violated nor in error, by component."""
        return _with_kind(self.properties, {"fail", "error"}, without=True)

    @cached_property
    def by_id(self) -> dict[str, RuleView]:
        """The rules of the page, by id."""
        return {view.result.id: view for view in self.views}

    def suspects_in(self, job: JobView) -> list[SuspectsView]:
        """Return the cards whose difference this job shows."""
        return [card for card in self.suspects if card.job is job]

    @property
    def differing_jobs(self) -> list[JobView]:
        """The jobs that break a rule, or show the difference of suspects."""
        return [job for job in self.jobs if job.broken or self.suspects_in(job)]

    @property
    def flaky(self) -> Counter[str]:
        """How many of the failing rules, and of the suspects, are known to be flaky."""
        return Counter(view.standing.kind for view in self.views if view.standing.place == "flaky")

    @property
    def views(self) -> list[RuleView]:
        """All rules, in the order of the document."""
        return [view for chapter in self.chapters for view in chapter.rules]

    @property
    def remarks(self) -> list[str]:
        """What qualifies the conclusion, without what the banner says elsewhere: of root and affected rules,
        of shapes, and of the profile of the engine's author."""
        begin = self.conclusion.begin if self.affected else ""
        own_profile = own_profile_remark(self.results)
        elsewhere = {begin, own_profile, shapes_remark(self.results.implementation)}
        return [remark for remark in self.conclusion.remarks if remark not in elsewhere]

    @property
    def declared(self) -> list[tuple[str, str, str]]:
        """Each shape, contract and choice that the engine's author declares: the kind, the component or
        policy, and the words."""
        rows, own = declared_rows(self.results.implementation), self.results.own_profile
        if own is None:
            return rows
        choices = [
            ("choice", policy, f"{value}, where {own.base} says {other}: {reason}")
            for policy, value, other, reason in choice_rows(own)
        ]
        return [*rows, *choices]

    @property
    def many(self) -> bool:
        """Whether there are so many rules that the page has to be light on the browser."""
        return len(self.results.rules) > _MANY

    @property
    def levels(self) -> list[str]:
        """The levels of the rules, as far as there are few."""
        return sorted({view.result.level for view in self.views})[:12]

    @property
    def components(self) -> dict[str, str]:
        """The chapter of each component."""
        return {chapter.component: chapter.name for chapter in self.chapters[:200]}

    def by_chapter(self, rows: Iterable[FailureRow]) -> list[tuple[ChapterView, int]]:
        """Return the chapters of some rows, each with the number of these rows in it."""
        anchors = {row.anchor for row in rows}
        return chapters_of(self.chapters, [view for view in self.views if view.anchor in anchors])

    def plain(self, reason: str) -> str:
        """Return a reason without code of the reference."""
        return without_code(reason, self.code)


def build_page(results: Results) -> Page:
    """The page of a results document."""
    anchor = _anchors()
    anchors = [anchor(rule.id) for rule in results.rules]
    jobs = job_views(results.jobs, results.rules, anchor)
    known = known_deviations(results)
    suspects = suspects_views(results, jobs, anchor)
    cards = {rule.id: card for card in suspects for rule in card.rules}
    views = [
        RuleView(
            rule,
            place,
            standing(rule),
            jobs.get(job_of(rule.counterexample) or ""),
            known.get(rule.id),
            cards.get(rule.id),
        )
        for rule, place in zip(results.rules, anchors, strict=True)
    ]
    lead = leading(_at(views, "root"), _at(views, "affected"), _held(suspects))
    views = [replace(view, leads=view is lead) for view in views]
    if isinstance(lead, RuleView):
        lead = replace(lead, leads=True)
    chapters = chapter_views(views, anchor, unexplained_components(results))
    views = [view for chapter in chapters for view in chapter.rules]
    code = code_in_reasons(results)
    return Page(
        results=results,
        conclusion=conclude(results),
        counts=counts_of_views(views),
        errors=error_views(results.errors),
        diagnosis=without_code(diagnosis_words(results), code),
        differences=difference_views(results),
        unexplained=unexplained_words(results),
        chapters=chapters,
        roots=_at(views, "root"),
        affected=_at(views, "affected"),
        suspects=suspects,
        lead=lead,
        marks=dict(note for view in views for note in view.standing.notes),
        jobs=list(jobs.values()),
        properties=_by_component(results.properties),
        anchors={view.result.id: view.anchor for view in views},
        unfinished=[item for item in results.items if item.outcome in UNFINISHED_OUTCOMES],
        code=code,
    )


def _at(views: Iterable[RuleView], place: str) -> list[RuleView]:
    return [view for view in views if view.standing.place == place]


def _held(cards: Iterable[SuspectsView]) -> list[SuspectsView]:
    """Return the cards that count against the engine: those that are not known to be flaky."""
    return [card for card in cards if card.rules[0].flaky is None]


def _anchors() -> Callable[[str], str]:
    """Makes a place on the page from a text, another one each time."""
    taken: set[str] = set(_RESERVED)
    numbers: dict[str, count[int]] = {}

    def anchor(text: str) -> str:
        wanted = found = re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:60] or "rule"
        while found in taken:
            found = f"{wanted}-again-{next(numbers.setdefault(wanted, count(1)))}"
        taken.add(found)
        return found

    return anchor


def _by_component(properties: list[PropertyResult]) -> dict[str, list[PropertyResult]]:
    found: dict[str, list[PropertyResult]] = {}
    for result in properties:
        found.setdefault(result.component, []).append(result)
    return found


def _with_kind(
    properties: dict[str, list[PropertyResult]], kinds: set[str], without: bool = False
) -> dict[str, list[PropertyResult]]:
    """Return the properties of these kinds, or all others. Components without such properties are omitted."""
    chosen = {
        component: [result for result in found if (kind_of(result) in kinds) is not without]
        for component, found in properties.items()
    }
    return {component: found for component, found in chosen.items() if found}
