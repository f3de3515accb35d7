"""A mutant is the reference's own source with a few words replaced: nothing else changes, by construction.

It is loaded beside the original, so that the judge keeps the original.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from tidegauge_reference import Policies

from ..adapter import ComponentAdapter, Implementation
from ..components.job.binding import OVERSHOOT_MS, REACTION_MS
from ..components.registry import COMPONENTS
from ..version import __version__
from .known_bugs import known_bug
from .loading import load_copy, reference_source

ANY_OF = 4
"""A mutant that lists so many rules, or more, breaks at least one of them; which, its list does not say."""


@dataclass(frozen=True)
class Mutant:
    """A named wrong engine of a component: the `rules` it breaks, what it comes from (`bug`: the id of a
    known bug, the number of a statement of `statements.md`, or a few words), and the replacements (each
    text occurs once in the reference's `module`)."""

    name: str
    component: str
    module: str
    rules: tuple[str, ...]
    bug: str
    summary: str
    replacements: tuple[tuple[str, str], ...]

    @property
    def any_of(self) -> bool:
        """Whether it breaks one of its rules at least, and not surely each."""
        return len(self.rules) >= ANY_OF

    @property
    def link(self) -> str | None:
        """Where the real defect is described; None if it comes from a statement or from nobody's tracker."""
        known = known_bug(self.bug)
        return known.links[0] if known is not None else None

    def load(self, entry: str) -> ModuleType:
        """The module `entry` of a copy of the reference in which this mutant's module is changed. Raises
        `ValueError` if a text to replace does not occur exactly once."""
        source = reference_source(self.module)
        for right, wrong in self.replacements:
            if source.count(right) != 1:
                found = source.count(right)
                raise ValueError(f"mutant {self.name}: {right!r} occurs {found} times in {self.module}.py")
            source = source.replace(right, wrong)
        copy = f"tidegauge_mutant_{self.name.replace('-', '_')}"
        return load_copy(copy, {self.module: source}, entry)


@cache
def load_mutants() -> dict[str, Mutant]:
    """All named mutants, by name."""
    from .backlog import BACKLOG_MUTANTS
    from .clock import CLOCK_MUTANTS
    from .coordinator import COORDINATOR_MUTANTS
    from .generator import GENERATOR_MUTANTS
    from .idleness import IDLENESS_MUTANTS
    from .jobs import JOB_MUTANTS
    from .low_watermark import LOW_WATERMARK_MUTANTS
    from .source import SOURCE_MUTANTS
    from .splits import SPLITS_MUTANTS
    from .valve import VALVE_MUTANTS
    from .window import WINDOW_MUTANTS

    return {
        mutant.name: mutant
        for mutant in (
            *CLOCK_MUTANTS,
            *GENERATOR_MUTANTS,
            *IDLENESS_MUTANTS,
            *SPLITS_MUTANTS,
            *VALVE_MUTANTS,
            *SOURCE_MUTANTS,
            *COORDINATOR_MUTANTS,
            *LOW_WATERMARK_MUTANTS,
            *BACKLOG_MUTANTS,
            *WINDOW_MUTANTS,
            *JOB_MUTANTS,
        )
    }


class MutantAdapter(ComponentAdapter):
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
            remark=f"A deliberately wrong engine: {self.mutant.summary} It must fail.",
        )

    def _policies(self) -> Policies:
        """The profile `core`, in the copy's own class."""
        copy = self._module.__name__.rpartition(".")[0]
        core: Policies = importlib.import_module(f"{copy}.policies").CORE
        return core
