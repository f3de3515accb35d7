"""The summary of a run on the terminal."""

from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ..results import VERDICTS, Results, RuleResult
from .console import OUT

_COLOURS = {
    "pass": "green",
    "fail": "bold red",
    "not-applicable": "dim",
    "not-judged": "yellow",
    "not-run": "red",
}


def print_summary(results: Results, reports: list[Path]) -> None:
    """Verdicts that need attention first, then the counts and where the report is."""
    for rule in results.rules:
        if rule.verdict == "fail":
            _print_failure(rule)
    table = Table(box=None, pad_edge=False)
    for column in ("rule", "verdict", "scenarios", "title", "reason"):
        table.add_column(column, justify="right" if column == "scenarios" else "left")
    for rule in results.rules:
        if rule.verdict != "pass":
            colour = _COLOURS[rule.verdict]
            verdict = f"[{colour}]{rule.verdict}[/]"
            table.add_row(rule.id, verdict, str(rule.scenarios), escape(rule.title), escape(rule.reason))
    if table.row_count:
        OUT.print(table)
    for property in results.properties:
        if property.verdict == "fail":
            OUT.print(
                f"property {property.name} [bold red]fail[/]: {escape(property.sentence)} {property.reason}"
            )
    for item in results.items:
        if item.outcome in ("crashed", "timeout", "error", "not-run"):
            first = item.text.strip().splitlines()[:1] or [""]
            OUT.print(
                f"item {escape(item.id)} [bold red]{item.outcome}[/] {escape(first[0])}", soft_wrap=True
            )
    counts = ", ".join(
        f"[{_COLOURS[name]}]{results.counts[name]} {name}[/]" for name in VERDICTS if results.counts[name]
    )
    implementation = results.implementation
    OUT.print(
        f"{escape(implementation.name)} {escape(implementation.version)} on layer {implementation.layer}, "
        f"profile {results.profile}: {counts} of {len(results.rules)} rules; "
        f"{results.counts['scenarios']:,} scenarios, {results.counts['steps']:,} steps, "
        f"{results.duration_s:.1f} s, seed {results.seed}",
        soft_wrap=True,
    )
    if implementation.remark:
        OUT.print(escape(implementation.remark), style="yellow", soft_wrap=True)
    if not results.complete:
        OUT.print("The run ended early; what was not run is in results.json.", style="bold red")
    for path in reports:
        OUT.print(f"report: {escape(str(path))}", soft_wrap=True)


def _print_failure(rule: RuleResult) -> None:
    if rule.counterexample is not None:
        OUT.print(escape(rule.counterexample.message), soft_wrap=True)
        suspects = ", ".join(f"{suspect.rule} {suspect.score:.2f}" for suspect in rule.suspects[:3])
        OUT.print(f"Suspects: {suspects}\n")
