"""The failures at the top of the page: the first counterexample, and a table with a row for each failure."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegauge.wire.results import Counterexample
from tidegauge.words.evidence import STANDS_OUT
from tidegauge.words.suspects import SUSPECTS

from .chapters import RuleView
from .suspects import SuspectsView

Failure = RuleView | SuspectsView


@dataclass(frozen=True)
class FirstCounterexample:
    """The counterexample at the top of the page. The section of its rule only links to it."""

    rule: RuleView
    anchor: str

    @property
    def example(self) -> Counterexample | None:
        """The counterexample of the rule; never None, since `leading` selects rules with counterexamples."""
        return self.rule.result.counterexample


@dataclass(frozen=True)
class FailureRow:
    """A row of the table of failures: a rule, or the suspects of one difference.

    Attributes:
        group: the heading above the rows of the same kind; empty if the table has only one kind.
        anchor: the anchor of the rule or card on the page.
        id: the id of the rule; empty for suspects, whose ids are in `title`.
        title: the title of the rule or card.
        note: a remark on the failure; empty if there is none.
        example: the counterexample, if there is one.
        reason: the text to show if there is no counterexample.
    """

    group: str
    anchor: str
    id: str
    title: str
    note: str
    example: Counterexample | None
    reason: str


def leading(
    roots: Sequence[RuleView], affected: Sequence[RuleView], cards: Sequence[SuspectsView]
) -> Failure | None:
    """Return the failure whose counterexample is shown first; None if no failure has a counterexample.

    It is a root cause if a root cause has a counterexample, otherwise a downstream failure, otherwise a card
    of suspects. Within its group, a counterexample with steps comes first, since only steps are drawn.
    """
    groups: tuple[Sequence[Failure], ...] = (roots, affected, cards)
    for group in groups:
        with_example = [failure for failure in group if failure.example]
        with_steps = [failure for failure in with_example if failure.example and failure.example.steps]
        if with_example:
            return [*with_steps, *with_example][0]
    return None


def failure_rows(
    roots: Sequence[RuleView], affected: Sequence[RuleView], cards: Sequence[SuspectsView]
) -> list[FailureRow]:
    """Return the rows: root causes, downstream failures, then suspects."""
    first = "Root cause: start here" if affected else "Failing rules" if cards else ""
    what = "it" if len(roots) == 1 else "what fails"
    second = f"Downstream failures: parts that build on {what}"
    return [
        *(_row_of_rule(view, first) for view in roots),
        *(_row_of_rule(view, second) for view in affected),
        *(_row_of_card(card, SUSPECTS if roots or affected else "") for card in cards),
    ]


def _row_of_rule(view: RuleView, group: str) -> FailureRow:
    rule = view.result
    note = STANDS_OUT if rule.suspected else ""
    return FailureRow(
        group=group,
        anchor=view.anchor,
        id=rule.id,
        title=rule.title,
        note=note,
        example=rule.counterexample,
        reason=rule.reason,
    )


def _row_of_card(card: SuspectsView, group: str) -> FailureRow:
    return FailureRow(
        group=group,
        anchor=card.anchor,
        id="",
        title=card.title,
        note="",
        example=card.example,
        reason=card.rules[0].reason,
    )
