"""`trend.md`: a table of runs for each engine, and what changed from each run to the next."""

from collections.abc import Sequence

from tidegauge.words.verdicts import SIGNS

from ..machines.inert_markdown import inert
from .course import Course, RunOfCourse

FILE_NAME = "trend.md"


def render(courses: Sequence[Course]) -> str:
    """Return the Markdown text. The same runs give the same text."""
    key = "; ".join(f"{inert(letter)} {words}" for letter, words in SIGNS.values())
    return "\n\n".join([*map(_section, courses), f"{key}."]) + "\n"


def columns() -> list[str]:
    """Return the headings of the table of runs."""
    return [
        "date",
        "version",
        "kit",
        "budget",
        *(letter for letter, _ in SIGNS.values()),
        "since previous run",
    ]


def cells(run: RunOfCourse) -> list[str]:
    """Return a row of the table of runs. The cell of a verdict that no rule has is empty."""
    counts = [str(run.counts[kind] or "") for kind in SIGNS]
    change = " ".join(filter(None, [run.change and f"{run.change}.", *run.caveats]))
    return [run.date, run.version, run.results.tidegauge, run.results.budget, *counts, change]


def _section(course: Course) -> str:
    lines = [f"| {' | '.join(map(inert, columns()))} |", "| --- " * len(columns()) + "|"]
    lines += [f"| {' | '.join(inert(cell, 500) for cell in cells(run))} |" for run in course.runs]
    return "\n\n".join([f"## {inert(course.engine)}, profile {inert(course.profile)}", "\n".join(lines)])
