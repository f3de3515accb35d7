"""One mutant against the suites, until it is detected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..engine.limits import NoAnswer
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport
from ..judging.items.judge import Judgement
from ..judging.items.merged import merged, silent_components
from ..judging.items.shrinker import Effort
from ..judging.jobs.accusations import job_accusations
from ..judging.reference.oracle import Expectation
from ..run.plan import PlannedItem
from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript
from .arena import Arena
from .engine import WrongEngine

SUSPECTS = 3
"""So many rules may be named before the right one."""

_EFFORT = Effort(rounds=50, steps=30_000)


class Finding(Struct, frozen=True):
    """What the suites found: the item in which a scenario failed first, and how many had been judged then,
    that one included; the item after which a broken rule was in error or among the first suspects (`rank`,
    from 1), or those suspects if none was; the steps of the smallest failing history. `silent`: the engine
    output nothing at all, and so fails every rule it claims. `answers`: False if it came to no end in that
    item. `in_error`: a rule that it breaks is in error."""

    failed_in: str | None = None
    scenarios: int = 0
    blamed_in: str | None = None
    rank: int | None = None
    shrunk_steps: int | None = None
    suspects: tuple[str, ...] = ()
    silent: bool = False
    answers: bool = True
    in_error: bool = False

    @property
    def failed(self) -> bool:
        """Whether a scenario failed, or the engine came to no end."""
        return self.failed_in is not None or not self.answers

    @property
    def settled(self) -> bool:
        """Whether the engine was laid to a rule that it breaks, fails all of them, or comes to no end."""
        return self.blamed_in is not None or not self.answers


class Trial:
    """A mutant's way through the items; `rules` are those it breaks."""

    def __init__(self, arena: Arena, engine: WrongEngine, rules: Sequence[str]) -> None:
        self.arena, self.engine, self.rules = arena, engine, rules
        self.examiner = _Watching(arena, engine)
        self.reports: list[ItemReport] = []
        self.finding = Finding()

    def with_seed(self, arena: Arena) -> Trial:
        """The same trial so far, which goes on with another arena."""
        other = Trial(arena, self.engine, self.rules)
        other.reports, other.finding = list(self.reports), self.finding
        other.examiner.judged_before = self.examiner.judged_before
        return other

    def go_on(self, suites: tuple[str, ...], patience: int | None = None) -> Finding:
        """Put the engine through the items of `suites`, until a rule it breaks is suspected, or `patience`
        scenarios after one has failed."""
        for portion in () if self.finding.settled else self.arena.portions(suites):
            try:
                report = self._report(portion)
            except NoAnswer:
                failed_in = self.finding.failed_in or portion.id
                self.finding = replace(self.finding, failed_in=failed_in, answers=False)
                break
            self.reports.append(report)
            self.finding = self._finding(portion.id, report)
            if self.finding.settled:
                break
            overdue = self.examiner.judged_before - self.finding.scenarios
            if self.finding.failed_in is not None and patience is not None and overdue >= patience:
                break
        return self.finding

    def _report(self, portion: PlannedItem) -> ItemReport:
        """What a portion finds: in an engine that outputs just what the reference does the same as there."""
        passed = self.arena.passed(portion)
        if passed is not None and all(self.engine.answers_alike(*run) for run in passed.runs):
            return passed.report
        report = ItemReport(portion.id, portion.component)
        self.arena.examine(portion, self.examiner, report)
        return report

    def _finding(self, item: str, report: ItemReport) -> Finding:
        """The finding after one more report."""
        before, failed_in, scenarios = self.finding, self.finding.failed_in, self.finding.scenarios
        if failed_in is None:
            scenarios = self.examiner.judged_before + report.scenarios
            if report.failing or report.unanswered:
                failed_in, scenarios = item, self.examiner.first_failing or scenarios
        self.examiner.judged_before += report.scenarios
        if failed_in is None:
            return Finding(scenarios=scenarios)
        failures = [failure for one in self.reports for failure in one.failures]
        suspects = _suspects(self.reports)
        ranks = [found.index(rule) + 1 for found in suspects for rule in self.rules if rule in found]
        silent = not self.rules and bool(silent_components(self.reports))
        errors = (error for one in self.reports for error in one.errors.values())
        in_error = any(rule in error.rules for error in errors for rule in self.rules)
        return Finding(
            failed_in=failed_in,
            scenarios=scenarios,
            blamed_in=item if ranks or silent or in_error else before.blamed_in,
            rank=min(ranks, default=None),
            shrunk_steps=min((len(failure.scenario.history) for failure in failures), default=None),
            suspects=tuple(dict.fromkeys(rule for found in suspects for rule in found)),
            silent=silent,
            in_error=in_error,
        )


def _suspects(reports: Sequence[ItemReport]) -> list[list[str]]:
    """Return the first suspects of each failure, and of each accusation of jobs."""
    findings = merged(reports)
    suspects = [[rule for rule, _ in findings.spectrum.suspects(one.cited)] for one in findings.failures]
    suspects += [list(accusation.rules) for accusation in job_accusations(findings)]
    return [rules[:SUSPECTS] for rules in suspects]


class _Watching(Examiner):
    """An examiner that knows what the reference says of the arena's scenarios, and notes which of those
    judged was the first to fail."""

    def __init__(self, arena: Arena, engine: WrongEngine) -> None:
        super().__init__(engine, engine.describe(), arena.policies, effort=_EFFORT)
        self.arena = arena
        self.judged_before = 0
        self.first_failing: int | None = None

    def expected(self, scenario: Scenario) -> Expectation:
        """What the reference says, as the arena remembers it."""
        return self.arena.expected(scenario)

    def expectations(self, scenarios: Sequence[Scenario]) -> Iterator[Expectation]:
        """The same of each scenario."""
        return map(self.expected, scenarios)

    def judged(
        self, scenarios: Sequence[Scenario], published: Mapping[str, list[Outputs] | None] | None = None
    ) -> list[tuple[Judgement, Transcript | None]]:
        """As it is, noting the first that diverges."""
        answers = super().judged(scenarios, published)
        if self.first_failing is None:
            for number, (judgement, _) in enumerate(answers, 1):
                if not judgement.agrees:
                    self.first_failing = self.judged_before + number
                    break
        return answers
