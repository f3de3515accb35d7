"""The matrix as data: for each chapter its rules, for each rule how every engine stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tidegauge.wire.results import ACCUSED, RuleResult, counts_of
from tidegauge.words.verdicts import SIGNS, Standing, standing

from ..chapter_titles import chapter_title
from ..text import short
from .columns import Column, Run, columns_of
from .questions import NOT_IN_RUN, Answer, Question, answer, read_questions

_LONGEST_ID = 40


@dataclass(frozen=True)
class Cell:
    """How an engine stands with a rule, and the run's own record."""

    standing: Standing
    result: RuleResult


@dataclass(frozen=True)
class Row:
    """A rule. `cells` has one for each column, None where it is not in the run."""

    rule: RuleResult
    cells: tuple[Cell | None, ...]

    @property
    def id(self) -> str:
        """The rule's id, fit to be shown."""
        return short(self.rule.id, _LONGEST_ID) or "a rule without an id"

    @property
    def differs(self) -> bool:
        """Whether any two engines stand differently with it."""
        return len({cell.standing.sign for cell in self.cells if cell is not None}) > 1

    @property
    def groups(self) -> list[tuple[Cell, list[int]]]:
        """The columns that claim it, by how they stand: a cell of each group, and where its columns are."""
        groups: dict[tuple[str, str], tuple[Cell, list[int]]] = {}
        for place, cell in enumerate(self.cells):
            if cell is not None and cell.result.verdict != "not-applicable":
                groups.setdefault((cell.standing.sign, cell.standing.reason), (cell, []))[1].append(place)
        return list(groups.values())

    @property
    def contested(self) -> bool:
        """Whether two engines that claim it stand differently with it."""
        return len({cell.standing.sign for cell, _ in self.groups}) > 1

    @property
    def failing(self) -> int:
        """Number of engines that fail the rule, have it as a suspect, or give no answer."""
        return sum(cell is not None and cell.standing.kind in (*ACCUSED, "error") for cell in self.cells)


@dataclass(frozen=True)
class Chapter:
    """The rules of a chapter."""

    name: str
    component: str
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """What it is about."""
        return short(chapter_title(self.component), 80)

    def counts(self, column: int) -> dict[str, int]:
        """How many of its rules are of each kind in a column; only kinds that occur."""
        counts = counts_of(cell.result for row in self.rows if (cell := row.cells[column]) is not None)
        return {kind: counts[kind] for kind in SIGNS if counts[kind]}

    def missing(self, column: int) -> int:
        """How many of its rules are not in the run of a column."""
        return sum(row.cells[column] is None for row in self.rows)


@dataclass(frozen=True)
class Matrix:
    """Rules by engines."""

    columns: tuple[Column, ...]
    chapters: tuple[Chapter, ...]

    @cached_property
    def questions(self) -> list[tuple[Question, list[Answer | None]]]:
        """The questions that a run has tested, with the answer of each column."""
        asked = [
            (question, [answer(question, column.run.results) for column in self.columns])
            for question in read_questions()
        ]
        return [
            (question, answers)
            for question, answers in asked
            if any(given not in (None, NOT_IN_RUN) for given in answers)
        ]

    @property
    def rows(self) -> list[Row]:
        """All rules, chapter after chapter."""
        return [row for chapter in self.chapters for row in chapter.rows]

    @property
    def whole(self) -> Chapter:
        """All rules as if they were one chapter."""
        return Chapter("all", "", tuple(self.rows))

    @property
    def notes(self) -> dict[str, str]:
        """The marks beside verdicts that occur, each with its meaning."""
        cells = [cell for row in self.rows for cell in row.cells if cell is not None]
        return dict(sorted({note for cell in cells for note in cell.standing.notes}))


def build_matrix(runs: Sequence[Run]) -> Matrix:
    """The matrix of these runs, at least one; columns in their order. Rules stand in the order of the runs
    that have the most of them."""
    by_run = [{rule.id: rule for rule in run.results.rules} for run in runs]
    rules: dict[str, RuleResult] = {}
    for found in sorted(by_run, key=len, reverse=True):
        for id, rule in found.items():
            rules.setdefault(id, rule)
    chapters: dict[tuple[str, str], list[Row]] = {}
    for id, rule in rules.items():
        name = short(id.rpartition("-")[0], _LONGEST_ID) or short(rule.component.upper(), _LONGEST_ID)
        cells = tuple(_cell(found.get(id)) for found in by_run)
        chapters.setdefault((name, rule.component), []).append(Row(rule, cells))
    return Matrix(
        tuple(columns_of(runs)),
        tuple(Chapter(name, component, tuple(rows)) for (name, component), rows in chapters.items()),
    )


def _cell(rule: RuleResult | None) -> Cell | None:
    return None if rule is None else Cell(standing(rule), rule)
