"""Two engines beside each other: random scenarios through both, and the smallest in which they differ."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, zip_longest

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.within import component_within, outside_of_shapes
from ...drawing.histories import draw_history
from ...engine.adapter import Adapter
from ...engine.runner import run
from ...wire.implementation import Implementation
from ...wire.scenario import Scenario
from ...wire.transcript import Observation, Outputs, Transcript, joined, same_outputs, spans
from .shrinker import shrink

AT_A_TIME = 256
"""So many scenarios an engine is given at once."""


@dataclass(frozen=True)
class Side:
    """An engine and what it says of itself."""

    adapter: Adapter
    implementation: Implementation

    def takes(self, scenario: Scenario) -> bool:
        """Whether it claims what the scenario needs, has the features for it, and expresses it."""
        claimed = set(self.implementation.capabilities)
        within = not outside_of_shapes(scenario, self.implementation.shapes)
        return within and set(scenario.needs) <= claimed and self.adapter.inexpressible(scenario) is None


@dataclass(frozen=True)
class Compared:
    """Some scenarios that both engines were given: how many, their steps, and those in which they differ."""

    scenarios: int
    steps: int
    left_out: int
    differing: tuple[Scenario, ...]


def compared(
    sides: tuple[Side, Side], component: Component, seed: int, scenarios: int, policies: Policies
) -> Iterator[Compared]:
    """Random scenarios through both engines, some hundreds at a time."""
    for start in range(0, scenarios, AT_A_TIME):
        indices = range(start, min(start + AT_A_TIME, scenarios))
        yield compared_of(sides, component, seed, indices, policies)


def compared_of(
    sides: tuple[Side, Side],
    component: Component,
    seed: int,
    indices: range,
    policies: Policies,
    about_to_run: Callable[[str], None] = lambda scenario: None,
) -> Compared:
    """The random scenarios of these indices through both engines, drawn within the shape that either
    declares."""
    narrowed = [component_within(component.name, side.implementation.shapes) for side in sides]
    within = next((each for each in narrowed if each.shape is not None), component)
    drawn = [draw_history(within, seed, index, policies) for index in indices]
    taken = [scenario for scenario in drawn if all(side.takes(scenario) for side in sides)]
    different = zip(taken, differing_steps(sides, taken, about_to_run), strict=True)
    return Compared(
        len(taken),
        sum(len(scenario.history) for scenario in taken),
        len(drawn) - len(taken),
        tuple(scenario for scenario, step in different if step is not None),
    )


def smallest(sides: tuple[Side, Side], scenario: Scenario) -> Scenario:
    """Shrink a scenario in which the two engines differ."""
    return shrink(scenario, partial(differing_steps, sides))


def answers(sides: tuple[Side, Side], scenario: Scenario) -> list[Transcript | None]:
    """What each of them does with a scenario."""
    return [next(iter(run(side.adapter, [scenario]))) for side in sides]


def differing_steps(
    sides: tuple[Side, Side],
    scenarios: Sequence[Scenario],
    about_to_run: Callable[[str], None] = lambda scenario: None,
) -> list[int | None]:
    """Of each scenario the last step of the first span in which the engines differ, or None."""
    taken = [scenario for scenario in scenarios if all(side.takes(scenario) for side in sides)]
    left, right = (run(side.adapter, taken, about_to_run) for side in sides)
    found = {
        scenario.id: _differs_at(sides, scenario, mine, other)
        for scenario, mine, other in zip(taken, left, right, strict=True)
    }
    return [found.get(scenario.id) for scenario in scenarios]


def _differs_at(
    sides: tuple[Side, Side], scenario: Scenario, left: Transcript | None, right: Transcript | None
) -> int | None:
    observed = [side.implementation.observes for side in sides]
    coarser: Observation = next((observes for observes in observed if observes != "step"), "step")
    lengths = spans(scenario, coarser)
    mine, other = (
        _by_span(transcript, lengths, observes == "step")
        for transcript, observes in zip((left, right), observed, strict=True)
    )
    for span, (a, b) in enumerate(zip_longest(mine, other)):
        if a != b and (a is None or b is None or not same_outputs(a, b)):
            return sum(lengths[: span + 1]) - 1
    return None


def _by_span(transcript: Transcript | None, lengths: Sequence[int], at_each_step: bool) -> list[Outputs]:
    """The outputs of the spans that were answered whole."""
    if transcript is None:
        return []
    if not at_each_step:
        return list(transcript.outputs)
    answered = [
        n for n, end in zip(lengths, accumulate(lengths), strict=True) if end <= len(transcript.outputs)
    ]
    return joined(list(transcript.outputs), answered)
