"""The summary of a run on the terminal."""

from collections.abc import Collection
from pathlib import Path

from rich.table import Table

from ..judging.verdicts.known_deviations import expected
from ..run.property_results import NEVER_AROSE
from ..wire.results import EngineError, Results, RuleResult, counts_of, kind_of
from ..words.conclusion import Kind, conclude
from ..words.diagnosis import DIAGNOSIS, diagnosis_words, model_words, term_name, term_words
from ..words.evidence import (
    FLAKY,
    also_in_words,
    causes_words,
    difference_words,
    downstream_words,
    error_detail,
    error_words,
    in_the_way_words,
    suspected_words,
    thin_words,
)
from ..words.isolation import interference_words
from ..words.numbers import counted, duration, listed
from ..words.run import ADAPTER_NOTES, ENDED_EARLY, extent_words, layer_words, left_out_words
from ..words.silence import others_words, silent_components
from ..words.verdicts import (
    DEVIATION_STATUSES,
    NOT_CLAIMED,
    SIGNS,
    UNFINISHED_OUTCOMES,
    item_words,
    number_words,
)
from .console import COLOURS, ERR, OUT
from .terminal_text import line, lines

_MOST_ERRORS = 10
_HEADLINES: dict[Kind, str] = {
    "conforms": "bold green",
    "deviates": "bold yellow",
    "fails": "bold red",
    "errors": "bold magenta",
    "open": "bold yellow",
}
_MOST_THIN = 40
_MOST_ROWS = 3
"""So many rules of a component with one verdict and one reason have rows; more are named in a line."""
_LONGEST_DIAGNOSIS = 1_000
_LAST_LINES = 12
"""So much of a traceback is printed; all of it is in the results."""


def print_summary(results: Results, reports: list[Path]) -> None:
    """Errors first, then failures, then whatever else needs attention; at the end the counts, what the run
    comes to, and where the report is."""
    _print_errors(results.errors)
    silent = {rules[0].id: rules for rules in silent_components(results).values()}
    not_shown = {rule.id for rules in silent.values() for rule in rules[1:]}
    for rule in sorted(results.rules, key=lambda rule: bool(rule.affected_by)):
        if kind_of(rule) == "fail" and rule.id not in not_shown:
            _print_failure(rule, others_words(silent[rule.id]) if rule.id in silent else "")
    print_models(results)
    _print_rules(results, not_shown)
    never_arose = [found.name for found in results.properties if found.reason == NEVER_AROSE]
    if never_arose:
        said = f"not tested, since what they are about never arose: {listed(never_arose, len(never_arose))}"
        OUT.print(f"{counted(len(never_arose), 'property', 'properties')} {line(said)}", soft_wrap=True)
    for property in results.properties:
        if property.verdict not in ("pass", "not-applicable") and property.name not in never_arose:
            said = f"{line(property.sentence)} {line(property.reason)}"
            OUT.print(f"property {line(property.name)} {_coloured(kind_of(property))}: {said}")
            if shown := interference_words(property):
                OUT.print(lines(shown), soft_wrap=True)
    for deviation in results.deviations:
        colour = "yellow" if expected(deviation) else "bold red"
        OUT.print(
            f"known deviation {line(deviation.name)} [{colour}]{DEVIATION_STATUSES[deviation.status]}[/]: "
            f"{line(deviation.explanation)}",
            soft_wrap=True,
        )
    if left_out := left_out_words(results):
        OUT.print(line(left_out), style="dim", soft_wrap=True)
    for item in results.items:
        if item.outcome in UNFINISHED_OUTCOMES:
            colour = "yellow" if item.outcome == "not-run" else "bold magenta"
            OUT.print(f"test item {line(item.id)} [{colour}]{line(item_words(item))}[/]", soft_wrap=True)
    implementation = results.implementation
    OUT.print(
        f"{line(implementation.name)} {line(implementation.version)} "
        f"on layer {line(layer_words(implementation))}, "
        f"profile {line(results.profile)}: {_counts(results)} of {len(results.rules)} rules; "
        f"{extent_words(results)}, {duration(results.duration_s)}, seed {results.seed}",
        soft_wrap=True,
    )
    if implementation.remark:
        OUT.print(f"{ADAPTER_NOTES}: {lines(implementation.remark)}", style="yellow", soft_wrap=True)
    if not results.complete:
        OUT.print(f"{ENDED_EARLY}; what did not run is in results.json.", style="bold red")
    if said := diagnosis_words(results):
        OUT.print(f"[bold]{DIAGNOSIS}:[/] {line(said, _LONGEST_DIAGNOSIS)}", soft_wrap=True)
    conclusion = conclude(results)
    OUT.print(line(conclusion.headline), style=_HEADLINES[conclusion.kind], soft_wrap=True)
    if reports:
        OUT.print(f"report: {line(_places(reports))}", soft_wrap=True)


def print_models(results: Results) -> None:
    """What each component behaves as: the parts of its model, each with the scenario that shows it."""
    silent = silent_components(results)
    for found in results.components:
        if found.component not in silent and (said := model_words(found)):
            OUT.print(line(said, _LONGEST_DIAGNOSIS), soft_wrap=True)
        for term in found.model:
            OUT.print(f"  [bold]{line(term_name(term))}[/]: {line(term_words(term))}", soft_wrap=True)
            if term.counterexample is not None:
                OUT.print(f"    {line(difference_words(term.counterexample))}", soft_wrap=True)
                OUT.print(f"    {line(term.counterexample.replay, 500)}", style="dim", soft_wrap=True)


def _coloured(kind: str) -> str:
    return f"[{COLOURS[kind]}]{SIGNS[kind][1]}[/]"


def _counts(results: Results) -> str:
    counts = counts_of(results.rules)
    return ", ".join(
        f"[{COLOURS[kind]}]{number_words(counts[kind], SIGNS[kind][1])}[/]"
        for kind in COLOURS
        if counts.get(kind)
    )


def _print_errors(errors: list[EngineError]) -> None:
    """How the engine gave no answer; each traceback once."""
    for error in errors[:_MOST_ERRORS]:
        OUT.print(
            f"[bold magenta]ERROR[/] {line(error.component)} {line(error_words(error))}"
            f"{line(error_detail(error))} (first in scenario {line(error.scenario)})",
            soft_wrap=True,
        )
    if len(errors) > _MOST_ERRORS:
        OUT.print(f"and {counted(len(errors) - _MOST_ERRORS, 'more error')}", style="magenta")
    for traceback in dict.fromkeys(error.traceback for error in errors[:_MOST_ERRORS] if error.traceback):
        last = "\n".join(traceback.rstrip().splitlines()[-_LAST_LINES:])
        OUT.print(lines(last), style="dim", soft_wrap=True)
    if errors:
        OUT.print()


def _print_rules(results: Results, not_shown: Collection[str]) -> None:
    """The rules that do not pass: in a line those with one reason, in a table the others, but for those that
    fail as another one does; then components of which no rule applies, and thin passes."""
    table = Table(box=None, pad_edge=False)
    for column in ("rule", "verdict", "scenarios", "title", "reason"):
        table.add_column(column, justify="right" if column == "scenarios" else "left")
    unclaimed = _unclaimed_parts(results)
    told = [
        rule
        for rule in results.rules
        if rule.verdict != "pass" and rule.component not in unclaimed and rule.id not in not_shown
    ]
    alike: dict[tuple[str, str, str], list[RuleResult]] = {}
    for rule in told:
        alike.setdefault((rule.component, kind_of(rule), _reason(rule)), []).append(rule)
    for (_, kind, reason), rules in alike.items():
        if len(rules) > _MOST_ROWS:
            names = line(", ".join(rule.id for rule in rules), _LONGEST_DIAGNOSIS)
            OUT.print(f"{names} {_coloured(kind)}: {line(reason)}", soft_wrap=True)
        for rule in rules if len(rules) <= _MOST_ROWS else ():
            verdict, count = _coloured(kind_of(rule)), str(rule.scenarios)
            table.add_row(line(rule.id), verdict, count, line(rule.title), line(_reason(rule)))
    if table.row_count:
        OUT.print(table)
    if unclaimed:
        parts = ", ".join(f"{line(name)} ({count})" for name, count in unclaimed.items())
        OUT.print(f"{NOT_CLAIMED}: {parts}", style="dim", soft_wrap=True)
    if thin := thin_words(results.rules, _MOST_THIN):
        OUT.print(line(thin), style="dim", soft_wrap=True)


def _reason(rule: RuleResult) -> str:
    told = in_the_way_words(rule) if rule.stands_in_the_way not in rule.reason else ""
    return ". ".join(filter(None, [rule.reason, told]))


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


def _print_failure(rule: RuleResult, others: str) -> None:
    """A failing rule with its counterexample. `others`: which rules fail as it does, empty if none."""
    if rule.counterexample is not None:
        OUT.print(lines(rule.counterexample.message), soft_wrap=True)
        flaky = f"{FLAKY}: {rule.flaky}" if rule.flaky is not None else ""
        told = (
            suspected_words(rule),
            causes_words(rule),
            also_in_words(rule),
            downstream_words(rule),
            flaky,
            others,
        )
        for text in filter(None, told):
            OUT.print(line(text), soft_wrap=True)
        OUT.print()
