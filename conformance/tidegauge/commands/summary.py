"""The summary of a run on the terminal."""

from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ..judging.known_deviations import expected
from ..results import VERDICTS, Results, RuleResult
from ..scored_results import not_scored
from .console import OUT

_COLOURS = {
    "pass": "green",
    "fail": "bold red",
    "not-applicable": "dim",
    "not-judged": "yellow",
    "not-run": "red",
}


_NOT_SCORED = " (not scored)"


def print_summary(results: Results, reports: list[Path]) -> None:
    """Verdicts that need attention first, then the counts and where the report is."""
    for rule in sorted(results.rules, key=lambda rule: bool(rule.affected_by)):
        if rule.verdict == "fail":
            _print_failure(rule)
    table = Table(box=None, pad_edge=False)
    for column in ("rule", "verdict", "scenarios", "title", "reason"):
        table.add_column(column, justify="right" if column == "scenarios" else "left")
    unclaimed = _unclaimed_parts(results)
    for rule in results.rules:
        if rule.verdict != "pass" and rule.component not in unclaimed:
            colour = _COLOURS[rule.verdict]
            verdict = f"[{colour}]{rule.verdict}[/]{_NOT_SCORED * (not rule.scored)}"
            table.add_row(rule.id, verdict, str(rule.scenarios), escape(rule.title), escape(rule.reason))
    if table.row_count:
        OUT.print(table)
    if unclaimed:
        parts = ", ".join(f"{name} ({count})" for name, count in unclaimed.items())
        OUT.print(f"not applicable, and no rule of them judged: {parts}", style="dim", soft_wrap=True)
    for property in results.properties:
        if property.verdict == "fail":
            verdict = f"[bold red]fail[/]{_NOT_SCORED * (not property.scored)}"
            OUT.print(f"property {property.name} {verdict}: {escape(property.sentence)} {property.reason}")
    for deviation in results.deviations:
        colour = "yellow" if expected(deviation) else "bold red"
        OUT.print(
            f"known deviation {escape(deviation.name)} [{colour}]{deviation.status}[/]: "
            f"{escape(deviation.explanation)}",
            soft_wrap=True,
        )
    if results.left_out:
        parts = ", ".join(f"{reason} ({count:,})" for reason, count in results.left_out.items())
        OUT.print(f"scenarios that were not put to the engine: {escape(parts)}", style="dim", soft_wrap=True)
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
    elsewhere = f" ({escape(implementation.elsewhere())})" if implementation.layers else ""
    OUT.print(
        f"{escape(implementation.name)} {escape(implementation.version)} "
        f"on layer {implementation.layer}{elsewhere}, "
        f"profile {results.profile}: {counts} of {sum(rule.scored for rule in results.rules)} rules; "
        f"{results.counts['scenarios']:,} scenarios, {results.counts['steps']:,} steps, "
        f"{results.duration_s:.1f} s, seed {results.seed}",
        soft_wrap=True,
    )
    if unscored := not_scored(results):
        OUT.print(escape(unscored), soft_wrap=True)
    if implementation.remark:
        OUT.print(escape(implementation.remark), style="yellow", soft_wrap=True)
    if not results.complete:
        OUT.print("The run ended early; what was not run is in results.json.", style="bold red")
    for path in reports:
        OUT.print(f"report: {escape(str(path))}", soft_wrap=True)


def _unclaimed_parts(results: Results) -> dict[str, int]:
    """The components of which no rule applies, with the number of their rules; none if that is all."""
    numbers: dict[str, list[bool]] = {}
    for rule in results.rules:
        numbers.setdefault(rule.component, []).append(rule.verdict == "not-applicable")
    unclaimed = {name: len(inapplicable) for name, inapplicable in numbers.items() if all(inapplicable)}
    return {} if len(unclaimed) == len(numbers) else unclaimed


def _print_failure(rule: RuleResult) -> None:
    if rule.counterexample is not None:
        OUT.print(escape(rule.counterexample.message), soft_wrap=True)
        suspects = ", ".join(f"{suspect.rule} {suspect.score:.2f}" for suspect in rule.suspects[:3])
        OUT.print(f"Suspects: {suspects}")
        if rule.also_in:
            OUT.print(f"Also affected, as they build on it: {', '.join(rule.also_in)}")
        if rule.affected_by:
            OUT.print(f"Also affected: it builds on what fails {', '.join(rule.affected_by)}; begin there")
        OUT.print()
