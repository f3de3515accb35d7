"""The engines that the site shows: the shipped runs and those it is given; how each stands with a rule."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tidegauge.wire.results import KNOWN_DEVIATIONS, Results, RuleResult, counts_of
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import NOT_IN_RUN, SIGNS, Standing, standing

from ..readings import headline_of_reading, is_core, kind_of_reading, product_name, reading
from ..shipped import load_shipped
from ..text import short

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
    """A run that the site shows.

    Attributes:
        key: the name of its page.
        name: the name in tables: the product, and the profile if the product has several runs.
        results: the results of the run.
        shipped: whether it comes with Tidegauge.
    """

    key: str
    name: str
    results: Results
    shipped: bool

    @cached_property
    def conclusion(self) -> Conclusion:
        """What the run comes to."""
        return conclude(self.results)

    @property
    def product(self) -> str:
        """The product with its version, such as `Apache Flink 2.3.0`."""
        return product_name(self.results.implementation)

    @property
    def is_core(self) -> bool:
        """Whether the run is judged against the profile `core`, which all engines share."""
        return is_core(self.results)

    @property
    def reading(self) -> str:
        """The profile of the run in words."""
        return reading(self.results)

    @property
    def kind(self) -> str:
        """The kind of the conclusion; `own` if the engine conforms to its own profile."""
        return kind_of_reading(self.results, self.conclusion)

    @property
    def headline(self) -> str:
        """The headline of the run. If the engine conforms to its own profile, it names the profile."""
        return headline_of_reading(self.results, self.conclusion)

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


@dataclass(frozen=True)
class Card:
    """A product with its runs: runs against its own profile first, then runs against `core`."""

    product: str
    readings: tuple[Engine, ...]

    @property
    def has_core(self) -> bool:
        """Whether one of the runs is judged against the profile `core`."""
        return any(engine.is_core for engine in self.readings)


def engine_cards(engines: Iterable[Engine]) -> list[Card]:
    """Return a card for each product, in the order of the products' first runs."""
    by_product: dict[str, list[Engine]] = {}
    for engine in engines:
        by_product.setdefault(engine.product, []).append(engine)
    return [
        Card(product, tuple(sorted(readings, key=lambda engine: engine.is_core)))
        for product, readings in by_product.items()
    ]


def shipped_engines() -> tuple[Engine, ...]:
    """Return the engines that come with Tidegauge, runs with the budget `smoke` last. Raises `BadInput`."""
    runs = sorted(load_shipped().items(), key=lambda run: run[1].budget == "smoke")
    return _named((key, results, True) for key, results in runs)


def engines_with(given: Iterable[Results]) -> tuple[Engine, ...]:
    """The runs that are given, and behind them the shipped ones. Raises `BadInput`."""
    runs = ((f"run-{number}", results, False) for number, results in enumerate(given, start=1))
    return (*_named(runs), *shipped_engines())


def _named(runs: Iterable[tuple[str, Results, bool]]) -> tuple[Engine, ...]:
    """Return the runs with names. If a product has several runs, their names include the profiles."""
    runs = list(runs)
    products = [product_name(results.implementation) for _, results, _ in runs]
    return tuple(
        Engine(
            key, f"{product}, {results.profile}" if products.count(product) > 1 else product, results, shipped
        )
        for product, (key, results, shipped) in zip(products, runs, strict=True)
    )
