"""The rules that cannot be broken within the shape of an engine: none of their mutants shows there."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.outside import outside
from ...drawing.shape_sample import shape_sample
from ...vectors.published import load_vectors
from ...wire.scenario import Scenario
from ..changes.change import Change, named_changes
from ..items.judge import rules_named
from .model import Model, model_of

_UNKNOWN = "features that the engine lacks"


@lru_cache(maxsize=16)
def rules_outside(
    component: Component, policies: Policies, claims: frozenset[str], rules: tuple[str, ...]
) -> Mapping[str, str]:
    """Return the rules that decide nothing within the shape of a component, each with the feature that the
    shape lacks.

    A rule with mutants lies outside the shape if none of them shows in the fixed sample of the shape. A rule
    without mutants lies outside if it decides in no scenario of the sample; so does any rule that decides in
    golden vectors, but in no scenario of the sample: the mutants that show there break other rules, too. The
    scenarios that a run draws do not matter.

    Args:
        component: the component, narrowed to the declared shape. Without a shape no rule lies outside.
        policies: the policies of the reference.
        claims: the capabilities that the engine claims.
        rules: the ids of the rules that are judged in the component.
    """
    if component.shape is None:
        return {}
    small, large = shape_sample(component, policies, claims)
    reference = Model(component, policies)
    try:
        decided = _decided(reference, small)
        only_outside = _decided(reference, (each.scenario for each in load_vectors(component.name))) - decided
        expected = cache(reference.play)
        mutants: dict[str, list[Change]] = {}
        for change in named_changes(component.name):
            for rule in change.rules:
                mutants.setdefault(rule, []).append(change)

        @cache
        def shows(change: Change) -> bool:
            with model_of(component, policies, [change]) as mutant:
                return mutant is not None and any(
                    mutant.play(scenario) != expected(scenario)
                    for scenario in (large if change.scale else small)
                )

        return {
            rule: _lacking(component, rule)
            for rule in rules
            if rule in only_outside
            or not (any(map(shows, mutants[rule])) if rule in mutants else rule in decided)
        }
    finally:
        reference.close()


def _decided(reference: Model, scenarios: Iterable[Scenario]) -> set[str]:
    """Return the rules that decide in scenarios."""
    return set(rules_named(chain.from_iterable(chain.from_iterable(map(reference.cited, scenarios)))))


def _lacking(component: Component, rule: str) -> str:
    """Return the feature that most of the golden vectors of a rule need and that the shape lacks."""
    vectors = (vector.scenario for vector in load_vectors(component.name) if rule in vector.rules)
    features = Counter(
        lacking for scenario in vectors if (lacking := outside(component, scenario.setup, scenario.history))
    )
    return features.most_common(1)[0][0] if features else _UNKNOWN
