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
    """All that is known of an engine in one component's scenarios under `policies`.

    `known` are its known deviations: it is compared with a reference that has them. `agreeing` are scenarios
    in which it agrees, those first that were chosen by hand; `differing` the kept ones in which it does not.
    `vectors`: the rules that a published scenario shows, by its id. `unanswered`: in how many scenarios no
    answer came where a rule decides, `unreached`: in how many it decides only after that. `decided`: in how
    many scenarios that agree each decision is made; `differ` is the number of all that do not, kept or not.
    `beyond`: scenarios that were not run, since they need what the engine does not claim or has no words for,
    those by hand first.
    `silent`: it never output anything and differs. `stated`: the policies that it says it has; None if it
    says nothing. `large`: the scenarios of scale in which it agrees, by their kind; they are not among
    `agreeing`.
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
    stated: Policies | None = None
    large: Mapping[str, Sequence[Scenario]] = field(default_factory=dict)

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
