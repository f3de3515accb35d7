"""The reference with the known deviations of an engine built in, so that all else is judged exactly."""

import importlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from types import ModuleType
from typing import Any

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.registry import COMPONENTS, load_mutants
from ...mutants.loading import load_copy, reference_source
from ...wire.scenario import BadInput
from .deviations import Deviation


@dataclass(frozen=True)
class DeviatingReference:
    """A copy of the reference with other words in it, the package `package`, under `policies`."""

    policies: Policies
    package: str

    def module_of(self, component: Component) -> ModuleType:
        """The copy's module of a component."""
        return importlib.import_module(f"{self.package}.{_module_name(component)}")

    def citations(self, flipped: str | None) -> AbstractContextManager[list[str]]:
        """The copy's own `citations`."""
        citation: Any = importlib.import_module(f"{self.package}.citation")
        collecting: AbstractContextManager[list[str]] = citation.citations(flipped)
        return collecting


Semantics = Policies | DeviatingReference
"""What an engine is compared with."""


def with_deviations(policies: Policies, deviations: Sequence[Deviation]) -> Semantics:
    """The reference under `policies` that deviates so. Raises `BadInput` if two deviations change the same
    words of it."""
    changed: Any = replace
    values = {deviation.policy: deviation.value for deviation in deviations if deviation.policy is not None}
    deviating: Policies = changed(policies, **values)
    likes = tuple(sorted(deviation.like for deviation in deviations if deviation.like is not None))
    return DeviatingReference(deviating, _copy_like(likes)) if likes else deviating


@lru_cache(maxsize=64)
def _copy_like(likes: tuple[str, ...]) -> str:
    """The name of a package copy in which the replacements of all these mutants are made."""
    sources: dict[str, str] = {}
    for like in likes:
        mutant = load_mutants()[like.removeprefix("mutant:")]
        source = sources.get(mutant.module) or reference_source(mutant.module)
        for right, wrong in mutant.changed_texts:
            if source.count(right) != 1:
                raise BadInput(f"the deviations {', '.join(likes)} change the same words: leave one out")
            source = source.replace(right, wrong)
        sources[mutant.module] = source
    name = "tidegauge_deviating_" + "_".join(likes).replace("mutant:", "").replace("-", "_")
    for module in {"citation", *map(_module_name, COMPONENTS.values())}:
        load_copy(name, sources, module)
    return name


def _module_name(component: Component) -> str:
    return component.module.__name__.rpartition(".")[2]
