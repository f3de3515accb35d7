"""A mutant is the reference's own source with a few words replaced: nothing else changes, by construction.

It is loaded beside the original, so that the judge keeps the original.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

from .known_bugs import known_bug
from .loading import load_copy, reference_source
from .replaced_code import Replacement, replaced_function, turned_decision

ANY_OF = 4
"""A mutant that lists so many rules, or more, breaks at least one of them, the most characteristic first."""


@dataclass(frozen=True)
class Mutant:
    """A named mutant of a component: the `rules` it breaks, and what it comes from (`bug`: the id of a
    known bug, the number of a statement of `statements.md`, or a few words).

    What makes it faulty: `functions` that stand in place of those of the reference's `module`, each by the
    other's name (`Valve.idle`); decisions that go the other way (`turned`), each by its function
    (`("Valve.active", "VALVE-12")`: the rule's condition never holds there); or, in older mutants,
    `replacements` of texts that occur once in the module. `scale`: a kind of scenarios of scale that shows
    the mutant, if scenarios of scale alone do."""

    name: str
    component: str
    module: str
    rules: tuple[str, ...]
    bug: str
    summary: str
    replacements: tuple[Replacement, ...] = ()
    scale: str = ""
    functions: tuple[tuple[str, Callable[..., Any]], ...] = ()
    turned: tuple[tuple[str, str], ...] = ()

    @property
    def any_of(self) -> bool:
        """Whether it breaks one of its rules at least, and not surely each."""
        return len(self.rules) >= ANY_OF

    @property
    def link(self) -> str | None:
        """Where the real defect is described; None if it comes from a statement or from nobody's tracker."""
        known = known_bug(self.bug)
        return known.links[0] if known is not None else None

    @cached_property
    def changed_texts(self) -> tuple[Replacement, ...]:
        """All that the mutant changes, as texts of the module. Raises `ValueError` if the reference has no
        such function or decision."""
        functions = [replaced_function(self.module, name, function) for name, function in self.functions]
        turned = [turned_decision(self.module, name, decision) for name, decision in self.turned]
        return (*self.replacements, *functions, *turned)

    def load(self, entry: str) -> ModuleType:
        """The module `entry` of a copy of the reference in which this mutant's module is changed. Raises
        `ValueError` if a text to replace does not occur exactly once."""
        source = reference_source(self.module)
        for right, wrong in self.changed_texts:
            if source.count(right) != 1:
                found = source.count(right)
                raise ValueError(f"mutant {self.name}: {right!r} occurs {found} times in {self.module}.py")
            source = source.replace(right, wrong)
        copy = f"tidegauge_mutant_{self.name.replace('-', '_')}"
        return load_copy(copy, {self.module: source}, entry)


def at_scale(kind: str, mutant: Mutant) -> Mutant:
    """The mutant as one that shows in scenarios of scale alone, in those of the kind among others."""
    return replace(mutant, scale=kind)
