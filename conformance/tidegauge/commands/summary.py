"""The summary of a run on the terminal: what it comes to first, then the little that helps most."""

from dataclasses import dataclass
from pathlib import Path

from ..judging.verdicts.known_deviations import expected
from ..run.property_results import NEVER_AROSE
from ..wire.results import ACCUSED, EngineError, Results, RuleResult, counts_of, kind_of
from ..words.conclusion import Kind, conclude
from ..words.diagnosis import (
    DIAGNOSIS,
    diagnosis_words,
    differences_words,
    explained_components,
    model_words,
    term_name,
    term_words,
)
from ..words.evidence import (
    difference_words,
    error_detail,
    error_place,
    error_words,
    in_the_way_words,
)
from ..words.isolation import interference_words
from ..words.numbers import counted, duration, listed
from ..words.own_profile import own_profile_remark
from ..words.run import ADAPTER_NOTES, ENDED_EARLY, extent_words, layer_words, left_out_words
from ..words.shapes import shapes_remark
from ..words.silence import silent_components
from ..words.suspects import not_implicated_words
from ..words.verdicts import (
    DEVIATION_STATUSES,
    NOT_CLAIMED,
    SIGNS,
    UNFINISHED_OUTCOMES,
    item_words,
    number_words,
)
from .console import COLOURS, ERR, OUT
from .failure_cards import print_failures
from .rule_table import coloured, print_rules, unclaimed_parts
from .terminal_text import line, lines

_MOST_ERRORS = 10
_HEADLINES: dict[Kind, str] = {
    "conforms": "bold green",
    "deviates": "bold yellow",
    "fails": "bold red",
    "errors": "bold magenta",
    "open": "bold yellow",
}
_MOST_NAMED = 12
"""Largest number of rules that are named for one reason."""
_MOST_PROPERTIES = 5
_NO_ANSWER = "the engine gave no answer in scenarios that decide it"
_LONGEST_DIAGNOSIS = 1_000
_LAST_LINES = 12
"""So much of a traceback is printed; all of it is in the results."""


@dataclass(frozen=True)
class Detail:
    """How much of a run the terminal shows. `all_of_it`: whatever the report has. `quiet`: only what the run
    comes to. `shown`: the failure that was printed during the run; it is not printed again."""

    all_of_it: bool = False
    quiet: bool = False
    shown: str = ""


def print_summary(results: Results, reports: list[Path], detail: Detail = Detail()) -> None:
    """The conclusion and the diagnosis; errors before failures, then whatever else needs attention; at the
    end where the report is."""
    _print_conclusion(results)
    if not detail.quiet:
        _print_extent(results)
        _print_what_needs_attention(results, detail)
    if reports:
        OUT.print(f"report: {line(_places(reports))}", soft_wrap=True)


def _print_what_needs_attention(results: Results, detail: Detail) -> None:
    """Errors, failures, rules and properties without a verdict, deviations, and what did not run."""
    _print_errors(results.errors)
    print_failures(results, detail.all_of_it, detail.shown)
    if detail.all_of_it:
        print_models(results)
        print_rules(results)
    _print_without_verdict(results)
    if less := not_implicated_words(results):
        OUT.print(line(less), style="dim", soft_wrap=True)
    _print_properties(results, detail)
    for deviation in results.deviations:
        colour = "yellow" if expected(deviation) else "bold red"
        OUT.print(
            f"known deviation {line(deviation.name)} [{colour}]{DEVIATION_STATUSES[deviation.status]}[/]: "
            f"{line(deviation.explanation)}",
            soft_wrap=True,
        )
    if left_out := left_out_words(results):
        OUT.print(line(left_out), style="dim", soft_wrap=True)
    _print_items(results, detail)
    for declared in filter(None, [own_profile_remark(results), shapes_remark(results.implementation)]):
        OUT.print(line(declared, _LONGEST_DIAGNOSIS), style="dim", soft_wrap=True)
    if results.implementation.remark:
        OUT.print(f"{ADAPTER_NOTES}: {lines(results.implementation.remark)}", style="yellow", soft_wrap=True)


def _print_conclusion(results: Results) -> None:
    """What the run comes to, and as what the engine behaves."""
    conclusion = conclude(results)
    OUT.print(line(conclusion.headline), style=_HEADLINES[conclusion.kind], soft_wrap=True)
    if said := diagnosis_words(results):
        OUT.print(f"[bold]{DIAGNOSIS}:[/] {line(said, _LONGEST_DIAGNOSIS)}", soft_wrap=True)
        for differences in differences_words(results):
            OUT.print(f"  {line(differences, _LONGEST_DIAGNOSIS)}", soft_wrap=True)
    if not results.complete:
        OUT.print(f"{ENDED_EARLY}; what did not run is in results.json.", style="bold red")


def _print_extent(results: Results) -> None:
    """The engine, the number of verdicts of each kind, and how much was run."""
    implementation = results.implementation
    OUT.print(
        f"{line(implementation.name)} {line(implementation.version)} "
        f"on layer {line(layer_words(implementation))}, "
        f"profile {line(results.profile)}: {_counts(results)} of {len(results.rules)} rules; "
        f"{extent_words(results)}, {duration(results.duration_s)}, seed {results.seed}",
        soft_wrap=True,
    )


def _print_items(results: Results, detail: Detail) -> None:
    """The test items that did not end as planned; those in which the engine gave no answer are counted, since
    the errors say it."""
    told = [item for item in results.items if item.outcome in UNFINISHED_OUTCOMES]
    if results.errors and not detail.all_of_it:
        erring = [item for item in told if item.outcome == "error"]
        told = [item for item in told if item.outcome != "error"]
        if erring:
            OUT.print(f"{counted(len(erring), 'test item')} [bold magenta]in error[/], as said above")
    for item in told:
        colour = "yellow" if item.outcome == "not-run" else "bold magenta"
        OUT.print(f"test item {line(item.id)} [{colour}]{line(item_words(item))}[/]", soft_wrap=True)


def _print_properties(results: Results, detail: Detail) -> None:
    """The properties that do not hold, or without a verdict."""
    never_arose = [found.name for found in results.properties if found.reason == NEVER_AROSE]
    if never_arose:
        names = f": {listed(never_arose, len(never_arose))}" if detail.all_of_it else ""
        said = f"not tested, since what they are about never arose{names}"
        OUT.print(f"{counted(len(never_arose), 'property', 'properties')} {line(said)}", soft_wrap=True)
    told = [
        found
        for found in results.properties
        if found.verdict not in ("pass", "not-applicable") and found.name not in never_arose
    ]
    told.sort(key=lambda found: found.interference is None)  # state that is shared explains the rest
    most = len(told) if detail.all_of_it else _MOST_PROPERTIES
    explained = explained_components(results)
    for property in told[:most]:
        said = f"{line(property.sentence)} {line(property.reason)}"
        if property.component in explained:
            said += ", which the diagnosis explains"
        name = line(property.name)
        OUT.print(f"property {name} {coloured(kind_of(property))}: {said}", soft_wrap=True)
        if shown := interference_words(property):
            OUT.print(lines(shown), soft_wrap=True)
    if more := len(told[most:]):
        OUT.print(f"{counted(more, 'more property', 'more properties')} in the report")


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
        place = error_place(error)
        OUT.print(
            f"[bold magenta]ERROR[/] {line(error.component)} {line(error_words(error))}"
            f"{line(error_detail(error))} ({place[0].lower()}{line(place[1:])})",
            soft_wrap=True,
        )
    if len(errors) > _MOST_ERRORS:
        OUT.print(f"and {counted(len(errors) - _MOST_ERRORS, 'more error')}", style="magenta")
    for traceback in dict.fromkeys(error.traceback for error in errors[:_MOST_ERRORS] if error.traceback):
        last = "\n".join(traceback.rstrip().splitlines()[-_LAST_LINES:])
        OUT.print(lines(last), style="dim", soft_wrap=True)
    if errors:
        OUT.print()


def _print_without_verdict(results: Results) -> None:
    """Print the rules without a verdict, one line for each reason; then the components without an applicable
    rule."""
    unclaimed = unclaimed_parts(results)
    alike: dict[tuple[str, str, str], list[str]] = {}
    for rule in results.rules:
        if rule.component not in unclaimed and kind_of(rule) not in ("pass", *ACCUSED):
            reason = _NO_ANSWER if kind_of(rule) == "error" else _reason(rule)
            alike.setdefault((rule.component, kind_of(rule), reason), []).append(rule.id)
    for (_, kind, reason), names in alike.items():
        named = line(listed(names, _MOST_NAMED), _LONGEST_DIAGNOSIS)
        OUT.print(f"{named} {coloured(kind)}: {line(reason)}", soft_wrap=True)
    if unclaimed:
        parts = [f"{line(name)} ({count})" for name, count in unclaimed.items()]
        if not {"int64", "job"} & set(results.implementation.capabilities):
            parts.append("int64 (numbers beyond 2^53)")
        OUT.print(f"{NOT_CLAIMED}: {', '.join(parts)}", style="dim", soft_wrap=True)


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
