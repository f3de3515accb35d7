"""`tidegauge rules` and `tidegauge explain`: the specification in a terminal."""

from typing import Annotated

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from tidegauge_spec import Rule, load_registry, read_policies

from ..scenario import BadInput
from ..traceability import decided_in, rules_of_statement, shown_by
from .console import OUT, complains


def status(rule: Rule) -> tuple[str, str]:
    """Whether the kit judges a rule, and how, or why not."""
    for entry in rule.checked_by:
        if entry.startswith("not testable:"):
            return "not-testable", entry.removeprefix("not testable:").strip()
    return "judged", ", ".join(rule.checked_by)


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
    for column in ("id", "level", "component", "title", "status", "reason"):
        table.add_column(column)
    for rule in registry.rules.values():
        table.add_row(rule.id, rule.level, rule.component, escape(rule.title), *map(escape, status(rule)))
    OUT.print(table)


@complains
def explain(
    name: Annotated[
        str, typer.Argument(metavar="RULE", help="A rule's id, VALVE-3, or a statement's number, E46.")
    ],
) -> None:
    """Say what a rule demands, why, and what to check when an engine fails it; or which rules come from a
    statement of the source documents."""
    rule = load_registry().rules.get(name)
    if rule is not None:
        _explain(rule)
        return
    found = rules_of_statement(name)
    if not found:
        raise BadInput(f"unknown rule or statement {name!r}; `tidegauge rules` lists the rules")
    for rule in found:
        OUT.print(f"[bold]{rule.id}[/] ({rule.level}, {rule.component}) [bold]{escape(rule.title)}[/]")
        OUT.print(escape(rule.sentence) + "\n")


def _explain(rule: Rule) -> None:
    OUT.print(f"[bold]{rule.id}[/] ({rule.level}, {rule.component}) [bold]{escape(rule.title)}[/]\n")
    OUT.print(escape(rule.sentence) + "\n")
    OUT.print(f"[bold]Intent[/] {escape(rule.intent)}\n")
    OUT.print(f"[bold]If an engine fails this, check[/] {escape(rule.check)}\n")
    if rule.policy is not None:
        policy = read_policies()[rule.policy]
        values = ", ".join(f"{profile} = {value}" for profile, value in policy.profiles.items())
        OUT.print(f"[bold]Policy[/] {policy.name}: {escape(policy.meaning)} {values}\n")
    if rule.needs:
        OUT.print(f"[bold]Needs[/] the capability {' or '.join(rule.needs)}\n")
    OUT.print(f"[bold]Source[/] {', '.join(rule.sources)}   [bold]Since[/] {rule.since}")
    OUT.print(f"[bold]Checked by[/] {escape(', '.join(rule.checked_by))}")
    OUT.print(f"[bold]Text[/] {rule.file}:{rule.line}")
    OUT.print(f"[bold]Reference[/] {', '.join(decided_in(rule.id)) or 'none'}")
    OUT.print(f"[bold]Vectors[/] {escape(', '.join(shown_by(rule.id))) or 'none'}")
