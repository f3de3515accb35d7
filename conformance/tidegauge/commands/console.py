"""Where commands print: results to stdout, everything else to stderr; bad input is one line, exit code 2."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from tidegauge_spec import MalformedChapter

from ..wire.results import KNOWN_DEVIATIONS
from ..wire.scenario import BadInput

COLOURS = {
    "error": "bold magenta",
    "fail": "bold red",
    KNOWN_DEVIATIONS: "yellow",
    "not-tested": "yellow",
    "pass": "green",
    "not-applicable": "dim",
    "absent": "dim",
}
"""The colour of whatever `counts_of` counts, the worst first, and of a rule that a run does not have."""

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def complains(command: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """A command whose bad input ends it with one line on stderr and exit code 2."""

    @wraps(command)
    def complaining(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            return command(*args, **kwargs)
        except (BadInput, MalformedChapter) as problem:
            ERR.print(f"tidegauge: {escape(str(problem))}", soft_wrap=True)
            raise typer.Exit(2) from None

    return complaining
