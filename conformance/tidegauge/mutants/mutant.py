"""A mutant is the reference's own source with a few words replaced: nothing else changes, by construction.

It is loaded beside the original, so that the judge keeps the original.
"""

from dataclasses import dataclass, replace
from types import ModuleType

from .known_bugs import known_bug
from .loading import load_copy, reference_source

ANY_OF = 4
"""A mutant that lists so many rules, or more, breaks at least one of them, the most characteristic first."""


@dataclass(frozen=True)
class Mutant:
    """A named mutant of a component: the `rules` it breaks, what it comes from (`bug`: the id of a
    known bug, the number of a statement of `statements.md`, or a few words), and the replacements (each
    text occurs once in the reference's `module`). `scale`: a kind of scenarios of scale that shows it, if
    scenarios of scale alone do."""

    name: str
    component: str
    module: str
    rules: tuple[str, ...]
    bug: str
    summary: str
    replacements: tuple[tuple[str, str], ...]
    scale: str = ""

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


def at_scale(kind: str, mutant: Mutant) -> Mutant:
    """The mutant as one that shows in scenarios of scale alone, in those of the kind among others."""
    return replace(mutant, scale=kind)
