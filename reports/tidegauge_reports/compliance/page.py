"""What the page shows, derived from a results document; the templates only lay it out."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import count, groupby

from tidegauge.wire.results import (
    Counterexample,
    DeviationResult,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    Term,
    counts_of,
)
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.diagnosis import diagnosis_words, model_words
from tidegauge.words.own_profile import choice_rows, own_profile_remark
from tidegauge.words.shapes import declared_rows, shapes_remark
from tidegauge.words.suspects import unexplained_components
from tidegauge.words.verdicts import SIGNS, UNFINISHED_OUTCOMES, Standing, known_deviations, standing

from ..chapter_titles import chapter_title
from .errors import ErrorView, error_views
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
)
_MOST_ROOTS = 8
_FEW_ROOTS = 4
_MANY = 400
_MOST_MODELS = 40
_MOST_TERMS = 7


@dataclass(frozen=True)
class RuleView:
    """A rule on the page.

    Attributes:
        result: the result of the rule.
        anchor: the anchor of the rule on the page.
        standing: the verdict in words, and whether it is held against the engine.
        job: the job that breaks the rule, if there is one.
        deviation: the known deviation that concerns the rule, if there is one.
        card: the card of the rule if it is a suspect.
    """

    result: RuleResult
    anchor: str
    standing: Standing
    job: JobView | None
    deviation: DeviationResult | None
    card: SuspectsView | None

    @property
    def example(self) -> Counterexample | None:
        """The counterexample to show under the rule; None for a suspect, whose card shows it."""
        return None if self.card is not None else self.result.counterexample

    @property
    def number(self) -> str:
        """The last part of the id: `3` of `VALVE-3`."""
        return self.result.id.rsplit("-", 1)[-1]


@dataclass(frozen=True)
class ChapterView:
    """The rules of a component, in the order of the document. `unexplained`: whether the component has a
    difference that no model explains."""

    name: str
    component: str
    anchor: str
    rules: list[RuleView]
    counts: dict[str, int]
    unexplained: bool

    @property
    def title(self) -> str:
        """What the chapter is about."""
        return chapter_title(self.component)

    @property
    def applies(self) -> bool:
        """Whether any of its rules applies to the engine."""
        return self.counts["not-applicable"] < len(self.rules)

    @property
    def place(self) -> str:
        """Where the chapter stands: at the root of failures, only affected by others, or neither."""
        places = {view.standing.place for view in self.rules}
        return "root" if "root" in places else "affected" if "affected" in places else ""


@dataclass(frozen=True)
class ModelView:
    """What a component behaves as, in a line, and the parts of that model."""

    said: str
    terms: list[Term]


@dataclass(frozen=True)
class Page:
    """All that the templates need.

    `roots` and `affected` are the rules whose failure is held against the engine: root causes, and rules that
    build on what fails. `suspects` has a card for each difference with suspects. `counts` are those of
    `counts_of`. `marks` are the signs in the map that need to be explained. `diagnosis` says in a sentence
    what the engine behaves as, `models` what each component behaves as.
    """

    results: Results
    conclusion: Conclusion
    counts: dict[str, int]
    errors: list[ErrorView]
    diagnosis: str
    models: list[ModelView]
    chapters: list[ChapterView]
    roots: list[RuleView]
    affected: list[RuleView]
    suspects: list[SuspectsView]
    marks: dict[str, str]
    jobs: list[JobView]
    properties: dict[str, list[PropertyResult]]
    anchors: dict[str, str]
    unfinished: list[ItemResult]

    @property
    def failing(self) -> list[RuleView]:
        """The failing rules, those at the root first."""
        return [*self.roots, *self.affected]

    @property
    def first_failure(self) -> str:
        """The anchor of the first failing rule, else of the first card of suspects; empty if none. What is
        not held against the engine does not count."""
        cards = [card.anchor for card in self.suspects if card.rules[0].flaky is None]
        anchors = [*(view.anchor for view in self.failing), *cards]
        return next(iter(anchors), "")

    @cached_property
    def by_id(self) -> dict[str, RuleView]:
        """The rules of the page, by id."""
        return {view.result.id: view for view in self.views}

    def suspects_in(self, job: JobView) -> list[SuspectsView]:
        """Return the cards whose difference this job shows."""
        return [card for card in self.suspects if card.job is job]

    @property
    def first_roots(self) -> list[RuleView]:
        """The roots that the banner shows: all if there are few, else the first ones of the chapters."""
        if len(self.roots) <= _MOST_ROOTS:
            return self.roots
        first: dict[str, RuleView] = {}
        for view in self.roots:
            first.setdefault(view.result.component, view)
        chosen = list(first.values())[:_MOST_ROOTS]
        others = [view for view in self.roots if view not in chosen]
        return [*chosen, *others[: max(0, _FEW_ROOTS - len(chosen))]]

    @property
    def other_roots(self) -> list[RuleView]:
        """The roots that the banner does not show."""
        shown = {view.anchor for view in self.first_roots}
        return [view for view in self.roots if view.anchor not in shown]

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

    def by_chapter(self, views: Iterable[RuleView]) -> list[tuple[ChapterView, int]]:
        """The chapters that rules belong to, each with how many of these belong to it."""
        wanted = Counter(view.anchor for view in views)
        counted = [(chapter, sum(wanted[view.anchor] for view in chapter.rules)) for chapter in self.chapters]
        return [(chapter, number) for chapter, number in counted if number]


def build_page(results: Results) -> Page:
    """The page of a results document."""
    anchor = _anchors()
    anchors = [anchor(rule.id) for rule in results.rules]
    jobs = job_views(results.jobs, results.rules, anchor)
    known = known_deviations(results)
    suspects = suspects_views(results, jobs, anchor)
    cards = {rule.id: card for card in suspects for rule in card.rules}
    unexplained = unexplained_components(results)
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
    return Page(
        results=results,
        conclusion=conclude(results),
        counts=_counts(views),
        errors=error_views(results.errors),
        diagnosis=diagnosis_words(results),
        models=[
            ModelView(said, found.model[:_MOST_TERMS])
            for found in results.components[:_MOST_MODELS]
            if (said := model_words(found))
        ],
        chapters=[
            ChapterView(
                name,
                component,
                anchor(f"chapter-{name}"),
                rules,
                _counts(rules),
                component in unexplained,
            )
            for (name, component), group in groupby(views, _chapter)
            if (rules := list(group))
        ],
        roots=[view for view in views if view.standing.place == "root"],
        affected=[view for view in views if view.standing.place == "affected"],
        suspects=suspects,
        marks=dict(note for view in views for note in view.standing.notes),
        jobs=list(jobs.values()),
        properties=_by_component(results.properties),
        anchors={view.result.id: view.anchor for view in views},
        unfinished=[item for item in results.items if item.outcome in UNFINISHED_OUTCOMES],
    )


def _counts(views: Iterable[RuleView]) -> dict[str, int]:
    """How many rules are of each kind, in the order in which kinds show."""
    counts = counts_of(view.result for view in views)
    return {kind: counts[kind] for kind in SIGNS}


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


def _chapter(view: RuleView) -> tuple[str, str]:
    return view.result.id.rpartition("-")[0] or view.result.component.upper(), view.result.component
