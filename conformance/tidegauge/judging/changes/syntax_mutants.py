"""Every mutant that one small change makes of the reference: the syntax mutants.

They measure the kit where nobody thought of a defect. Like the named mutants they are copies of the
reference, loaded beside it.
"""

import ast
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import ModuleType

from tidegauge_reference import Policies
from tidegauge_spec import load_registry

from ...components.registry import COMPONENTS
from ...mutants.loading import load_copy, reference_source
from .branches import Branches
from .edits import Edit, edits_at
from .tree import Place, class_of, function_of, places, qualified_name

LEFT_OUT = {
    "__init__": "names only",
    "choices": "minima, replacements and orders: they are changed where they are called",
    "citation": "the judge's instrument: `cite` returns its condition unchanged, which is all an engine sees",
    "errors": "the names of three exceptions",
    "outputs": "the names of three outputs",
    "policies": "which choices there are: a changed default is another profile, not a mutant",
}
"""Modules of the reference that are not changed, and why."""

MODULES = tuple(
    sorted(
        file.name.removesuffix(".py")
        for file in files("tidegauge_reference").iterdir()
        if file.name.endswith(".py") and file.name.removesuffix(".py") not in LEFT_OUT
    )
)
"""All others: found by the folder, so that a new module is changed without being listed."""


@dataclass(frozen=True)
class SyntaxMutant:
    """The `number`-th change of a module. `components` are those in which it can show, the one that the
    module is about first; `rules` those that decide there, one of which it must be laid to; `policies` those
    that the changed class or function asks for."""

    name: str
    module: str
    number: int
    components: tuple[str, ...]
    rules: tuple[str, ...]
    policies: tuple[str, ...]

    def source(self) -> str:
        """The module with the change."""
        tree, edits = edits_of(self.module)
        undo = edits[self.number][1].apply()
        try:
            return ast.unparse(tree)
        finally:
            undo()

    def load(self, entry: str) -> ModuleType:
        """The module `entry` of a copy of the reference with the change; raises what importing it raises."""
        return load_copy(self.copy_name, {self.module: self.source()}, entry)

    @property
    def copy_name(self) -> str:
        """The package that the copy is."""
        return f"tidegauge_mutant_{self.module}_{self.number}"


@cache
def load_syntax_mutants() -> dict[str, SyntaxMutant]:
    """All of them by name."""
    return {name: mutant for module in MODULES for name, mutant in syntax_mutants_of(module).items()}


@cache
def syntax_mutants_of(module: str) -> dict[str, SyntaxMutant]:
    """Those of a module by name: module, function, and what stands there instead of what. Where the same
    change is possible at several places of a function the later ones are numbered."""
    mutants: dict[str, SyntaxMutant] = {}
    tree, edits = edits_of(module)
    branches = Branches(tree, [_tree(name) for name in _imported(module)])
    for number, (name, edit) in enumerate(edits):
        rules, policies = branches.rules(edit.place), _policies_asked_for(edit.place)
        components = _needed_first(components_showing(module), rules)
        mutants[name] = SyntaxMutant(name, module, number, components, rules, policies)
    return mutants


def _needed_first(components: tuple[str, ...], rules: tuple[str, ...]) -> tuple[str, ...]:
    """What is about time decides in some components only."""
    needs = {need for rule in rules for need in load_registry().rules[rule].needs}
    deciding = [name for name in components if needs & {name, *COMPONENTS[name].extras} - {"snapshot"}]
    return tuple(sorted(components, key=lambda name: name not in deciding))


def _policies_asked_for(place: Place) -> tuple[str, ...]:
    return _policies_named(class_of(place) or function_of(place) or place[0])


@cache
def _policies_named(node: ast.AST) -> tuple[str, ...]:
    names = {getattr(one, "attr", "") for one in ast.walk(node)}
    return tuple(sorted(names & set(Policies.__dataclass_fields__)))


@cache
def components_showing(module: str) -> tuple[str, ...]:
    """The components whose reference imports the module, the nearest first; jobs last, for they take long."""
    distances = {
        name: _distance(component.module.__name__.rpartition(".")[2], module)
        for name, component in COMPONENTS.items()
    }
    reached = {name: distance for name, distance in distances.items() if distance is not None}
    return tuple(sorted(reached, key=lambda name: (name == "job", reached[name])))


def _distance(entry: str, module: str) -> int | None:
    """Over how many imports a module is reached from another."""
    reached, frontier = {entry}, [entry]
    for distance in range(len(MODULES) + 1):
        if module in frontier:
            return distance
        frontier = [one for name in frontier for one in _imported(name) if one not in reached]
        reached.update(frontier)
    return None


@cache
def _imported(module: str) -> tuple[str, ...]:
    found = (node.module for node in _tree(module).body if isinstance(node, ast.ImportFrom) and node.level)
    return tuple(name for name in found if name is not None)


@cache
def _tree(module: str) -> ast.Module:
    """A module as it is; `edits_of` has a tree of its own, which its changes are made in."""
    return ast.parse(reference_source(module))


@cache
def edits_of(module: str) -> tuple[ast.Module, list[tuple[str, Edit]]]:
    """The changes of a module with their names; two that give the same program are one."""
    tree = ast.parse(reference_source(module))
    named: list[tuple[str, Edit]] = []
    programs = {(id(place[-1]), ast.unparse(place[-1])) for place in places(tree) if _is_statement(place[-1])}
    counts: dict[str, int] = {}
    for place in places(tree):
        where = ".".join(part for part in (module, qualified_name(place)) if part)
        for edit in edits_at(place):
            statement, shown = statement_of(edit), _shown(edit)
            before = _text(shown)
            undo = edit.apply()
            program = id(statement), ast.unparse(edit.after or statement)
            after = _text(edit.after or shown)
            undo()
            if program not in programs:
                programs.add(program)
                name = f"{where}: {before} -> {after}"
                counts[name] = counts.get(name, 0) + 1
                named.append((name if counts[name] == 1 else f"{name} #{counts[name]}", edit))
    return tree, named


def _is_statement(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt)


def statement_of(edit: Edit) -> ast.AST:
    """The statement that a change is in."""
    return next(node for node in reversed(edit.place) if isinstance(node, ast.stmt))


def _shown(edit: Edit) -> ast.AST:
    """What is shown of a change: the innermost expression that it changes, or the statement."""
    around = (node for node in reversed(edit.place) if not isinstance(node, ast.Slice))
    return edit.before or next(one for one in around if isinstance(one, ast.expr | ast.stmt | ast.arguments))


def _text(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]
