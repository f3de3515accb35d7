"""`matrix.csv` and `matrix.json`: the verdicts of a matrix as data, for spreadsheets and programs.

One record per engine and rule, so that a pivot table, pandas or a database needs no parsing of headings.
"""

import csv
import io
from collections.abc import Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from tidegauge.wire.results import KNOWN_DEVIATIONS

from ..text import short
from .columns import Column
from .table import Cell, Matrix

CSV_FILE_NAME = "matrix.csv"
JSON_FILE_NAME = "matrix.json"

FORMAT = 1
"""The version of the fields of both files."""

_LONGEST_TEXT = 500


class Verdict(Struct, frozen=True):
    """The verdict on one rule for one engine.

    engine: the number of the engine, as in the list `engines` of the JSON file. name, version, profile: the
    engine and the profile that it was judged against. kind: the verdict of the run, "known-deviation" for a
    documented deviation of the engine, or "absent" if the rule is not in the run. reason: why it is not
    "pass"; it may be empty. policy: the policy whose reading the verdict follows; it may be empty. scenarios:
    the number of scenarios in which the rule decided.
    """

    engine: int
    name: str
    version: str
    profile: str
    rule: str
    chapter: str
    level: str
    title: str
    kind: str
    reason: str = ""
    policy: str = ""
    scenarios: int = 0


class Engine(Struct, frozen=True):
    """A column of the matrix.

    distinction: what distinguishes the run from others of the same engine, version and profile. overall:
    "conforms", "deviates", "fails", "errors" or "open". headline: `overall` as a sentence. started: when the
    run began (ISO 8601). The other fields are those of the run.
    """

    name: str
    version: str
    profile: str
    distinction: str
    overall: str
    headline: str
    spec: str
    budget: str
    seed: int
    started: str


class EngineAnswer(Struct, frozen=True):
    """The answer of a run to a question.

    engine: the number of the engine. question, answer: as in the table of questions. policy, value: the
    policy value behind the answer; for a question about rules, the policy is empty and the value is "kept"
    or "broken". but: sentences that limit the answer. rules: the rules on which the answer is based.
    """

    engine: int
    question: str
    answer: str
    policy: str
    value: str
    but: tuple[str, ...]
    rules: tuple[str, ...]


class VerdictTable(Struct, frozen=True):
    """The content of `matrix.json`. format: the version of its fields."""

    format: int
    engines: list[Engine]
    answers: list[EngineAnswer]
    verdicts: list[Verdict]


def render_json(matrix: Matrix) -> str:
    """Return the verdicts as JSON."""
    table = VerdictTable(
        format=FORMAT,
        engines=[_engine(column) for column in matrix.columns],
        answers=list(_answers(matrix)),
        verdicts=list(_verdicts(matrix)),
    )
    return msgspec.json.format(msgspec.json.encode(table), indent=1).decode() + "\n"


def render_csv(matrix: Matrix) -> str:
    """Return the verdicts as CSV, with a heading.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(Verdict.__struct_fields__)
    for verdict in _verdicts(matrix):
        writer.writerow([_inert(value) for value in asdict(verdict).values()])
    return written.getvalue()


def _engine(column: Column) -> Engine:
    results = column.run.results
    return Engine(
        name=column.name,
        version=column.version,
        profile=column.profile,
        distinction=column.distinction,
        overall=column.conclusion.kind,
        headline=short(column.conclusion.headline, _LONGEST_TEXT),
        spec=short(results.spec, _LONGEST_TEXT),
        budget=short(results.budget, _LONGEST_TEXT),
        seed=results.seed,
        started=short(results.started, _LONGEST_TEXT),
    )


def _answers(matrix: Matrix) -> Iterator[EngineAnswer]:
    """Yield the answers question by question, without engines that claim none of the rules."""
    for question, answers in matrix.questions:
        for number, given in enumerate(answers):
            if given is not None:
                yield EngineAnswer(
                    engine=number,
                    question=question.text,
                    answer=given.text,
                    policy=question.policy,
                    value=given.value,
                    but=tuple(short(sentence, _LONGEST_TEXT) for sentence in given.but),
                    rules=given.rules,
                )


def _verdicts(matrix: Matrix) -> Iterator[Verdict]:
    """Yield the verdicts engine by engine, in the order of the rules."""
    for number, column in enumerate(matrix.columns):
        for chapter in matrix.chapters:
            for row in chapter.rows:
                cell = row.cells[number]
                yield Verdict(
                    engine=number,
                    name=column.name,
                    version=column.version,
                    profile=column.profile,
                    rule=row.id,
                    chapter=chapter.name,
                    level=short(row.rule.level, _LONGEST_TEXT),
                    title=short(row.rule.title, _LONGEST_TEXT),
                    kind=_kind(cell),
                    reason="" if cell is None else short(cell.standing.reason, _LONGEST_TEXT),
                    policy="" if cell is None else short(cell.result.policy or "", _LONGEST_TEXT),
                    scenarios=0 if cell is None else cell.result.scenarios,
                )


def _kind(cell: Cell | None) -> str:
    if cell is None:
        return "absent"
    return "known-deviation" if cell.standing.kind == KNOWN_DEVIATIONS else cell.standing.kind


def _inert(value: object) -> object:
    """Return a value that no spreadsheet interprets as a formula."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )
