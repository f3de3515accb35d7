"""What makes an engine wrong: the lines of the reference that it changes, before and after."""

from dataclasses import dataclass
from difflib import ndiff

from tidegauge.mutants.loading import reference_source
from tidegauge.mutants.mutant import Mutant


@dataclass(frozen=True)
class Change:
    """A changed passage of the reference: the place where it begins, and its lines, each with `-` (as it is
    right), `+` (as it is wrong) or a space (both) before it."""

    place: str
    lines: tuple[tuple[str, str], ...]


def changed_lines(mutant: Mutant) -> list[Change]:
    """The passages that a mutant changes, with whole lines around the words that differ."""
    source = reference_source(mutant.module)
    changes = []
    for right, wrong in mutant.changed_texts:
        start = source.index(right)
        first = source.rfind("\n", 0, start) + 1
        end = source.find("\n", start + len(right) - right.endswith("\n"))
        before, after = source[first:start], source[start + len(right) : end]
        lines = ndiff((before + right + after).splitlines(), (before + wrong + after).splitlines())
        number = source.count("\n", 0, first) + 1
        shown = tuple((line[0], line[2:]) for line in lines if line[0] in " -+")
        changes.append(Change(f"{mutant.module}.py:{number}", shown))
    return changes
