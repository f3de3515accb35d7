"""`tidegauge rules`: the rules of the specification, listed in a terminal."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table

from tidegauge_spec import load_registry

from ..judging.traceability import status
from .console import OUT, complains
from .terminal_text import inline


@complains
def rules(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list instead of a table.")] = False,
) -> None:
    """List the rules of the specification."""
    registry = load_registry()
    if as_json:
        listed = [
            {
                "id": rule.id,
                "level": rule.level,
                "component": rule.component,
                "title": rule.title,
                "status": status(rule)[0],
                "reason": status(rule)[1],
            }
            for rule in registry.rules.values()
        ]
        typer.echo(msgspec.json.format(msgspec.json.encode(listed), indent=1).decode())
        return
    table = Table(box=None, pad_edge=False)
    for column in ("id", "level", "component", "title", "status", "checked by"):
        table.add_column(column)
    for rule in registry.rules.values():
        table.add_row(rule.id, rule.level, rule.component, inline(rule.title), *map(inline, status(rule)))
    OUT.print(table)
