"""`summary.md`: what a run found, for the page of a CI job (`cat summary.md >> $GITHUB_STEP_SUMMARY`)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tidegauge.wire.results import (
    ACCUSED,
    EngineError,
    Results,
    RuleResult,
    counts_of,
    kind_of,
)
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.diagnosis import DIAGNOSIS, diagnosis_words, model_words
from tidegauge.words.evidence import (
    ERRORS,
    IN_THE_WAY,
    error_detail,
    error_place,
    error_words,
    not_excluded_words,
    thin_words,
)
from tidegauge.words.numbers import counted, duration
from tidegauge.words.run import ADAPTER_NOTES, extent_words, layer_words
from tidegauge.words.suspects import (
    SUSPECTS,
    not_implicated_words,
    suspected_together,
)
from tidegauge.words.verdicts import DEVIATION_STATUSES, OUTCOMES, SIGNS, UNFINISHED_OUTCOMES

from ..chapter_titles import chapter_title
from ..text_file import write_text_file
from .inert_markdown import block, bold, inert, link, prose
from .markdown_failures import failure_block, suspects_block

FILE_NAME = "summary.md"
MOST_BYTES = 60_000
"""So long the file may be: a job page takes 1 MiB for all of its steps, others much less."""

MOST_ROWS = 40
"""So many entries of a list are shown."""

_ROOM_AFTER_FAILURES = 15_000
_LONGEST_COMMAND = 6_000
_MOST_ERRORS = 10
_KINDS = {"conforms": "✅", "deviates": "⚠️", "fails": "❌", "errors": "💥", "open": "❔"}


def write(results: Results, folder: Path) -> Path:
    """Write `summary.md` into `folder`, which is made if need be; the path of the file."""
    return write_text_file(folder / FILE_NAME, render(results))


def render(results: Results) -> str:
    """The summary, of at most `MOST_BYTES` bytes in UTF-8. The same results give the same text."""
    last = (
        f"Made by Tidegauge {inert(results.tidegauge, 40)} from `results.json`; the pictures and all rules "
        "are in `report.html`."
    )
    page = _Page(MOST_BYTES - len(last.encode()) - 2)
    page.add(_head(results, conclude(results)))
    _add_errors(page, results.errors)
    page.add(_components(results.rules))
    page.add(inert(not_implicated_words(results), 400))
    _add_failures(page, results.rules)
    _add_suspects(page, results)
    for section in (
        *(_properties(results), _deviations(results), _not_tested(results)),
        *(_thin(results.rules), _items(results)),
    ):
        page.add(section)
    return f"{page.text()}\n{last}\n"


class _Page:
    """Blocks of Markdown that together stay below a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._blocks: list[str] = []
        self._left = most_bytes

    def add(self, block: str, leave: int = 0) -> bool:
        """Add a block if it fits, and `leave` bytes stay free; whether it did."""
        size = len(block.encode()) + 2
        if not block or size + leave > self._left:
            return False
        self._blocks.append(block)
        self._left -= size
        return True

    def text(self) -> str:
        """All blocks, with empty lines between them."""
        return "\n\n".join(self._blocks) + "\n"


def _head(results: Results, conclusion: Conclusion) -> str:
    implementation = results.implementation
    told = [
        f"{bold(implementation.name)} {inert(implementation.version, 60)}",
        f"profile {inert(results.profile, 60)}",
        f"layer {inert(layer_words(implementation), 200)}",
        f"spec {inert(results.spec, 40)}",
        f"seed {results.seed}, budget {inert(results.budget, 40)}",
        extent_words(results),
        duration(results.duration_s),
    ]
    lines = [f"## {_KINDS[conclusion.kind]} {inert(conclusion.headline)}", "", " · ".join(told)]
    diagnosis = diagnosis_words(results)
    models = filter(None, map(model_words, results.components[:40]))
    notes = [f"{ADAPTER_NOTES}: {implementation.remark}"] if implementation.remark else []
    said = [f"{DIAGNOSIS}: {diagnosis}"] if diagnosis else []
    remarks = [*said, *models, *conclusion.remarks, *notes]
    if remarks:
        lines += ["", *(f"* {inert(remark, 400)}" for remark in remarks[:12])]
    return "\n".join(lines)


def _components(rules: list[RuleResult]) -> str:
    """One row for each component; columns that would be empty are left out."""
    components: dict[str, list[RuleResult]] = {}
    for rule in rules:
        components.setdefault(rule.component, []).append(rule)
    whole = counts_of(rules)
    kinds = [kind for kind in SIGNS if whole[kind] or kind in ("pass", "fail")]
    rows = [
        [inert(chapter_title(name), 80), *(_number(counts[kind], kind) for kind in kinds)]
        for name, found in components.items()
        for counts in [counts_of(found)]
    ]
    return _table(["component", *(SIGNS[kind][1] for kind in kinds)], rows, numbers=True)


def _number(count: int, kind: str) -> str:
    return f"**{count:,}**" if count and kind in (*ACCUSED, "error") else f"{count:,}"


def _add_errors(page: _Page, errors: list[EngineError]) -> None:
    """How the engine gave no answer; then the tracebacks, each once, as far as there is room."""
    if not errors:
        return
    lines = [f"### {ERRORS}", ""]
    lines += [
        f"* **{inert(error.component, 60)}** {inert(error_words(error), 200)}{inert(error_detail(error))}. "
        f"{inert(error_place(error), 140)}."
        for error in errors[:_MOST_ERRORS]
    ]
    if len(errors) > _MOST_ERRORS:
        lines.append(f"* … {len(errors) - _MOST_ERRORS:,} more")
    page.add("\n".join(lines))
    for traceback in dict.fromkeys(error.traceback for error in errors[:_MOST_ERRORS] if error.traceback):
        folded = f"<details><summary>Traceback</summary>\n\n{block(traceback, longest=2_000)}\n\n</details>"
        page.add(folded, leave=2 * _ROOM_AFTER_FAILURES)


def _add_failures(page: _Page, rules: list[RuleResult]) -> None:
    failing = sorted((rule for rule in rules if kind_of(rule) == "fail"), key=_order)
    if not failing or not page.add(f"### {counted(len(failing), 'failing rule')}"):
        return
    for number, rule in enumerate(failing):
        if not page.add(failure_block(rule), leave=_ROOM_AFTER_FAILURES):
            page.add(_no_room(failing[number:]))
            return


def _add_suspects(page: _Page, results: Results) -> None:
    """Add the suspects of each difference with the counterexample that they share."""
    together = suspected_together(results)
    if not together or not page.add(f"### {SUSPECTS}"):
        return
    titles = {rule.id: rule.title for rule in results.rules}
    for number, suspects in enumerate(together):
        if not page.add(suspects_block(suspects, titles), leave=_ROOM_AFTER_FAILURES):
            left = [rule for rules in together[number:] for rule in rules]
            page.add(_no_room(left))
            return


def _no_room(left: Sequence[RuleResult]) -> str:
    ids = ", ".join(inert(rule.id, 40) for rule in left[:MOST_ROWS])
    more = " and others" * (len(left) > MOST_ROWS)
    return f"Not shown here for want of room, see `report.html`: {ids}{more}."


def _order(rule: RuleResult) -> tuple[bool, bool]:
    """The key to sort failing rules: flaky rules last, and root causes before rules that build on them."""
    return rule.flaky is not None, bool(rule.affected_by)


def _properties(results: Results) -> str:
    rows = [
        [inert(found.name, 80), prose(found.sentence, 300), inert(found.reason)]
        for found in results.properties
        if kind_of(found) == "fail"
    ]
    return _section("Violated properties", ["property", "what it says", ""], rows)


def _deviations(results: Results) -> str:
    rows = [
        [
            inert(found.name, 80),
            inert(", ".join(found.rules), 120),
            f"{DEVIATION_STATUSES[found.status]}: {inert(found.explanation)}",
            f"{inert(found.reason)} {link(found.link, found.link)}",
        ]
        for found in results.deviations
    ]
    return _section("Known deviations", ["deviation", "rules", "in this run", "reason"], rows)


def _not_tested(results: Results) -> str:
    rows = [
        [
            inert(rule.id, 60),
            SIGNS[rule.verdict][1],
            prose(rule.title, 120),
            inert(rule.reason),
            inert(rule.stands_in_the_way, 120),
        ]
        for rule in sorted(results.rules, key=lambda rule: rule.verdict != "error")
        if rule.verdict in ("error", "not-tested")
    ]
    columns = ["rule", "verdict", "title", "reason", IN_THE_WAY.lower()]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return _section("Rules in error and not tested", columns, rows)


def _thin(rules: list[RuleResult]) -> str:
    """The passes that exclude few mutants, and the mutants of scale that none excludes, a line each."""
    said = (thin_words(rules, MOST_ROWS), not_excluded_words(rules, MOST_ROWS))
    return "\n\n".join(inert(one, 2_000) for one in said if one)


def _items(results: Results) -> str:
    rows = [
        [inert(item.id, 80), OUTCOMES[item.outcome], inert(item.text, 200)]
        for item in results.items
        if item.outcome in UNFINISHED_OUTCOMES
    ]
    return _section("Test items without a result", ["item", "outcome", "text"], rows)


def _section(title: str, columns: list[str], rows: list[list[str]]) -> str:
    return f"### {title}\n\n{_table(columns, rows)}" if rows else ""


def _table(columns: list[str], rows: list[list[str]], numbers: bool = False) -> str:
    """A table of cells that are inert already; the rows beyond `MOST_ROWS` are only counted."""
    lines = [_row(columns), _row(["---", *(["--:" if numbers else "---"] * (len(columns) - 1))])]
    lines += [_row(row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(_row([f"… {len(rows) - MOST_ROWS:,} more", *([""] * (len(columns) - 1))]))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
