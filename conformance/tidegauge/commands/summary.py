"""The summary of a run on the terminal."""

from pathlib import Path

from rich.table import Table

from ..judging.known_deviations import expected
from ..results import VERDICTS, Results, RuleResult
from .console import ERR, OUT
from .terminal_text import line, lines

_COLOURS = {
    "pass": "green",
    "fail": "bold red",
    "not-applicable": "dim",
    "not-tested": "yellow",
    "error": "red",
}


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
            verdict = f"[{colour}]{rule.verdict}[/]"
            table.add_row(line(rule.id), verdict, str(rule.scenarios), line(rule.title), line(rule.reason))
    if table.row_count:
        OUT.print(table)
    if unclaimed:
        parts = ", ".join(f"{line(name)} ({count})" for name, count in unclaimed.items())
        OUT.print(f"not applicable, and no rule of them judged: {parts}", style="dim", soft_wrap=True)
    for property in results.properties:
        if property.verdict not in ("pass", "not-applicable"):
            colour = _COLOURS[property.verdict]
            verdict = f"[{colour}]{property.verdict}[/]"
            said = f"{line(property.sentence)} {line(property.reason)}"
            OUT.print(f"property {line(property.name)} {verdict}: {said}")
    for deviation in results.deviations:
        colour = "yellow" if expected(deviation) else "bold red"
        OUT.print(
            f"known deviation {line(deviation.name)} [{colour}]{deviation.status}[/]: "
            f"{line(deviation.explanation)}",
            soft_wrap=True,
        )
    if results.left_out:
        parts = ", ".join(f"{reason} ({count:,})" for reason, count in results.left_out.items())
        OUT.print(f"scenarios that were not put to the engine: {line(parts)}", style="dim", soft_wrap=True)
    for item in results.items:
        if item.outcome in ("crashed", "timeout", "error", "not-run"):
            first = item.text.strip().splitlines()[:1] or [""]
            OUT.print(f"item {line(item.id)} [bold red]{item.outcome}[/] {line(first[0])}", soft_wrap=True)
    counts = ", ".join(
        f"[{_COLOURS[name]}]{count} {name}[/]" for name in VERDICTS if (count := results.counts.get(name, 0))
    )
    implementation = results.implementation
    elsewhere = f" ({line(implementation.elsewhere())})" if implementation.layers else ""
    OUT.print(
        f"{line(implementation.name)} {line(implementation.version)} "
        f"on layer {line(implementation.layer)}{elsewhere}, "
        f"profile {line(results.profile)}: {counts} of {len(results.rules)} rules; "
        f"{results.counts.get('scenarios', 0):,} scenarios, {results.counts.get('steps', 0):,} steps, "
        f"{results.duration_s:.1f} s, seed {results.seed}",
        soft_wrap=True,
    )
    if implementation.remark:
        OUT.print(lines(implementation.remark), style="yellow", soft_wrap=True)
    if not results.complete:
        OUT.print("The run ended early; what was not run is in results.json.", style="bold red")
    if reports:
        OUT.print(f"report: {line(_places(reports))}", soft_wrap=True)


def print_problems(problems: list[str]) -> None:
    """The reports that failed, a line each."""
    for problem in problems:
        ERR.print(f"tidegauge: {line(problem, 500)}", soft_wrap=True)


def _places(reports: list[Path]) -> str:
    """Where the report for people is, and what else is beside it."""
    first = next((path for path in reports if path.suffix == ".html"), reports[0])
    others = [path for path in reports if path != first]
    names = [path.name if path.parent == first.parent else str(path) for path in others]
    return f"{first}, beside it {', '.join(names)}" if names else str(first)


def _unclaimed_parts(results: Results) -> dict[str, int]:
    """The components of which no rule applies, with the number of their rules; none if that is all."""
    numbers: dict[str, list[bool]] = {}
    for rule in results.rules:
        numbers.setdefault(rule.component, []).append(rule.verdict == "not-applicable")
    unclaimed = {name: len(inapplicable) for name, inapplicable in numbers.items() if all(inapplicable)}
    return {} if len(unclaimed) == len(numbers) else unclaimed


def _print_failure(rule: RuleResult) -> None:
    if rule.counterexample is not None:
        OUT.print(lines(rule.counterexample.message), soft_wrap=True)
        suspects = ", ".join(f"{line(suspect.rule)} {suspect.score:.2f}" for suspect in rule.suspects[:3])
        OUT.print(f"Suspects: {suspects}")
        if rule.also_in:
            OUT.print(f"Also affected, as they build on it: {line(', '.join(rule.also_in))}")
        if rule.affected_by:
            roots = line(", ".join(rule.affected_by))
            OUT.print(f"Also affected: it builds on what fails {roots}; begin there")
        OUT.print()
