"""A sample of scenarios of a component, and the evidence that it yields about an engine, which is a changed
copy of the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from tidegauge_reference import CORE

from ..components.component import Component
from ..components.outside import outside
from ..components.property import Property
from ..components.registry import COMPONENTS
from ..components.within import within
from ..drawing.cover import state_cover
from ..drawing.histories import draw_history
from ..drawing.scale import scale_scenarios
from ..judging.diagnosis.evidence import Difference, Evidence, Violation, first_difference
from ..judging.diagnosis.kinds import by_kind
from ..judging.diagnosis.model import Model, Played
from ..judging.diagnosis.trial import Answers
from ..judging.items.examination import with_variants
from ..judging.items.kinds import Kind, kind_of
from ..judging.items.shrinker import Effort, shrink
from ..vectors.published import load_vectors
from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .shapes import SHAPES_MEASURED

_COVERED = 900
"""About the number of scenarios from state covers."""

_DRAWN = 1_200
"""The number of random scenarios."""

_OF_A_KIND = 3
"""Largest number of scenarios that are shrunk for each kind of difference."""

_EFFORT = Effort(rounds=50, steps=20_000)
"""The limit of work for shrinking one scenario."""

_EVERY = 9
"""Properties are checked on the golden vectors and on every ninth of the other scenarios."""


@dataclass(frozen=True)
class Sample:
    """The scenarios with which the engines of a component are judged.

    Attributes:
        component: the component.
        scenarios: the scenarios.
        expected: the outputs of the reference in each scenario.
        cited: the decisions of the reference in each scenario.
        vectors: the rules that each golden vector is about, by the id of the vector.
        families: the properties, each with a scenario and its variants.
    """

    component: Component
    scenarios: list[Scenario]
    expected: list[Played]
    cited: list[frozenset[str]]
    vectors: dict[str, tuple[str, ...]]
    families: list[tuple[Property, tuple[Scenario, ...]]]


@cache
def sample_of(name: str, scale: bool = False, shape: str = "") -> Sample:
    """Return the sample of a component under the profile `core`: golden vectors, a part of the state covers,
    and random scenarios. With `scale`, the sample includes scenarios of scale; with a `shape`, all scenarios
    lie within that shape of `SHAPES_MEASURED`."""
    component = within(COMPONENTS[name], SHAPES_MEASURED[shape]) if shape else COMPONENTS[name]
    vectors = [vector for vector in load_vectors(name) if not _outside(component, vector.scenario)]
    scenarios: list[Scenario] = [vector.scenario for vector in vectors]
    scopes = [state_cover(component, scope.name, CORE) for scope in component.covers.get("default", ())]
    for cover in scopes:
        stride = max(1, len(cover) // (_COVERED // len(scopes))) | 1
        scenarios += [cover.scenario(index) for index in range(0, len(cover), stride)]
    scenarios += [draw_history(component, 1, index, CORE) for index in range(_DRAWN)]
    model = Model(component, CORE)
    some = [each for place, each in enumerate(scenarios) if place < len(vectors) or place % _EVERY == 0]
    properties = [property for property in component.properties if _holds_under_core(property)]
    families = [(each, tuple(with_variants(each, scenario))) for each in properties for scenario in some]
    families = [pair for pair in families if not any(_outside(component, one) for one in pair[1])]
    if scale:
        scenarios += scale_scenarios(component, "default", CORE)
    return Sample(
        component,
        scenarios,
        [model.play(each) for each in scenarios],
        [frozenset(decision for step in model.cited(each) for decision in step) for each in scenarios],
        {vector.id: vector.rules for vector in vectors},
        [(property, family) for property, family in families if _violation(property, family, model) is None],
    )


def _outside(component: Component, scenario: Scenario) -> str:
    return outside(component, scenario.setup, scenario.history)


def _holds_under_core(property: Property) -> bool:
    return all(getattr(CORE, policy) == value for policy, value in property.holds_under.items())


def evidence_of(sample: Sample, engine: Model) -> Evidence:
    """Return the evidence about an engine."""
    agreeing: list[Scenario] = []
    large: dict[str, list[Scenario]] = {}
    differing: list[Difference] = []
    decided: Counter[str] = Counter()
    unanswered: Counter[str] = Counter()
    silent = True
    for scenario, expected, cited in zip(sample.scenarios, sample.expected, sample.cited, strict=True):
        played = engine.play(scenario)
        silent = silent and not any(played)
        if played == expected:
            if scenario.origin.kind == "scale":
                large.setdefault(str(scenario.origin.of), []).append(scenario)
            else:
                agreeing.append(scenario)
            decided.update(cited)
            continue
        at = first_difference(played, expected)
        if at < len(played):
            differing.append(Difference(scenario, played, at))
        else:
            unanswered.update(cited)
    evidence = Evidence(
        component=sample.component,
        policies=CORE,
        known=(),
        observes="step",
        agreeing=agreeing,
        differing=differing,
        vectors=sample.vectors,
        violations=[
            found for family in sample.families if (found := _violation(*family, engine)) is not None
        ],
        unanswered={decision.removesuffix("!"): number for decision, number in unanswered.items()},
        decided=decided,
        differ=len(differing),
        silent=silent and bool(differing),
        large=large,
        claims=frozenset({sample.component.name, *sample.component.extras, "refuses"}),
    )
    return replace(evidence, smallest=list(_made_small(evidence, engine)))


def _made_small(evidence: Evidence, engine: Model) -> Iterator[Difference]:
    """Yield a few minimal counterexamples of each kind of difference, like the items of a run."""
    for kind, differences in by_kind(evidence.differing, evidence.expected).items():
        for difference in differences[:_OF_A_KIND]:
            still_fails = partial(_last_steps, evidence, engine, kind)
            smallest = shrink(difference.scenario, still_fails, _EFFORT)
            yield Difference(smallest, engine.play(smallest), 0)


def _last_steps(
    evidence: Evidence, engine: Model, kind: Kind, scenarios: Sequence[Scenario]
) -> list[int | None]:
    """Return the last step of the first difference of each scenario; None for a scenario without a difference
    of the kind."""
    last_steps: list[int | None] = []
    for scenario in scenarios:
        played, expected = engine.play(scenario), evidence.reference.play(scenario)
        at = first_difference(played, expected)
        differs = at < min(len(played), len(expected))
        same = differs and kind_of(scenario.history[at], expected[at], played[at]) == kind
        last_steps.append(at if same else None)
    return last_steps


def answers_of(engine: Model, scenarios: Sequence[Scenario]) -> Answers:
    """Return the transcripts of an engine in the scenarios that test a model."""
    return {scenario.id: Transcript(scenario.id, engine.play(scenario)) for scenario in scenarios}


def _violation(property: Property, family: tuple[Scenario, ...], engine: Model) -> Violation | None:
    """Return the violation of a property; None if the property holds or an answer is missing.

    Near the end of event time, even the reference violates some properties, because the variants of a
    scenario cannot be shifted there.
    """
    transcripts = tuple(Transcript(one.id, engine.play(one)) for one in family)
    whole = all(
        len(one.outputs) == len(member.history) for one, member in zip(transcripts, family, strict=True)
    )
    violated = whole and property.holds(family, transcripts) is False
    return Violation(property, family, transcripts) if violated else None
