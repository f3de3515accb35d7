"""`tidegauge smoke`: does an engine in a process of its own speak the protocol? And `tidegauge schemas`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tidegauge.commands.console import OUT, complains
from tidegauge.wire.protocol import schemas
from tidegauge.wire.scenario import BadInput

from .adapter import ProcessAdapter
from .checks import Check, checked


@complains
def smoke(
    command: Annotated[str, typer.Option(metavar="COMMAND", help="The engine: 'node my_engine.js'.")],
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="As in `tidegauge run`: seconds=30.")
    ] = None,
) -> None:
    """Check that an engine in a process of its own speaks the protocol. Nothing is judged.

    Exit code 0: it does.
    1: it does not, and what is printed says where.
    2: bad input.
    """
    given = dict(_pair(one) for one in option or ())
    try:
        adapter = ProcessAdapter({"command": command, **given})
    except ValueError as error:
        raise BadInput(str(error)) from None
    checks: list[Check] = []
    for check in checked(adapter.conversation):
        checks.append(check)
        OUT.print(
            f"{'[bold red]broken[/]' if check.instead else '[green]ok[/]    '} {escape(check.demands)}",
            soft_wrap=True,
        )
        if check.instead:
            OUT.print(f"       {escape(check.instead)}", soft_wrap=True)
        if check.stderr.strip():
            OUT.print(f"       its stderr ends:\n{escape(check.stderr.rstrip())}", soft_wrap=True)
    broken = sum(bool(check.instead) for check in checks)
    if broken:
        OUT.print(f"The engine breaks the protocol in {broken} of {len(checks)} checks.")
        raise typer.Exit(1)
    OUT.print(f"The engine speaks the protocol ({len(checks)} checks). `tidegauge run --command` judges it.")


@complains
def write_schemas(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write them.")] = Path(),
) -> None:
    """Write the process protocol as JSON Schemas: requests.schema.json, answers.schema.json."""
    for name, schema in schemas().items():
        path = out / f"{name}.schema.json"
        try:
            out.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}; choose another folder") from None
        OUT.print(escape(str(path)), soft_wrap=True)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"option {text!r} is not key=value")
    return name, value
