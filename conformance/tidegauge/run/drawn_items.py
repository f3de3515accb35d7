"""The scenarios of the items of a run with their expectations, drawn or known from an earlier run."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from tidegauge_reference import Policies

from ..components.within import component_within
from ..drawing.histories import Answered, drawn_histories
from ..judging.items.known_expectations import KnownExpectations
from ..judging.reference.oracle import expect, expect_each, expectation_of
from ..wire.scenario import Scenario
from ..wire.shapes import AnyShape, shape_of
from .items import scenarios_of
from .plan import PlannedItem
from .request import Request
from .scenario_cache import Drawn, Key, ScenarioCache, policies_of_key

_HISTORIES = ("random-histories", "properties", "interleaved")
"""The suites that share random scenarios. Each of them uses the first ones, in its own number."""

_HISTORIES_A_FILE = 1_000
_FILES_IN_MEMORY = 24
"""Enough for the random scenarios of two components at the default budget."""

_OF_AN_ITEM = ("state-cover", "scale")
"""The suites that have one cache file per item."""


class DrawnItems:
    """Draws the scenarios of items, or reads them from the cache.

    Args:
        request: the request of the run.
        policies: the policies under which scenarios are drawn.
        cache: the scenarios that earlier runs have drawn; None to draw all scenarios.
    """

    def __init__(self, request: Request, policies: Policies, cache: ScenarioCache | None) -> None:
        self.known = KnownExpectations()
        self._request = request
        self._policies = policies
        self._cache = cache
        self._file = lru_cache(maxsize=_FILES_IN_MEMORY)(self._histories_of_a_file)

    def of(self, item: PlannedItem, shapes: tuple[AnyShape, ...]) -> Sequence[Scenario]:
        """Return the scenarios of an item. `known` then has the expectations that are available without
        another run of the reference."""
        drawn = self._drawn(item, shapes)
        if drawn is None:
            self.known.keep((), ())
            return tuple(scenarios_of(item, self._request, self._policies, shapes))
        self.known.keep(drawn.scenarios, drawn.expectations)
        return drawn.scenarios

    def _drawn(self, item: PlannedItem, shapes: tuple[AnyShape, ...]) -> Drawn | None:
        """Return the scenarios of an item with their expectations; None if expectations save no time."""
        if self._cache is not None and item.suite in _HISTORIES:
            return self._histories(item, shape_of(item.component, shapes))
        if self._cache is not None and item.suite in _OF_AN_ITEM:
            return self._of_an_item(item, shapes, self._cache)
        if item.suite == "random-histories":
            component = component_within(item.component, shapes)
            answered = drawn_histories(component, self._request.seed, item.start, item.stop, self._policies)
            return _with_expectations(answered, self._policies)
        return None

    def _of_an_item(self, item: PlannedItem, shapes: tuple[AnyShape, ...], cache: ScenarioCache) -> Drawn:
        key = Key(
            component=item.component,
            suite=item.suite,
            name=item.name,
            start=item.start,
            stop=item.stop,
            shape=shape_of(item.component, shapes),
            policies=policies_of_key(self._policies),
            seed=None,
            budget=self._request.budget,
        )
        known = cache.read(key)
        if known is not None:
            return known
        scenarios = tuple(scenarios_of(item, self._request, self._policies, shapes))
        drawn = Drawn(scenarios, tuple(expect_each(scenarios, self._policies)))
        cache.write(key, drawn)
        return drawn

    def _histories(self, item: PlannedItem, shape: AnyShape | None) -> Drawn:
        numbers = range(item.start // _HISTORIES_A_FILE, -(-item.stop // _HISTORIES_A_FILE))
        files = [self._file(item.component, shape, number) for number in numbers]
        first = item.start % _HISTORIES_A_FILE
        wanted = slice(first, first + item.stop - item.start)
        return Drawn(
            tuple(chain.from_iterable(file.scenarios for file in files))[wanted],
            tuple(chain.from_iterable(file.expectations for file in files))[wanted],
        )

    def _histories_of_a_file(self, component: str, shape: AnyShape | None, number: int) -> Drawn:
        """Return the random scenarios of one file of the cache. A missing file is written."""
        assert self._cache is not None
        seed, start = self._request.seed, number * _HISTORIES_A_FILE
        key = Key(
            component=component,
            suite="random-histories",
            name="",
            start=start,
            stop=start + _HISTORIES_A_FILE,
            shape=shape,
            policies=policies_of_key(self._policies),
            seed=seed,
            budget=None,
        )
        known = self._cache.read(key)
        if known is not None:
            return known
        within = component_within(component, () if shape is None else (shape,))
        answered = drawn_histories(within, seed, key.start, key.stop, self._policies)
        drawn = _with_expectations(answered, self._policies)
        self._cache.write(key, drawn)
        return drawn


def _with_expectations(answered: Sequence[Answered], policies: Policies) -> Drawn:
    """Return drawn scenarios with their expectations. The reference runs again only for a scenario whose
    drawing has no answers."""
    return Drawn(
        tuple(one.scenario for one in answered),
        tuple(
            expect(one.scenario, policies) if one.answers is None else expectation_of(one.answers)
            for one in answered
        ),
    )
