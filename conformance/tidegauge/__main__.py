"""The command `tidegauge`."""

import io
import os
import sys
import traceback
from collections.abc import Callable, Collection
from importlib import import_module
from importlib.metadata import entry_points
from tempfile import NamedTemporaryFile
from typing import Any

import typer
from rich.markup import escape

from . import __version__
from .commands.console import KIT_FAILED, complain, complains
from .commands.registered import loaded
from .wire.scenario import BadInput

_COMMANDS = {
    "init": "new_project.project",
    "run": "run",
    "rules": "rules",
    "execute": "execute",
    "replay": "replay",
    "expect": "expect",
    "promote": "promote",
    "vectors": "vectors",
    "report": "run",
    "diagnose": "diagnose",
    "profile": "profile",
    "diff": "diff",
    "adapters": "run",
    "mutants": "mutants",
}
"""The commands of the kit, each with its module in `commands`."""

_PANELS = {
    "Test an engine": ("init", "adapters", "smoke", "run", "campaign", "processor"),
    "Understand a difference": ("replay", "expect", "diff", "diagnose", "profile", "explain"),
    "Show and compare results": ("report", "compare", "matrix", "trend"),
    "Examine a job": ("check-log", "monitor"),
    "Read the specification": ("rules", "site", "schemas", "execute"),
    "Maintain scenarios and the kit": ("promote", "vectors", "mutants"),
}
"""The groups of the help text, in its order."""

_OTHERS = "Commands of other packages"

_GROUP = "tidegauge.commands"

_HELP = {"help_option_names": ["-h", "--help"]}

_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def application(wanted: Collection[str] = ()) -> typer.Typer:
    """The command line with the commands of these names; with all of them, if one of the names is unknown or
    none is given. Importing every command takes longer than most commands do."""
    registered = {entry.name: entry for entry in sorted(entry_points(group=_GROUP))}
    app = typer.Typer(
        no_args_is_help=True,
        context_settings=_HELP,
        pretty_exceptions_enable=False,
        help="Does a stream processor keep event time right?",
    )
    app.callback()(options)
    known = [*_COMMANDS, *registered]
    panels = {name: panel for panel, names in _PANELS.items() for name in names}
    by_panel = sorted(known, key=lambda name: [*panels, name].index(name))
    for name in wanted if wanted and all(name in known for name in wanted) else by_panel:
        panel = panels.get(name, _OTHERS)
        if name in registered:
            try:
                app.command(name, rich_help_panel=panel)(loaded(registered[name]))
            except BadInput as problem:
                unavailable = _unavailable(name, str(problem))
                app.command(name, rich_help_panel=panel, context_settings=_ANYTHING)(unavailable)
        else:
            app.command(name, rich_help_panel=panel)(_own(name))
    return app


def _own(name: str) -> Callable[..., Any]:
    """A command of the kit."""
    module = import_module(f".commands.{_COMMANDS[name]}", __package__)
    command: Callable[..., Any] = getattr(module, name)
    return command


def _unavailable(name: str, problem: str) -> Callable[..., Any]:
    """A command that does not load: it says why, whatever its arguments are."""

    @complains
    def unavailable() -> None:
        raise BadInput(f"no command {name}: {problem}")

    unavailable.__doc__ = f"Not available: {escape(problem)}"  # [spark] is no style
    return unavailable


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tidegauge {__version__}")
        raise typer.Exit


def options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Does a stream processor keep event time right?"""


def main() -> None:
    """Entry point. What goes wrong in the kit itself is one line, too, with exit code 4."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    try:
        application(_typed()[:1])()
    except Exception as error:
        sys.exit(_failed(error))


def _typed() -> list[str]:
    """Return the words after `tidegauge`: the arguments, or those that the shell wants to complete."""
    to_complete = os.environ.get("_TYPER_COMPLETE_ARGS", os.environ.get("COMP_WORDS", ""))
    return sys.argv[1:] or to_complete.split()[1:]


def _failed(error: Exception) -> int:
    """Say what went wrong; the exit code."""
    from .engine.foreign_text import message_of

    said = " ".join(message_of(error).split())[:300]
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        complain(f"{error.strerror or error}{where}")
    else:
        complain(f"this is a defect of the kit, please report it with {_kept_traceback()}: {said}")
    return KIT_FAILED


def _kept_traceback() -> str:
    """The file to which that of the current exception is written."""
    with NamedTemporaryFile(
        "w", prefix="tidegauge-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as kept:
        kept.write(traceback.format_exc())
    return kept.name


if __name__ == "__main__":
    main()
