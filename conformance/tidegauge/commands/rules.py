"""`tidegauge rules`: the rules of the specification, listed in a terminal."""

from collections.abc import Collection, Iterable
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from tidegauge_spec import Rule, load_registry

from ..judging.traceability import status
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown
from .console import ERR, OUT, complains
from .terminal_text import inline


@complains
def rules(
    chapter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only rules of this chapter, as VALVE or valve. Repeatable."),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Only rules whose title, sentence or reason has these words."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list instead of a table.")] = False,
) -> None:
    """List the rules of the specification.

    Exit code 0: rules are listed.
    1: no rule has the words of --text.
    2: bad input.
    """
    every = list(load_registry().rules.values())
    chapters = _chapters(chapter or [], every)
    selected = [rule for rule in every if not chapters or _chapter(rule) in chapters]
    if text is not None:
        selected = [rule for rule in selected if _has_words(rule, text)]
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
            for rule in selected
        ]
        typer.echo(msgspec.json.format(msgspec.json.encode(listed), indent=1).decode())
        raise typer.Exit(0 if selected else 1)
    if not selected:
        ERR.print(inline(f"no rule has all words of {text!r}; `tidegauge rules` lists all rules"))
        raise typer.Exit(1)
    table = Table(box=None, pad_edge=False)
    for column in ("id", "level", "component", "title", "status", "checked by"):
        table.add_column(column)
    for rule in selected:
        table.add_row(rule.id, rule.level, rule.component, inline(rule.title), *map(inline, status(rule)))
    OUT.print(table)


def _chapter(rule: Rule) -> str:
    return rule.id.rpartition("-")[0]


def _chapters(names: Collection[str], rules: Iterable[Rule]) -> set[str]:
    """Return the chapters with these names, in capitals or not; a component stands for its chapter."""
    by_name = {name.upper(): _chapter(rule) for rule in rules for name in (rule.component, _chapter(rule))}
    for name in names:
        if name.upper() not in by_name:
            raise BadInput(unknown("chapter", name, sorted(set(by_name.values()))))
    return {by_name[name.upper()] for name in names}


def _has_words(rule: Rule, words: str) -> bool:
    own = f"{rule.title} {rule.sentence} {rule.intent}".casefold()
    return all(word in own for word in words.casefold().split())
