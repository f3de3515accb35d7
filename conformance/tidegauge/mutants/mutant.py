"""A mutant is a copy of the reference with a few pieces of its source replaced; nothing else changes.

The copy is loaded next to the original, so that the judge still uses the original.
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
    """A named mutant of a component.

    Attributes:
        name: the name of the mutant.
        component: the name of the component.
        module: the changed module of the reference.
        rules: the rules that the mutant breaks.
        bug: the origin of the mutant: the id of a known bug, the number of a statement of `statements.md`, or
            a few words.
        summary: the defect, in one sentence.
        replacements: texts that occur once in the module, and their replacements; used by older mutants.
        scale: a kind of scenarios of scale that detects the mutant, if only scenarios of scale detect it.
        functions: functions of the module to replace (`Valve.idle`), and their replacements.
        turned: inverted decisions, each with its function: with `("Valve.active", "VALVE-12")`, the condition
            of the rule never holds in that function.
    """

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
        """All replacements of the mutant, as texts of the module.

        Raises:
            ValueError: if the reference has no such function or decision.
        """
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


@dataclass(frozen=True)
class MutantsOfModule:
    """Makes mutants of a component that change texts of one module of the reference. The name of the
    component precedes the name of the mutant."""

    component: str
    module: str

    def __call__(
        self, name: str, rules: tuple[str, ...], bug: str, summary: str, *replacements: Replacement
    ) -> Mutant:
        """Return a mutant; see `Mutant`."""
        return Mutant(
            name=f"{self.component.replace('_', '-')}-{name}",
            component=self.component,
            module=self.module,
            rules=rules,
            bug=bug,
            summary=summary,
            replacements=replacements,
        )


@dataclass(frozen=True)
class MutantsOfComponent:
    """Makes mutants of a component whose reference has several modules. Each mutant names its module."""

    component: str

    def __call__(
        self,
        name: str,
        module: str,
        rules: tuple[str, ...],
        bug: str,
        summary: str,
        *replacements: Replacement,
    ) -> Mutant:
        """Return a mutant; see `Mutant`."""
        return MutantsOfModule(self.component, module)(name, rules, bug, summary, *replacements)
