"""`declared:ADAPTER` in `tidegauge diff`: the reference with the behaviour that an adapter declares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from ...components.component import Component
from ...components.registry import COMPONENTS
from ...engine.contained import ContainedAdapter
from ...engine.loading import describe, load_adapter
from ...engine.of_the_reference import OfTheReference
from ...wire.implementation import Implementation
from ...wire.scenario import BadInput
from ...wire.vocabulary import Setup
from ..reference.deviating_reference import DeviatingReference, Semantics, with_deviations
from ..reference.deviations import deviations_of
from ..reference.profiles import declared_profile, under_profile

DECLARED = "declared:"
"""The prefix of such an engine's name; the name of the adapter follows."""


class DeclaredReference(OfTheReference):
    """The reference under the profile and with the known deviations that an adapter declares.

    The reference claims the components of the adapter within the same shapes. If it agrees with the engine,
    the adapter declares all differences of its engine.
    """

    def __init__(self, declared: Implementation) -> None:
        super().__init__({})
        profile = declared_profile(declared)
        self._declared = under_profile(profile, declared)
        deviations = deviations_of(None, declared.deviations).deviation
        semantics = with_deviations(profile.policies, deviations)
        for name in set(declared.capabilities) & set(COMPONENTS):
            setattr(self, name, partial(_engine, COMPONENTS[name], semantics))

    def describe(self) -> Implementation:
        """Return the description of the adapter within the shapes of its profile, under a name that says
        what this is. The reference is observed at each step, however the engine is."""
        return replace(self._declared, name=f"{self._declared.name} as declared", observes="step")

    def inexpressible(self, scenario: object) -> str | None:
        """Return None: the adapter of the engine decides which scenarios are skipped."""
        return None


def load_declared(name: str, options: Mapping[str, str]) -> ContainedAdapter:
    """Return the reference with the behaviour that an adapter declares.

    Args:
        name: `declared:` and the name of the adapter.
        options: the options of the adapter.

    Raises:
        BadInput: if the adapter cannot be loaded, or if its profile or its list of deviations is rejected.
    """
    adapter_name = name.removeprefix(DECLARED)
    adapter = load_adapter(adapter_name, options)
    try:
        declared = describe(adapter_name, adapter)
    finally:
        adapter.close()
    if not set(declared.capabilities) & set(COMPONENTS):
        raise BadInput(f"adapter {adapter_name!r} claims no component")
    return ContainedAdapter(DeclaredReference(declared))


def _engine(component: Component, semantics: Semantics, setup: Setup) -> object:
    """Return the reference's engine for a component under the given semantics."""
    if isinstance(semantics, DeviatingReference):
        return component.build(semantics.module_of(component), setup, semantics.policies)
    return component.reference(setup, semantics)
