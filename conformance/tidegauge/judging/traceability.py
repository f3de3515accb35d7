"""From a statement of the sources to its rules, and from a rule to all that stands behind it: the lines of
the reference, the published vectors, the mutants that break it, the known bugs it is about."""

import re
from functools import cache
from importlib.resources import files

from tidegauge_spec import Rule, load_registry

from ..components.registry import COMPONENTS, load_mutants
from ..mutants.known_bugs import KnownBug, known_bug, load_known_bugs
from ..mutants.mutant import Mutant
from ..vectors.published import Vector, load_vectors

DOCUMENTS = {
    "A": "FLIP-182, watermark alignment",
    "B": "FLIP on idleness and blocked sources",
    "C": "FLINK-4576, low-watermark service",
    "D": "FLIP-328, backlog by watermark lag",
    "E": "Essay 夜天之书 #12, watermarks",
}
"""The source documents, by the letter that their numbered statements begin with (`statements.md`)."""

_NUMBERED = re.compile(r"([A-E])([0-9]+)")


def rules_of_statement(statement: str) -> list[Rule]:
    """The rules that name a numbered statement (`E46`) or an issue id as their source."""
    return [rule for rule in load_registry().rules.values() if statement in rule.sources]


def statement_order(statement: str) -> tuple[str, int, str]:
    """Sorts statements: the numbered ones by document and number, then issue ids by tracker and number."""
    numbered = _NUMBERED.fullmatch(statement)
    if numbered is not None:
        return numbered[1], int(numbered[2]), statement
    tracker, _, number = statement.rpartition("-")
    return f"~{tracker}", int(number) if number.isdecimal() else 0, statement


def status(rule: Rule) -> tuple[str, str]:
    """Whether the kit judges a rule, and how, or why not."""
    for entry in rule.checked_by:
        if entry.startswith("not testable:"):
            return "not-testable", entry.removeprefix("not testable:").strip()
    return "judged", ", ".join(rule.checked_by)


def decided_in(rule: str) -> list[str]:
    """The lines of the reference that cite a rule: `valve.py:63`. The module that explains citing is no
    decision."""
    return [
        f"{module}:{number}"
        for module, lines in reference_lines().items()
        if module != "citation.py"
        for number, line in enumerate(lines, start=1)
        if f'"{rule}"' in line
    ]


def vectors_of(rule: str) -> list[Vector]:
    """The published vectors that show a rule."""
    return [vector for name in COMPONENTS for vector in load_vectors(name) if rule in vector.rules]


def shown_by(rule: str) -> list[str]:
    """The ids of the published vectors that show a rule."""
    return [vector.id for vector in vectors_of(rule)]


def broken_by(rule: str) -> list[Mutant]:
    """The named mutants that break a rule."""
    return [mutant for mutant in load_mutants().values() if rule in mutant.rules]


def bugs_about(rule: Rule) -> list[KnownBug]:
    """The known bugs that a rule is about: a mutant that breaks it does the same, the rule names it as
    a source, or a policy that can change its sentence is the one by which engines may do so."""
    wrong = {mutant.name for mutant in broken_by(rule.id)}
    named = {bug.id for bug in map(known_bug, rule.sources) if bug is not None}
    return [
        bug
        for bug in load_known_bugs().values()
        if wrong & set(bug.mutants)
        or bug.id in named
        or (bug.policy is not None and bug.policy.name in rule.policies)
    ]


@cache
def reference_lines() -> dict[str, tuple[str, ...]]:
    """The source of the reference, line by line: `valve.py` and so on, in the order of the names."""
    modules = sorted(
        (entry for entry in files("tidegauge_reference").iterdir() if entry.name.endswith(".py")),
        key=lambda entry: entry.name,
    )
    return {module.name: tuple(module.read_text(encoding="utf-8").splitlines()) for module in modules}
