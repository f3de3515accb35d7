"""Syntax mutants that are known by name, each listed under an argument: the lines that begin with `#`."""

from functools import cache
from importlib.resources import files


def load_equivalents() -> dict[str, str]:
    """The equivalent changes: no scenario distinguishes them from the reference. The argument for each, by
    its name. Raises `ValueError` where a name stands twice or without an argument."""
    return _load("equivalents.txt")


def load_survivors() -> dict[str, str]:
    """Those that the suites do not catch with the smoke budget: what it would take, by the name of each.
    Raises as `load_equivalents` does."""
    return _load("survivors.txt")


@cache
def _load(name: str) -> dict[str, str]:
    return read_arguments((files("tidegauge.detection") / name).read_text(encoding="utf-8"), name)


def read_arguments(text: str, name: str) -> dict[str, str]:
    """The argument for each mutant in the text of the file `name`."""
    arguments: dict[str, str] = {}
    argument: list[str] = []
    named = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#"):
            named = True
        elif named:
            argument, named = [], False
        if line.startswith("#"):
            argument.append(line.removeprefix("#").strip())
        elif line.strip():
            if line in arguments or not argument:
                problem = "stands twice" if line in arguments else "has no argument"
                raise ValueError(f"{name}, line {number}: {line} {problem}")
            arguments[line] = " ".join(argument)
    return arguments
