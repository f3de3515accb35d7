"""Profiles of engine authors: a shipped profile with some policy values replaced, each with a reason."""

from __future__ import annotations

from msgspec import Struct

from .shapes import AnyShape


class Choice(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A policy value that differs from the base profile, and the author's reason for it."""

    policy: str
    value: str
    reason: str
    link: str = ""


class ReasonedShape(Struct, frozen=True, forbid_unknown_fields=True):
    """The shape of a component for which the adapter declares none, and why other features are missing."""

    features: AnyShape
    reason: str


class OwnProfile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A profile that is not part of the specification.

    Attributes:
        name: the name of the profile, different from the names of the shipped profiles.
        base: the shipped profile that supplies the values of all other policies.
        choices: the policy values that differ from `base`.
        shapes: the shapes of components for which the adapter declares none.
    """

    name: str
    base: str = "core"
    choices: tuple[Choice, ...] = ()
    shapes: tuple[ReasonedShape, ...] = ()
