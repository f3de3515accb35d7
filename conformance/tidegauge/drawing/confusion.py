"""Confusions: steps that a faulty engine mistakes for other steps.

A large scenario is worth its cost only if it detects a confusion. To find out, the reference runs the
scenario with the mistaken steps: the scenario detects the confusion if the outputs change.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tidegauge_reference import Policies

from ..components.component import Component
from ..wire.vocabulary import Setup, Step

Mistaken = Callable[[Step], Sequence[Step]]
"""Returns the steps that the engine executes in place of a step; none if the engine ignores the step."""

Played = list[Any]
"""The outputs of the reference at each step. A rejected step has the class of the exception instead."""


def alone(step: Step) -> Sequence[Step]:
    """Return the step itself: the engine mistakes it for no other step."""
    return (step,)


def played(
    component: Component, policies: Policies, setup: Setup, steps: Sequence[Sequence[Step]]
) -> Played | None:
    """Return the outputs of the reference.

    Args:
        component: the component of the scenario.
        policies: the policies of the reference.
        setup: the setup of the scenario.
        steps: for each step, the steps to execute in its place. Only the outputs of the first one are kept.

    Returns:
        The outputs at each step; None if the reference rejects the setup.
    """
    try:
        engine = component.reference(setup, policies)
    except ValueError:
        return None
    return [_answers(component, engine, each) for each in steps]


def _answers(component: Component, engine: Any, steps: Sequence[Step]) -> Any:
    answers = [_answer(component, engine, step) for step in steps]
    return answers[0] if answers else []


def _answer(component: Component, engine: Any, step: Step) -> Any:
    try:
        return component.calls[type(step)](engine, step)
    except (ValueError, RuntimeError) as rejection:
        return type(rejection)


def shows(
    component: Component, policies: Policies, setup: Setup, steps: Sequence[Step], *ways: Mistaken
) -> bool:
    """Return whether every way to mistake the steps changes an output of the reference."""
    expected = played(component, policies, setup, [*map(alone, steps)])
    return all(expected != played(component, policies, setup, [*map(way, steps)]) for way in ways)
