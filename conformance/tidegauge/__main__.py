"""The command `tidegauge`."""

import io
import sys
import traceback
from importlib.metadata import entry_points
from tempfile import NamedTemporaryFile

import typer

from . import __version__
from .commands.apart import apart
from .commands.console import complain
from .commands.diagnose import diagnose
from .commands.execute import execute, replay
from .commands.mutants import mutants
from .commands.new_project.project import init
from .commands.promote import promote
from .commands.rules import rules
from .commands.run import adapters, report, run
from .commands.vectors import vectors

_KIT_FAILED = 4
"""The exit code where the kit itself fails, or cannot write."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Does a stream processor keep event time right?",
)
for command in (init, run, rules, execute, replay, promote, vectors, report, diagnose, adapters, mutants):
    app.command()(command)
app.command(hidden=True)(apart)
for entry in sorted(entry_points(group="tidegauge.commands")):
    try:
        app.command(entry.name)(entry.load())
    except Exception as problem:
        said = " ".join(str(problem).split())[:200]
        complain(f"no command {entry.name}: {entry.value}: {said}")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tidegauge {__version__}")
        raise typer.Exit


@app.callback()
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
        app()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        complain(f"{error.strerror or error}{where}")
        sys.exit(_KIT_FAILED)
    except Exception as error:
        with NamedTemporaryFile(
            "w", prefix="tidegauge-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as kept:
            kept.write(traceback.format_exc())
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        complain(f"this is a defect of the kit, please report it with {kept.name}: {said}")
        sys.exit(_KIT_FAILED)


if __name__ == "__main__":
    main()
