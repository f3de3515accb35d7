"""The summary of a run on the terminal."""

from pathlib import Path

from rich.table import Table

from ..judging.verdicts.known_deviations import expected
from ..run.result_words import SUSPECTED, THIN, error_detail, error_words, kind_of, model_words
from ..wire.results import KNOWN_DEVIATIONS, EngineError, Results, RuleResult, counts_of
from .console import ERR, OUT
from .terminal_text import line, lines

_COLOURS = {
    "error": "bold magenta",
    "fail": "bold red",
    KNOWN_DEVIATIONS: "yellow",
    "not-tested": "yellow",
    "pass": "green",
    "not-applicable": "dim",
}
"""What is counted, the worst first, with its colour."""

_WORDS = {KNOWN_DEVIATIONS: "known deviation", "not-tested": "not tested", "not-applicable": "not applicable"}
_MOST_ERRORS = 10
_LAST_LINES = 12
"""So much of a traceback is printed; all of it is in the results."""


def print_summary(results: Results, reports: list[Path]) -> None:
    """Errors first, then failures, then whatever else needs attention, then the counts and where the report
    is."""
    _print_errors(results.errors)
    for rule in sorted(results.rules, key=lambda rule: bool(rule.affected_by)):
        if kind_of(rule) == "fail":
            _print_failure(rule)
    for found in results.components:
        if said := model_words(found):
            OUT.print(line(said), soft_wrap=True)
    _print_rules(results)
    for property in results.properties:
        if property.verdict not in ("pass", "not-applicable"):
            said = f"{line(property.sentence)} {line(property.reason)}"
            OUT.print(f"property {line(property.name)} {_coloured(kind_of(property))}: {said}")
    for deviation in results.deviations:
        colour = "yellow" if expected(deviation) else "bold red"
        OUT.print(
            f"known deviation {line(deviation.name)} [{colour}]{deviation.status}[/]: "
            f"{line(deviation.explanation)}",
            soft_wrap=True,
        )
    if results.left_out:
        parts = ", ".join(f"{reason} ({count:,})" for reason, count in results.left_out.items())
        OUT.print(f"scenarios that did not run on the engine: {line(parts)}", style="dim", soft_wrap=True)
    for item in results.items:
        if item.outcome in ("crashed", "timeout", "error", "not-run"):
            first = item.text.strip().splitlines()[:1] or [""]
            colour = "yellow" if item.outcome == "not-run" else "bold magenta"
            OUT.print(f"item {line(item.id)} [{colour}]{item.outcome}[/] {line(first[0])}", soft_wrap=True)
    implementation = results.implementation
    elsewhere = f" ({line(implementation.elsewhere())})" if implementation.layers else ""
    OUT.print(
        f"{line(implementation.name)} {line(implementation.version)} "
        f"on layer {line(implementation.layer)}{elsewhere}, "
        f"profile {line(results.profile)}: {_counts(results)} of {len(results.rules)} rules; "
        f"{results.counts.get('scenarios', 0):,} scenarios, {results.counts.get('steps', 0):,} steps, "
        f"{results.duration_s:.1f} s, seed {results.seed}",
        soft_wrap=True,
    )
    if implementation.remark:
        OUT.print(lines(implementation.remark), style="yellow", soft_wrap=True)
    if not results.complete:
        OUT.print("The run ended early; what did not run is in results.json.", style="bold red")
    if reports:
        OUT.print(f"report: {line(_places(reports))}", soft_wrap=True)


def _coloured(kind: str, before: str = "") -> str:
    return f"[{_COLOURS[kind]}]{before}{_WORDS.get(kind, kind)}[/]"


def _counts(results: Results) -> str:
    counts = counts_of(results.rules)
    return ", ".join(_coloured(kind, f"{counts[kind]} ") for kind in _COLOURS if counts[kind])


def _print_errors(errors: list[EngineError]) -> None:
    """How the engine gave no answer; each traceback once."""
    for error in errors[:_MOST_ERRORS]:
        OUT.print(
            f"[bold magenta]ERROR[/] {line(error.component)} {line(error_words(error))}"
            f"{line(error_detail(error))} (first in scenario {line(error.scenario)})",
            soft_wrap=True,
        )
    if len(errors) > _MOST_ERRORS:
        OUT.print(f"and {len(errors) - _MOST_ERRORS} more errors", style="magenta")
    for traceback in dict.fromkeys(error.traceback for error in errors[:_MOST_ERRORS] if error.traceback):
        last = "\n".join(traceback.rstrip().splitlines()[-_LAST_LINES:])
        OUT.print(lines(last), style="dim", soft_wrap=True)
    if errors:
        OUT.print()


def _print_rules(results: Results) -> None:
    """The rules that do not pass in a table; then components of which no rule applies, and thin passes."""
    table = Table(box=None, pad_edge=False)
    for column in ("rule", "verdict", "scenarios", "title", "reason"):
        table.add_column(column, justify="right" if column == "scenarios" else "left")
    unclaimed = _unclaimed_parts(results)
    for rule in results.rules:
        if rule.verdict != "pass" and rule.component not in unclaimed:
            verdict, count = _coloured(kind_of(rule)), str(rule.scenarios)
            table.add_row(line(rule.id), verdict, count, line(rule.title), line(_reason(rule)))
    if table.row_count:
        OUT.print(table)
    if unclaimed:
        parts = ", ".join(f"{line(name)} ({count})" for name, count in unclaimed.items())
        OUT.print(f"not claimed by this engine: {parts}", style="dim", soft_wrap=True)
    thin = [rule.id for rule in results.rules if rule.verdict == "pass" and rule.thin]
    if thin:
        OUT.print(f"pass on {THIN}: {line(', '.join(thin))}", style="dim", soft_wrap=True)


def _reason(rule: RuleResult) -> str:
    stands = rule.stands_in_the_way
    return f"{rule.reason} (scenario {stands})" if stands and stands not in rule.reason else rule.reason


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
        if rule.suspected:
            OUT.print(f"{line(rule.id)} is the {SUSPECTED}")
        OUT.print(f"Suspiciousness: {suspects}")
        if rule.also_in:
            OUT.print(f"Downstream, as they build on it: {line(', '.join(rule.also_in))}")
        if rule.affected_by:
            roots = line(", ".join(rule.affected_by))
            OUT.print(f"Downstream failure; root cause: {roots}. Start there.")
        OUT.print()
