"""A mutant as an engine under test."""

import importlib
from collections.abc import Mapping
from typing import Any

from tidegauge_reference import Policies

from ..components.job.binding import OVERSHOOT_MS, REACTION_MS
from ..components.registry import COMPONENTS
from ..mutants.mutant import Mutant
from ..version import __version__
from ..wire.implementation import Implementation
from .of_the_reference import OfTheReference

_FAULTY = "A mutant, a deliberately faulty engine: the run is expected to fail."


class MutantAdapter(OfTheReference):
    """Puts a mutant under test; it claims the component that the mutant changes, and what is judged by it."""

    def __init__(self, mutant: Mutant, options: Mapping[str, str]) -> None:
        super().__init__(options)
        if options:
            raise ValueError(f"mutants take no options, got {', '.join(sorted(options))}")
        self.mutant = mutant
        component = COMPONENTS[mutant.component]
        self._module: Any = mutant.load(component.module.__name__.rpartition(".")[2])
        setattr(self, component.name, lambda setup: component.build(self._module, setup, self._policies()))

    def describe(self) -> Implementation:
        """The mutant, with a remark that it must fail."""
        return Implementation(
            name=f"mutant {self.mutant.name}",
            version=__version__,
            capabilities=(self.mutant.component, *COMPONENTS[self.mutant.component].extras),
            overshoot_ms=OVERSHOOT_MS,
            reaction_ms=REACTION_MS,
            remark=f"{_FAULTY} {self.mutant.summary}",
        )

    def _policies(self) -> Policies:
        """The profile `core`, in the copy's own class."""
        copy = self._module.__name__.rpartition(".")[0]
        core: Policies = importlib.import_module(f"{copy}.policies").CORE
        return core
