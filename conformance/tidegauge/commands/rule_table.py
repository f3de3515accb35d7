"""The rules of a run on the terminal, a line each, whatever its width."""

from rich.table import Table

from tidegauge_spec import load_registry

from ..wire.results import Results, kind_of
from ..words.evidence import not_excluded_words, thin_words
from ..words.verdicts import SIGNS
from .console import COLOURS, OUT
from .terminal_text import line

_LONGEST_ID = max(map(len, load_registry().rules))
_MOST_THIN = 40


def print_rules(results: Results) -> None:
    """Every rule of the components that the engine claims, the title cut where there is no room; then the
    passes on thin evidence, and the mutants of scale that no pass excludes."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rule", no_wrap=True, min_width=_LONGEST_ID)
    table.add_column("verdict", no_wrap=True, min_width=max(len(words) for _, words in SIGNS.values()))
    table.add_column("scenarios", no_wrap=True, min_width=len("scenarios"), justify="right")
    table.add_column("title", no_wrap=True, overflow="ellipsis")
    unclaimed = unclaimed_parts(results)
    for rule in results.rules:
        if rule.component not in unclaimed:
            table.add_row(line(rule.id), coloured(kind_of(rule)), f"{rule.scenarios:,}", line(rule.title))
    if table.row_count:
        OUT.print(table)
    if thin := thin_words(results.rules, _MOST_THIN):
        OUT.print(line(thin), style="dim", soft_wrap=True)
    if left_open := not_excluded_words(results.rules, _MOST_THIN):
        OUT.print(line(left_open), style="dim", soft_wrap=True)


def coloured(kind: str) -> str:
    """A verdict in its colour, as rich reads it."""
    return f"[{COLOURS[kind]}]{SIGNS[kind][1]}[/]"


def unclaimed_parts(results: Results) -> dict[str, int]:
    """The components of which no rule applies, with the number of their rules; none if that is all."""
    numbers: dict[str, list[bool]] = {}
    for rule in results.rules:
        numbers.setdefault(rule.component, []).append(rule.verdict == "not-applicable")
    unclaimed = {name: len(inapplicable) for name, inapplicable in numbers.items() if all(inapplicable)}
    return {} if len(unclaimed) == len(numbers) else unclaimed
