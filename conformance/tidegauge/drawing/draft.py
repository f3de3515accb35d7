"""The inputs for drawing a scenario of scale."""

from dataclasses import dataclass

from tidegauge_reference import Policies

from ..components.component import Component
from ..components.shared.random_source import RandomSource
from ..wire.vocabulary import Setup, Step
from .histories import effective_history

Made = tuple[Setup, tuple[Step, ...]]
"""A setup and the steps on it."""

_CLOSED = 60
"""Percentage of the small scenarios that have closing steps."""


@dataclass(frozen=True)
class Draft:
    """One attempt to draw a scenario of scale.

    Attributes:
        component: the component of the scenario.
        random: the source of the choices.
        policies: the policies of the reference that guides the drawing.
        index: the index of the scenario within its kind.
        attempt: the number of failed attempts before this one.
    """

    component: Component
    random: RandomSource
    policies: Policies
    index: int
    attempt: int = 0

    def small(self, setup: Setup | None = None, longest: int = 24) -> Made:
        """Return a small random scenario. Large scenarios are made from it.

        Args:
            setup: the setup; None draws one.
            longest: the largest number of steps before the closing steps.
        """
        setup = self.component.draw_setup(self.random) if setup is None else setup
        length = self.random.between(5, longest)
        steps = effective_history(self.component, self.random, setup, length, self.policies)
        if self.random.chance(_CLOSED):
            steps += self.component.scale.closing(setup, steps)
        return setup, steps
