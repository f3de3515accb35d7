"""What was seen of an engine in the scenarios of one component: the input of its verdicts, as pure data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.property import Property
from ...wire.scenario import Scenario
from ...wire.transcript import Observation, Transcript
from ..changes.change import Change
from .model import Model, Played


@dataclass(frozen=True)
class Difference:
    """A scenario in which the engine differs, with what came out in canonical order; `at` is the first
    observed span that differs. Where the outputs are fewer than the scenario's spans no more answer came."""

    scenario: Scenario
    outputs: Played
    at: int


@dataclass(frozen=True)
class Violation:
    """A property that a family of scenarios violates, with the transcripts that show it."""

    property: Property
    family: tuple[Scenario, ...]
    transcripts: tuple[Transcript, ...]


@dataclass(frozen=True)
class Evidence:
    """The observations of an engine in the scenarios of one component.

    Attributes:
        component: the component.
        policies: the policies of the reference with which the engine is compared.
        known: the known deviations of the engine; the reference has them, too.
        observes: how often outputs can be observed.
        agreeing: scenarios in which the engine agrees with the reference, the handwritten ones first.
        differing: the differing scenarios that were kept.
        vectors: the rules that a golden vector is about, by the id of the vector.
        violations: the violated properties.
        unanswered: for each rule, the number of scenarios with no answer where the rule decides.
        decided: for each decision, the number of agreeing scenarios that make it.
        differ: the number of all differing scenarios, kept or not.
        silent: whether the engine never output anything, and differs.
        unreached: for each rule, the number of scenarios that got no answer before the rule decides.
        beyond: scenarios that were not run, because the engine does not claim what they need or they lie
            outside of its declared shape; the handwritten ones first.
        hidden: scenarios that were not run, because the adapter does not express them; the handwritten ones
            first.
        why_hidden: for each rule, why a scenario in which it decides is not expressed.
        stated: the policies that the engine declares; None if it declares none.
        large: the scenarios of scale in which the engine agrees, by their kind; not part of `agreeing`.
        smallest: the minimal counterexamples, some of each kind of difference.
        claims: the capabilities that the engine claims.
        declared: the component within the shape that the engine declares. `component` is narrower if the
            adapter expresses less than that. None stands for `component`.
    """

    component: Component
    policies: Policies
    known: tuple[Change, ...]
    observes: Observation
    agreeing: Sequence[Scenario]
    differing: Sequence[Difference]
    vectors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    violations: Sequence[Violation] = ()
    unanswered: Mapping[str, int] = field(default_factory=dict)
    decided: Mapping[str, int] = field(default_factory=dict)
    differ: int = 0
    silent: bool = False
    unreached: Mapping[str, int] = field(default_factory=dict)
    beyond: Sequence[Scenario] = ()
    hidden: Sequence[Scenario] = ()
    why_hidden: Mapping[str, str] = field(default_factory=dict)
    stated: Policies | None = None
    large: Mapping[str, Sequence[Scenario]] = field(default_factory=dict)
    smallest: Sequence[Difference] = ()
    claims: frozenset[str] = frozenset()
    declared: Component | None = None

    @cached_property
    def reference(self) -> Model:
        """What the engine is compared with. To be closed."""
        return Model(self.component, self.policies, self.known)

    def expected(self, scenario: Scenario) -> Played:
        """What the reference outputs."""
        known = self._expected.get(scenario.id)
        if known is None or known[0] is not scenario:
            known = self._expected[scenario.id] = scenario, self.reference.play(scenario, self.observes)
        return known[1]

    @cached_property
    def _expected(self) -> dict[str, tuple[Scenario, Played]]:
        return {}

    def large_ones(self, steps: int) -> list[Scenario]:
        """The shortest of the scenarios of scale in which the engine agrees, so many steps in all."""
        found: list[Scenario] = []
        for one in sorted(chain.from_iterable(self.large.values()), key=lambda one: len(one.history)):
            steps -= len(one.history)
            if steps < 0:
                break
            found.append(one)
        return found

    def spread(self, number: int) -> list[Scenario]:
        """So many of the scenarios that agree: half of them from the front, where those by hand are, the
        others evenly spread."""
        front = min(number // 2, len(self.agreeing))
        return [
            self.agreeing[place]
            for place in (*range(front), *_even(front, len(self.agreeing), number - front))
        ]


def _even(start: int, stop: int, number: int) -> Iterator[int]:
    if stop - start <= number:
        yield from range(start, stop)
    else:
        yield from (start + place * (stop - start) // number for place in range(number))


def first_difference(got: Played, wanted: Played) -> int:
    """The first span in which outputs differ, or the number of those that both have."""
    for place, (one, other) in enumerate(zip(got, wanted, strict=False)):
        if one != other:
            return place
    return min(len(got), len(wanted))


def reproduces(model: Played, difference: Difference) -> bool:
    """Whether a model outputs what the engine did, as far as that answered."""
    return len(model) >= len(difference.outputs) and model[: len(difference.outputs)] == difference.outputs
