"""Syntax mutants that are no wrong engines: no history tells them from the reference. Each is listed in
`equivalents.txt` by its name, under the argument: the lines that begin with `#`."""

from functools import cache
from importlib.resources import files


@cache
def load_equivalents() -> dict[str, str]:
    """The argument for each mutant listed, by its name. Raises `ValueError` where a name stands twice
    or without an argument."""
    text = (files("tidegauge.detection") / "equivalents.txt").read_text(encoding="utf-8")
    return read_equivalents(text)


def read_equivalents(text: str) -> dict[str, str]:
    """As `load_equivalents`, from a text."""
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
                raise ValueError(f"equivalents.txt, line {number}: {line} {problem}")
            arguments[line] = " ".join(argument)
    return arguments
