"""The profile of an engine's author: a shipped profile with other choices, each with the author's reason."""

from __future__ import annotations

from msgspec import Struct

from .shapes import AnyShape


class Choice(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A policy to which the engine gives another value than the base profile, and why it does."""

    policy: str
    value: str
    reason: str
    link: str = ""


class ReasonedShape(Struct, frozen=True, forbid_unknown_fields=True):
    """The features of a component that the adapter does not declare itself, and why others are missing."""

    features: AnyShape
    reason: str


class OwnProfile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A profile that is not part of the specification.

    Attributes:
        name: the name of the profile, different from the names of the shipped profiles.
        base: the shipped profile that gives each other policy its value.
        choices: the policies with other values.
        shapes: the features of components, where the adapter declares none.
    """

    name: str
    base: str = "core"
    choices: tuple[Choice, ...] = ()
    shapes: tuple[ReasonedShape, ...] = ()
