"""From a statement of the sources to its rules, and from a rule to the reference and to its vectors."""

from functools import cache
from importlib.resources import files

from tidegauge_spec import Rule, load_registry

from .components.registry import COMPONENTS
from .vectors import load_vectors


def rules_of_statement(statement: str) -> list[Rule]:
    """The rules that name a numbered statement (`E46`) or an issue id as their source."""
    return [rule for rule in load_registry().rules.values() if statement in rule.sources]


def decided_in(rule: str) -> list[str]:
    """The lines of the reference that cite a rule: `valve.py:63`."""
    return [place for place, line in _lines_of_the_reference() if f'"{rule}"' in line]


def shown_by(rule: str) -> list[str]:
    """The ids of the published vectors that show a rule."""
    return [vector.id for name in COMPONENTS for vector in load_vectors(name) if rule in vector.rules]


@cache
def _lines_of_the_reference() -> list[tuple[str, str]]:
    modules = sorted(
        (entry for entry in files("tidegauge_reference").iterdir() if entry.name.endswith(".py")),
        key=lambda entry: entry.name,
    )
    return [
        (f"{module.name}:{number}", line)
        for module in modules
        for number, line in enumerate(module.read_text(encoding="utf-8").splitlines(), start=1)
    ]
