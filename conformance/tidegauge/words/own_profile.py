"""Describe the profile of an engine's author: its choices and its differences from a shipped profile."""

from tidegauge_spec import read_policies

from ..wire.own_profile import OwnProfile
from ..wire.results import Results
from ..wire.shapes import component_of_shape
from .numbers import counted


def choices_words(own: OwnProfile) -> str:
    """Return the number of choices, such as `2 choices differ from core`."""
    number = len(own.choices)
    return f"{counted(number, 'choice differs', 'choices differ')} from {own.base}"


def choice_rows(own: OwnProfile) -> list[tuple[str, str, str, str]]:
    """Return a row for each choice: policy, value, value in the base profile, reason."""
    policies = read_policies()
    return [
        (
            choice.policy,
            choice.value,
            policies[choice.policy].profiles[own.base],
            f"{choice.reason} ({choice.link})" if choice.link else choice.reason,
        )
        for choice in own.choices
    ]


def own_profile_remark(results: Results) -> str:
    """Return a remark on the profile of the engine's author: its choices and shapes, with their reasons.

    The remark is empty if the engine was measured against a shipped profile.
    """
    own = results.own_profile
    if own is None:
        return ""
    choices = [
        f"{policy} = {value} ({own.base}: {other}), since {reason}"
        for policy, value, other, reason in choice_rows(own)
    ]
    shapes = [f"shape of {component_of_shape(shape.features)}, since {shape.reason}" for shape in own.shapes]
    listed = "; ".join((*choices, *shapes))
    return f"Measured against {own.name}, the profile of the engine's author: {choices_words(own)}. {listed}."
