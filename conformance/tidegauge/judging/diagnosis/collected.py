"""The evidence in what the items of a run found: scenarios are drawn again by their places."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from tidegauge_reference import Policies

from ...components.registry import COMPONENTS
from ...components.within import component_within
from ...vectors.published import Vector
from ...wire.scenario import Scenario, component_of
from ...wire.shapes import AnyShape
from ...wire.transcript import Observation, canonical
from ..changes.change import known
from ..items.item_report import ItemReport, SeenViolation
from ..items.merged import merged, silent_components
from ..reference.deviations import Deviation
from .evidence import Difference, Evidence, Violation

_STRIDE = 0.6180339887498949
"""Scenarios are taken in an order that mixes all of them: by the fractional part of multiples of this."""


@dataclass(frozen=True)
class Compared:
    """An item whose scenarios were compared: how to draw that at a place again, what it found, and of
    scenarios of scale the kind at each place."""

    report: ItemReport
    suite: str
    at: Callable[[int], Scenario]
    kinds: Sequence[str] = ()


class _Drawn(Sequence[Scenario]):
    """Scenarios that are drawn when somebody looks at them."""

    def __init__(self, places: Sequence[tuple[Compared, int]]) -> None:
        self._places = places
        self._known: dict[int, Scenario] = {}

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Scenario: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Scenario]: ...

    def __getitem__(self, index: int | slice) -> Scenario | Sequence[Scenario]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not 0 <= index < len(self._places):
            raise IndexError(index)
        if index not in self._known:
            item, place = self._places[index]
            self._known[index] = item.at(place)
        return self._known[index]


def evidence_of(
    component: str,
    compared: Sequence[Compared],
    reports: Sequence[ItemReport],
    policies: Policies,
    deviations: Sequence[Deviation],
    observes: Observation,
    vectors: Iterable[Vector],
    stated: Policies | None,
    claims: frozenset[str] = frozenset(),
    drawn: tuple[AnyShape, ...] = (),
    declared: tuple[AnyShape, ...] = (),
) -> Evidence:
    """Return the evidence of a component.

    Args:
        component: the name of the component.
        compared: the items whose scenarios can be drawn again.
        reports: the reports of all items of the component, including those in `compared`.
        policies: the policies of the reference with which the engine is compared.
        deviations: the known deviations of the engine.
        observes: how often outputs can be observed.
        vectors: the golden vectors.
        stated: the policies that the engine declares; None if it declares none.
        claims: the capabilities that the engine claims.
        drawn: the shapes within which scenarios are drawn.
        declared: the shapes that the engine declares.
    """
    findings = merged(reports)
    by_hand_first = sorted(compared, key=lambda item: item.suite != "vectors")
    return Evidence(
        component=component_within(component, drawn),
        policies=policies,
        known=known(deviations),
        observes=observes,
        agreeing=_Drawn(_agreeing([item for item in compared if item.suite != "scale"])),
        differing=_differing(reports),
        vectors={vector.id: vector.rules for vector in vectors if component_of(vector.scenario) == component},
        violations=[_violation(component, one) for report in reports for one in report.violations],
        unanswered=_summed(error.rules for report in reports for error in report.errors.values()),
        decided=findings.spectrum.passed,
        differ=findings.failing,
        silent=component in silent_components(reports),
        unreached=_summed(error.unreached for report in reports for error in report.errors.values()),
        beyond=_Drawn([(item, place) for item in by_hand_first for place in item.report.beyond]),
        hidden=_Drawn([(item, place) for item in by_hand_first for place in item.report.hidden]),
        why_hidden=findings.left_out.hidden,
        stated=stated,
        large=_large([item for item in compared if item.suite == "scale"]),
        smallest=_smallest(reports),
        claims=claims,
        declared=component_within(component, declared),
    )


def _large(compared: Sequence[Compared]) -> dict[str, _Drawn]:
    """The scenarios of scale that agree, by their kind."""
    places: dict[str, list[tuple[Compared, int]]] = {}
    for item, place in _those_that_agree(compared):
        places.setdefault(item.kinds[place], []).append((item, place))
    return {kind: _Drawn(those) for kind, those in places.items()}


def _agreeing(compared: Sequence[Compared]) -> list[tuple[Compared, int]]:
    """The places of the scenarios that agree, those by hand first, the others mixed."""
    by_hand: list[tuple[Compared, int]] = []
    drawn: list[tuple[Compared, int]] = []
    for item in compared:
        (by_hand if item.suite == "vectors" else drawn).extend(_those_that_agree([item]))
    mixed = sorted(range(len(drawn)), key=lambda number: number * _STRIDE % 1)
    return by_hand + [drawn[number] for number in mixed]


def _those_that_agree(compared: Sequence[Compared]) -> list[tuple[Compared, int]]:
    apart = [set(item.report.apart) for item in compared]
    return [
        (item, place)
        for item, differing in zip(compared, apart, strict=True)
        for place in item.report.ran
        if place not in differing
    ]


def _differing(reports: Sequence[ItemReport]) -> list[Difference]:
    found: dict[str, Difference] = {}
    for report in reports:
        for one in report.differences:
            outputs = tuple(map(canonical, one.transcript.outputs))
            found.setdefault(one.scenario.id, Difference(one.scenario, outputs, one.at))
    return list(found.values())


def _smallest(reports: Sequence[ItemReport]) -> list[Difference]:
    """Return each minimal counterexample once. The place of its first difference is not known yet: `at` is
    0."""
    smallest: dict[object, Difference] = {}
    for failure in (failure for report in reports for failure in report.failures):
        if failure.transcript is not None and failure.deterministic:
            outputs = tuple(map(canonical, failure.transcript.outputs))
            scenario = failure.scenario
            smallest.setdefault((scenario.setup, scenario.history), Difference(scenario, outputs, 0))
    return list(smallest.values())


def _violation(component: str, seen: SeenViolation) -> Violation:
    properties = {one.name: one for one in COMPONENTS[component].properties}
    return Violation(properties[seen.property], tuple(seen.family), tuple(seen.transcripts))


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for rule, number in one.items():
            total[rule] = total.get(rule, 0) + number
    return total
