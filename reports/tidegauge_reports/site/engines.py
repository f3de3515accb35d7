"""The engines that the site shows: the shipped runs and those it is given; how each stands with a rule."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tidegauge.wire.results import KNOWN_DEVIATIONS, Results, RuleResult, counts_of
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import NOT_IN_RUN, SIGNS, Standing, standing

from ..shipped import load_shipped
from ..text import short

_LONGEST_NAME = 40


ABSENT = Standing("absent", *NOT_IN_RUN)
"""Of a rule that a run says nothing about."""


@dataclass(frozen=True)
class Exercise:
    """How often a run has exercised a rule, in parts that agree with the specification: `scenarios` and
    `steps` in which it decided, and `checks` of properties that speak for it."""

    scenarios: int
    steps: int
    checks: int

    @property
    def words(self) -> str:
        """The number that says most: scenarios, or checks of whole jobs, or that it never was."""
        if self.scenarios:
            return counted(self.scenarios, "scenario")
        return counted(self.checks, "check") if self.checks else "never"


@dataclass(frozen=True)
class Engine:
    """A run that the site shows. `key` names its page; `shipped`: it comes with Tidegauge."""

    key: str
    name: str
    results: Results
    shipped: bool

    @cached_property
    def conclusion(self) -> Conclusion:
        """What the run comes to."""
        return conclude(self.results)

    @property
    def date(self) -> str:
        """The day of the run."""
        return short(self.results.started[:10], 10)

    @cached_property
    def _rules(self) -> dict[str, RuleResult]:
        return {rule.id: rule for rule in self.results.rules}

    def result(self, rule: str) -> RuleResult | None:
        """What the run says about a rule; None if nothing."""
        return self._rules.get(rule)

    def standing(self, rule: str) -> Standing:
        """How the engine stands with a rule."""
        result = self.result(rule)
        return ABSENT if result is None else standing(result)

    @cached_property
    def _checks(self) -> Counter[str]:
        checks: Counter[str] = Counter()
        for found in self.results.properties:
            for rule in dict.fromkeys(found.rules):
                checks[rule] += found.checked
        return checks

    def exercise(self, rule: str) -> Exercise | None:
        """How often the run has exercised a rule; None if it says nothing about it."""
        result = self.result(rule)
        return None if result is None else Exercise(result.scenarios, result.steps, self._checks[rule])

    def counts(self, rules: Iterable[str]) -> list[tuple[Standing, int]]:
        """How many of these rules are of each kind, and how many are not in the run; the worst first."""
        found = [self.result(rule) for rule in rules]
        counts = counts_of(result for result in found if result is not None)
        entries = [(Standing(kind, *SIGNS[kind]), counts[kind]) for kind in _WORST_FIRST]
        return [entry for entry in (*entries, (ABSENT, found.count(None))) if entry[1]]


_WORST_FIRST = ("error", "fail", "suspect", KNOWN_DEVIATIONS, "not-tested", "pass", "not-applicable")


def shipped_engines() -> tuple[Engine, ...]:
    """The engines that come with Tidegauge. Raises `BadInput`."""
    return tuple(Engine(name, name, results, True) for name, results in load_shipped().items())


def engines_with(given: Iterable[Results]) -> tuple[Engine, ...]:
    """The runs that are given, and behind them the shipped ones. Raises `BadInput`."""
    runs = (
        Engine(f"run-{number}", _name_of(results), results, False)
        for number, results in enumerate(given, start=1)
    )
    return (*runs, *shipped_engines())


def _name_of(results: Results) -> str:
    return short(results.implementation.name, _LONGEST_NAME) or "unnamed"
