"""Where commands print: results to stdout, everything else to stderr; bad input is one line, exit code 2."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import IO, Any, ParamSpec, TypeVar, cast

import typer
from rich.console import Console
from rich.text import Text

from tidegauge_spec import MalformedChapter

from ..wire.results import KNOWN_DEVIATIONS
from ..wire.scenario import BadInput
from ..words.unshowable import UNSHOWABLE
from .stop_guard import continued_when_stopped
from .stop_signals import stop_of, stoppable
from .terminal_text import disobeyed, line

COLOURS = {
    "error": "bold magenta",
    "fail": "bold red",
    "suspect": "red",
    KNOWN_DEVIATIONS: "yellow",
    "not-tested": "yellow",
    "pass": "green",
    "not-applicable": "dim",
    "absent": "dim",
}
"""The colour of whatever `counts_of` counts, the worst first, and of a rule that a run does not have."""

KIT_FAILED = 4
"""The exit code if the kit itself fails or cannot write."""

LONGEST_COMPLAINT = 2_000
"""The number of characters after which the line about bad input is cut."""


class _Stream:
    """The current stdout or stderr, looked up at each write. CI servers execute nothing that is written to
    it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(sys, self._name), name)

    def write(self, text: str) -> int:
        """Write a text that a console has laid out."""
        return int(getattr(sys, self._name).write(disobeyed(text)))


_WAS_STOPPED = (
    "the engine, or a signal to this process alone, stopped the command (SIGSTOP); it was continued"
)


class HarmlessConsole(Console):
    """A console that prints no character which a terminal would obey, wherever a text comes from.

    Each text that is printed, in a table too, passes `render_str`. The styles of the kit are added later.
    """

    def render_str(self, text: str, **how: Any) -> Text:
        """The text as rich prints it, without control characters and marks that reorder the text."""
        return super().render_str(UNSHOWABLE.sub("", text), **how)


# without emoji: `:name:` in a foreign text stays as it is
OUT = HarmlessConsole(file=cast(IO[str], _Stream("stdout")), highlight=False, emoji=False)
ERR = HarmlessConsole(file=cast(IO[str], _Stream("stderr")), stderr=True, highlight=False, emoji=False)

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def complain(problem: str) -> None:
    """Print what went wrong as one line on stderr."""
    ERR.print(f"tidegauge: {line(problem, LONGEST_COMPLAINT)}", soft_wrap=True)


@contextmanager
def _told_if_stopped() -> Iterator[None]:
    """Report at the end of the block if an engine has stopped the command, as an error."""
    with continued_when_stopped() as was_stopped:
        ended: typer.Exit | None = None
        try:
            yield
        except typer.Exit as own:
            ended = own
        if was_stopped():
            complain(_WAS_STOPPED)
            ended = typer.Exit(max(1, ended.exit_code if ended is not None else 0))
        if ended is not None:
            raise ended


def complains(command: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """A command whose bad input ends it with one line on stderr and exit code 2. So do the signals that stop
    it, with 128 and the number of the signal."""

    @wraps(command)
    def complaining(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            with _told_if_stopped(), stoppable():
                return command(*args, **kwargs)
        except (BadInput, MalformedChapter) as problem:
            complain(str(problem))
            raise typer.Exit(2) from None
        except KeyboardInterrupt as interrupt:
            stop = stop_of(interrupt)
            complain(f"stopped by {stop.number.name}")
            raise typer.Exit(stop.exit_code) from None

    return complaining
