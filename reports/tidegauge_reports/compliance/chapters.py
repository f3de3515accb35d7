"""The chapters of the page and their rules: failing ones come first."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from tidegauge.wire.results import (
    ACCUSED,
    KNOWN_DEVIATIONS,
    Counterexample,
    DeviationResult,
    RuleResult,
    counts_of,
)
from tidegauge.words.verdicts import SIGNS, Standing

from ..chapter_titles import chapter_title
from ..text import natural_key
from .jobs import JobView
from .suspects import SuspectsView

_FIRST = {*ACCUSED, "error", KNOWN_DEVIATIONS}
"""The kinds of rules that come first in their chapter."""


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
        leads: whether the counterexample of the rule is at the top of the page.
    """

    result: RuleResult
    anchor: str
    standing: Standing
    job: JobView | None
    deviation: DeviationResult | None
    card: SuspectsView | None
    leads: bool = False

    @property
    def example(self) -> Counterexample | None:
        """The counterexample to show under the rule; None if the page shows it elsewhere: on the card of a
        suspect, or at the top."""
        return None if self.card is not None or self.leads else self.result.counterexample

    @property
    def number(self) -> str:
        """The last part of the id: `3` of `VALVE-3`."""
        return self.result.id.rsplit("-", 1)[-1]


@dataclass(frozen=True)
class ChapterView:
    """The rules of a component, in natural order. `unexplained`: whether the component has a difference that
    no model explains."""

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
        """`root` if a rule is a root cause, `affected` if rules only fail downstream; otherwise empty."""
        places = {view.standing.place for view in self.rules}
        return "root" if "root" in places else "affected" if "affected" in places else ""

    @property
    def first_rules(self) -> list[RuleView]:
        """The rules that fail, are in error, or fail as a known deviation."""
        return [view for view in self.rules if view.standing.kind in _FIRST]

    @property
    def other_rules(self) -> list[RuleView]:
        """The rules that pass, are not tested or do not apply."""
        return [view for view in self.rules if view.standing.kind not in _FIRST]

    @property
    def fails(self) -> bool:
        """Whether a rule fails, is a suspect or is in error; the chapter is then open initially."""
        return any(self.counts[kind] for kind in _FIRST if kind != KNOWN_DEVIATIONS)

    @property
    def rank(self) -> int:
        """The sort key of the chapter: failing, known deviations only, others, not claimed."""
        return 0 if self.fails else 1 if self.first_rules else 2 if self.applies else 3


def chapter_views(
    views: Iterable[RuleView], anchor: Callable[[str], str], unexplained: set[str]
) -> list[ChapterView]:
    """Return the chapters in the order of the document. `anchor` turns a text into an anchor of the page."""
    return [
        ChapterView(
            name,
            component,
            anchor(f"chapter-{name}"),
            rules,
            counts_of_views(rules),
            component in unexplained,
        )
        for (name, component), group in groupby(views, _chapter)
        if (rules := sorted(group, key=_natural))
    ]


def counts_of_views(views: Iterable[RuleView]) -> dict[str, int]:
    """Return the number of rules of each kind, in display order."""
    counts = counts_of(view.result for view in views)
    return {kind: counts[kind] for kind in SIGNS}


def chapters_of(chapters: Iterable[ChapterView], views: Iterable[RuleView]) -> list[tuple[ChapterView, int]]:
    """Return the chapters of some rules, each with the number of these rules in it."""
    wanted = Counter(view.anchor for view in views)
    counted = [(chapter, sum(wanted[view.anchor] for view in chapter.rules)) for chapter in chapters]
    return [(chapter, number) for chapter, number in counted if number]


def _natural(view: RuleView) -> list[tuple[int, str]]:
    return natural_key(view.result.id)


def _chapter(view: RuleView) -> tuple[str, str]:
    return view.result.id.rpartition("-")[0] or view.result.component.upper(), view.result.component
