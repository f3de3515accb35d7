"""`tidegauge compare`: what changed between two runs."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from tidegauge.commands.console import OUT, complains
from tidegauge.commands.terminal_text import inline
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import BadInput

from ..comparison import comparison as compared
from ..comparison import markdown as page
from ..comparison.words import MOST_ROWS, Section, caveats, engine_words, headline, left_out, sections, totals


@complains
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The results.json of the run before.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The results.json of the run now.")],
    markdown: Annotated[
        Path | None, typer.Option(help="Write the comparison as Markdown, for a CI job page.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: headline, worse, caveats, sections with all rows.")
    ] = False,
) -> None:
    """Say what changed between two runs of an engine.

    Exit code 0: nothing got worse.
    1: a rule or property newly fails or is newly in error, is no longer tested or no longer claimed.
    2: bad input.
    """
    found = compared.compare(read_results(old), read_results(new))
    if markdown is not None:
        _write(markdown, page.render(found))
    if as_json:
        typer.echo(_json(found))
        raise typer.Exit(1 if found.worse else 0)
    OUT.print(inline(engine_words(found)), style="dim", soft_wrap=True)
    for said in caveats(found):
        OUT.print(f"Not comparable as they are: {inline(said)}", style="yellow", soft_wrap=True)
    for section in sections(found):
        _print(section)
    OUT.print(inline(totals(found)), style="dim", soft_wrap=True)
    OUT.print(inline(headline(found)), style="bold red" if found.worse else "bold green", soft_wrap=True)
    raise typer.Exit(1 if found.worse else 0)


def _json(comparison: compared.Comparison) -> str:
    """Return all that the terminal shows, as JSON; lists of rows are not cut."""
    shown = {
        "engine": engine_words(comparison),
        "worse": comparison.worse,
        "headline": headline(comparison),
        "totals": totals(comparison),
        "caveats": list(caveats(comparison)),
        "sections": [
            {
                "title": section.title,
                "worse": section.worse,
                "remark": section.remark,
                "rows": [dict(zip(section.columns, row, strict=True)) for row in section.rows],
            }
            for section in sections(comparison)
        ],
    }
    return msgspec.json.format(msgspec.json.encode(shown), indent=1).decode()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}; choose another file") from None


def _print(section: Section) -> None:
    OUT.print(f"[{'bold red' if section.worse else 'bold'}]{inline(section.title)}[/]")
    table = Table(box=None, pad_edge=False)
    for column in section.columns:
        table.add_column(column)
    for row in section.rows[:MOST_ROWS]:
        table.add_row(*map(inline, row))
    OUT.print(table)
    for text in filter(None, (left_out(section), section.remark)):
        OUT.print(inline(text), style="dim", soft_wrap=True)
    OUT.print()
