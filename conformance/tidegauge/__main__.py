"""The command `tidegauge`."""

from importlib.metadata import entry_points

import typer
from rich.markup import escape

from . import __version__
from .commands.apart import apart
from .commands.console import ERR
from .commands.diagnose import diagnose
from .commands.execute import execute, replay
from .commands.mutants import mutants
from .commands.new_project.project import init
from .commands.promote import promote
from .commands.rules import rules
from .commands.run import adapters, report, run
from .commands.vectors import vectors

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
        ERR.print(
            f"tidegauge: no command {escape(entry.name)}: {escape(f'{entry.value}: {said}')}", soft_wrap=True
        )


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
    """Entry point."""
    app()


if __name__ == "__main__":
    main()
