"""`tidegauge site`: the specification as pages to browse."""

from pathlib import Path
from typing import Annotated

import typer

from tidegauge.commands.console import OUT, complains
from tidegauge.commands.force_option import Force
from tidegauge.commands.terminal_text import inline
from tidegauge.run.own_folder import own_folder
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import BadInput
from tidegauge.words.numbers import counted

from ..site.engines import engines_with


@complains
def site(
    out: Annotated[Path, typer.Option(help="Folder for the pages.")],
    results: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RESULTS.json]...", help="Runs to show beside the shipped engines."),
    ] = None,
    playground: Annotated[
        bool,
        typer.Option(
            "--playground",
            help="With the reference in the reader's browser: 16 MB, fetched once with npm and pip. "
            "That page needs a web server and JavaScript.",
        ),
    ] = False,
    force: Force = False,
) -> None:
    """Write the specification as a site: each rule with its code, scenarios, mutants and verdicts. It
    needs no server and no network; only the search needs JavaScript."""
    from ..site.pages import write_site  # what makes pages is not loaded at each start of the command line

    engines = engines_with([read_results(path) for path in results or []])
    own_folder(out, force=force)
    try:
        written = write_site(engines, out, playground)
    except OSError as error:
        raise BadInput(f"the site cannot be written to {out}: {error.strerror}") from None
    size = sum(path.stat().st_size for path in written)
    OUT.print(f"{counted(len(written), 'page')}, {size / 1e6:.1f} MB: {inline(str(out / 'index.html'))}")
