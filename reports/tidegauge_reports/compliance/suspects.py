"""Cards of suspects: the page shows the suspects of a difference on one card, with its counterexample."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tidegauge.wire.results import Counterexample, Results, RuleResult, Suspect
from tidegauge.words.suspects import suspected_together, suspects_title

from .jobs import JobView, job_of


@dataclass(frozen=True)
class SuspectsView:
    """The card of one difference.

    Attributes:
        rules: the suspects whose verdict rests on this difference, the most plausible first. A rule that is
            suspect because of several differences is in one card only.
        anchor: the anchor of the card on the page.
        job: the job that shows the difference, if a job shows it.
    """

    rules: list[RuleResult]
    anchor: str
    job: JobView | None

    @property
    def title(self) -> str:
        """The heading, which names the suspects."""
        return suspects_title(self.rules[0])

    @property
    def suspects(self) -> list[Suspect]:
        """All suspects of the difference with their plausibility; empty if the plausibility is unknown."""
        return self.rules[0].suspects

    @property
    def example(self) -> Counterexample | None:
        """The counterexample that the suspects share."""
        return next((rule.counterexample for rule in self.rules if rule.counterexample is not None), None)


def suspects_views(
    results: Results, jobs: Mapping[str, JobView], anchor: Callable[[str], str]
) -> list[SuspectsView]:
    """Return the cards of a run. `anchor` makes an anchor on the page from a text."""
    views = []
    for rules in suspected_together(results):
        shown = next((name for rule in rules if (name := job_of(rule.counterexample))), "")
        views.append(SuspectsView(rules, anchor(f"suspects-{rules[0].id}"), jobs.get(shown)))
    return views
