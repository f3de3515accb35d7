"""`tidegauge trend`: shows runs of engines over time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tidegauge.commands.console import OUT, complains
from tidegauge.commands.force_option import Force
from tidegauge.commands.terminal_text import inline
from tidegauge.run.own_folder import complaining, own_files
from tidegauge.wire.results import read_results

from ..text_file import write_text_file
from ..trend import data, markdown, picture
from ..trend.course import Course, courses_of

_VIEWS: dict[str, Callable[[Sequence[Course]], str]] = {
    markdown.FILE_NAME: markdown.render,
    picture.FILE_NAME: picture.render,
    data.FILE_NAME: data.render,
}


@complains
def trend(
    files: Annotated[list[Path], typer.Argument(metavar="RESULTS...", help="The results.json of each run.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help=f"Write {', '.join(_VIEWS)} to this folder.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help=f"Print {data.FILE_NAME} instead of tables.")
    ] = False,
    force: Force = False,
) -> None:
    """Show the runs of engines over time: verdicts by date and version, and what changed from run to run.

    Exit code 0: the runs are shown, even if something got worse (`tidegauge compare` checks this);
    2: bad input.
    """
    courses = courses_of([read_results(path) for path in files])
    if out is not None:
        own_files(out, list(_VIEWS), force=force)
    if as_json:
        typer.echo(data.render(courses), nl=False)
    else:
        for course in courses:
            OUT.print(_table(course))
    if out is None:
        return
    with complaining(out):
        written = [write_text_file(out / name, render(courses)) for name, render in _VIEWS.items()]
    if not as_json:
        for path in written:
            OUT.print(inline(str(path)), soft_wrap=True)


def _table(course: Course) -> Table:
    """Return the runs of an engine as a table for the terminal."""
    title = f"{inline(course.engine)}, profile {inline(course.profile)}"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left", title_style="bold")
    for name in markdown.columns():
        table.add_column(name, justify="right" if len(name) <= 2 else "left", no_wrap=len(name) <= 2)
    for run in course.runs:
        table.add_row(*map(inline, markdown.cells(run)))
    return table
