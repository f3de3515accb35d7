"""`matrix.html`: rules by engines, one file that needs nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import quote

from markupsafe import Markup

from tidegauge.words import run, verdicts
from tidegauge.words.verdicts import SIGNS

from ..pages.environment import packaged, page_environment, style_sheet
from .columns import Column
from .table import Matrix, Row

FILE_NAME = "matrix.html"

_MOST_EXPLAINED = 300


def render(matrix: Matrix) -> str:
    """The page. The same matrix gives the same page."""
    script = packaged(__package__, "script.js")
    environment = page_environment(__package__)
    environment.globals.update(signs=SIGNS, verdicts=verdicts, of_run=run, in_report=_in_report)
    contested = sorted((row for row in matrix.rows if row.contested), key=lambda row: -row.failing)
    return environment.get_template("matrix.html.j2").render(
        matrix=matrix,
        contested=contested[:_MOST_EXPLAINED],
        anchors={
            row.rule.id: f"rule-{number}-{_slug(row.rule.id)}"
            for number, row in enumerate(contested[:_MOST_EXPLAINED])
        },
        not_explained=len(contested[_MOST_EXPLAINED:]),
        differing=sum(row.differs for row in matrix.rows),
        style=style_sheet(__package__),
        script=Markup(script),
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _in_report(column: Column, row: Row) -> str:
    """The address of a rule in the report of a run; empty if it has none."""
    return f"{column.run.report}#{quote(_slug(row.rule.id))}" if column.run.report else ""


def _slug(id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", id)[:60]
