"""A comparison in words: sections with rows, the same for a terminal and for a page."""

from dataclasses import dataclass

from tidegauge.wire.results import ACCUSED, RuleResult, counts_of, kind_of
from tidegauge.words.evidence import error_detail, error_words
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import DEVIATION_STATUSES, NOT_IN_RUN, SIGNS, standing

from ..text import short
from .comparison import Comparison, DeviationChange, PropertyChange
from .component_changes import ComponentChange
from .rule_changes import Kind, RuleChange

MOST_ROWS = 60
"""So many rows of a section are shown."""

_LONGEST = 300


@dataclass(frozen=True)
class Section:
    """A heading, the names of the columns, and rows; a remark below. The texts are foreign and shortened."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    worse: bool = False
    remark: str = ""


def headline(comparison: Comparison) -> str:
    """What a comparison comes to, in one sentence."""
    errors = [change.name for change in comparison.components if change.worse]
    violated = sum(change.worse for change in comparison.properties)
    properties = counted(violated, "property is", "properties are")
    worse = [
        _rules(_worse(comparison, "newly in error"), "is newly in error", "are newly in error"),
        f"more errors in {short(', '.join(errors), 120)}" if errors else "",
        _rules(_worse(comparison, "newly failing"), "newly fails", "newly fail"),
        _rules(_worse(comparison, "newly suspect"), "is newly suspect", "are newly suspect"),
        _rules(
            _worse(comparison, "verdict lost") + len(comparison.lost),
            "is no longer tested",
            "are no longer tested",
        ),
        _rules(_worse(comparison, "no longer claimed"), "is no longer claimed", "are no longer claimed"),
        f"{properties} newly violated or in error" if violated else "",
    ]
    if any(worse):
        return f"Worse: {', '.join(filter(None, worse))}"
    better = _rules(len(comparison.of_kind("newly passing")), "newly passes", "newly pass")
    if better:
        return f"Nothing got worse, and {better}"
    if comparison.components and comparison.same_verdicts:
        return "No verdict changed, the numbers of failing scenarios did"
    return "Nothing changed" if comparison.same else "Nothing got worse"


def _worse(comparison: Comparison, kind: Kind) -> int:
    return sum(change.worse for change in comparison.of_kind(kind))


def _rules(number: int, one: str, several: str) -> str:
    """So many rules, and what they do; empty for none."""
    return f"{counted(number, 'rule')} {one if number == 1 else several}" if number else ""


def sections(comparison: Comparison) -> list[Section]:
    """What is to be said, the worst first; only sections with something in them."""
    of_kind = comparison.of_kind
    found = [
        _components(comparison),
        _changes("Newly in error", of_kind("newly in error")),
        _changes("Newly failing", of_kind("newly failing")),
        _changes("Newly suspect", of_kind("newly suspect")),
        _changes("No longer tested", of_kind("verdict lost")),
        _changes("No longer claimed", of_kind("no longer claimed")),
        _lost(comparison.lost),
        _properties(comparison.properties),
        _changes("Newly passing", of_kind("newly passing")),
        _changes("Other changes", of_kind("other")),
        _by_verdict("Rules only in the new run", comparison.added),
        _by_verdict(
            "Rules only in the old run",
            [rule for rule in comparison.removed if rule not in comparison.lost],
        ),
        _deviations(comparison.deviations),
        _coverage(comparison),
        _identity(comparison),
    ]
    return [section for section in found if section.rows]


def caveats(comparison: Comparison) -> list[str]:
    """How far the two runs can be compared: a sentence for each difference that matters."""
    return [
        f"Other {one.what}: {one.old} before, {one.new} now; {one.consequence}."
        for one in comparison.identity
        if one.consequence
    ]


def totals(comparison: Comparison) -> str:
    """How much the two runs exercised in all."""
    both = (("scenarios", comparison.coverage.scenarios), ("steps", comparison.coverage.steps))
    said = "; ".join(f"{name} {old:,} before, {new:,} now" for name, (old, new) in both)
    return f"In all: {said}."


def engine_words(comparison: Comparison) -> str:
    """What was compared, in a line."""
    old, new = comparison.old, comparison.new
    names = [
        short(f"{run.implementation.name} {run.implementation.version}", 100) + f", {short(run.started, 40)}"
        for run in (old, new)
    ]
    return f"{names[0]} → {names[1]}"


def _changes(title: str, changes: list[RuleChange]) -> Section:
    rows: list[tuple[str, ...]] = [
        (
            short(change.new.id, 60),
            f"{standing(change.old).words} → {standing(change.new).words}"
            + (f" ({change.remark})" if change.remark else ""),
            short(change.new.title, 120),
            short(change.why, _LONGEST),
        )
        for change in changes
    ]
    worse = any(change.worse for change in changes)
    return Section(title, ("rule", "verdict", "title", "reason"), rows, worse)


def _components(comparison: Comparison) -> Section:
    rows = [_component(change, comparison) for change in comparison.components]
    worse = any(change.worse for change in comparison.components)
    columns = ("component", "in error", "failing", "scenarios", "what the engine does now")
    return Section("Errors and failing scenarios", columns, rows, worse)


def _component(change: ComponentChange, comparison: Comparison) -> tuple[str, ...]:
    numbers = [
        (one.errors, one.failing, one.scenarios) if one is not None else (0, 0, 0)
        for one in (change.old, change.new)
    ]
    said = "; ".join(
        f"{error_words(error)}{error_detail(error)}"
        for error in comparison.new.errors
        if error.component == change.name
    )
    changes = (f"{old:,} → {new:,}" for old, new in zip(*numbers, strict=True))
    return (short(change.name, 60), *changes, short(said, _LONGEST))


def _lost(rules: list[RuleResult]) -> Section:
    rows: list[tuple[str, ...]] = [
        (short(rule.id, 60), f"{standing(rule).words} → {NOT_IN_RUN[1]}", short(rule.title, 120))
        for rule in rules
    ]
    title = "Not in the new run, and passed before"
    return Section(title, ("rule", "verdict", "title"), rows, worse=bool(rows))


def _by_verdict(title: str, rules: list[RuleResult]) -> Section:
    rows: list[tuple[str, ...]] = []
    counts = counts_of(rules)
    for kind in sorted(SIGNS, key=lambda kind: kind not in ("error", *ACCUSED)):
        ids = [rule.id for rule in rules if kind_of(rule) == kind]
        if ids:
            rows.append((SIGNS[kind][1], f"{counts[kind]:,}", short(", ".join(ids), 600)))
    return Section(title, ("verdict", "number", "rules"), rows)


def _properties(changes: list[PropertyChange]) -> Section:
    rows: list[tuple[str, ...]] = []
    for change in changes:
        now = change.new or change.old
        assert now is not None
        old, new = (SIGNS[kind_of(one)][1] if one else NOT_IN_RUN[1] for one in (change.old, change.new))
        said = short(now.reason if change.new else "", _LONGEST)
        rows.append((short(change.name, 80), f"{old} → {new}", short(now.sentence, 200), said))
    worse = any(change.worse for change in changes)
    return Section("Properties", ("property", "verdict", "what it says", "reason"), rows, worse)


def _deviations(changes: list[DeviationChange]) -> Section:
    rows: list[tuple[str, ...]] = []
    for change in changes:
        now = change.new or change.old
        assert now is not None
        old, new = (
            DEVIATION_STATUSES[one.status] if one else "not known" for one in (change.old, change.new)
        )
        rows.append(
            (
                short(change.name, 80),
                f"{old} → {new}",
                short(", ".join(now.rules), 120),
                short(now.reason, _LONGEST),
            )
        )
    return Section("Known deviations", ("deviation", "status", "rules", "reason"), rows)


def _coverage(comparison: Comparison) -> Section:
    rows: list[tuple[str, ...]] = [
        (
            short(fall.id, 60),
            f"{fall.scenarios[0]:,} → {fall.scenarios[1]:,}",
            f"{fall.steps[0]:,} → {fall.steps[1]:,}",
        )
        for fall in comparison.coverage.falls
    ]
    title = "Exercised less than half as often"
    remark = ""
    if any(one.what == "budget" for one in comparison.identity):
        remark = "The budgets differ, which explains it."
    return Section(title, ("rule", "scenarios", "steps"), rows, remark=remark)


def _identity(comparison: Comparison) -> Section:
    rows: list[tuple[str, ...]] = [(one.what, one.old, one.new) for one in comparison.identity]
    return Section("What else is not the same", ("", "before", "now"), rows)


def left_out(section: Section) -> str:
    """How many rows are not shown; empty if none."""
    more = len(section.rows) - MOST_ROWS
    return f"… and {counted(more, 'more row')}." if more > 0 else ""
