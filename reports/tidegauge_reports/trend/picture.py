"""`trend.svg`: a bar for each run, oldest first, on a background of its own."""

from collections.abc import Sequence

from markupsafe import Markup

from tidegauge.words.numbers import counted

from ..svg import element, label
from ..text import short
from ..verdict_bars import bar, in_order, legend, style
from .course import Course, RunOfCourse

FILE_NAME = "trend.svg"

_MARGIN = 14.0
_NAMES = 190.0
_BARS = 560.0
_HEAD = 34.0
_ROW = 22.0
_WIDTH = _MARGIN + _NAMES + _BARS + _MARGIN


def render(courses: Sequence[Course]) -> str:
    """Return the picture as one SVG element. The same runs give the same picture."""
    drawn: list[Markup] = []
    top = _MARGIN
    for course in courses:
        drawn.append(label(f"{course.engine}, profile {course.profile}", _MARGIN, top + 14, "head", "start"))
        top += _HEAD - 10
        for run in course.runs:
            drawn += _row(run, top)
            top += _ROW
        top += 14
    runs = [run for course in courses for run in course.runs]
    kinds = {kind for run in runs for kind in in_order(run.counts)}
    meanings, lower_edge = legend(kinds, _MARGIN, _WIDTH - _MARGIN, top)
    bottom = lower_edge + _MARGIN
    words = "; ".join(f"{run.date} {run.version}: {run.headline}" for run in runs)
    return str(element(
        "svg",
        element("title", f"{counted(len(runs), 'run')} of {counted(len(courses), 'engine')} over time"),
        element("desc", words),
        element("style", style()),
        element("rect", x=0.5, y=0.5, width=_WIDTH - 1, height=bottom - 1, rx=8, class_="paper"),
        *drawn,
        meanings,
        xmlns="http://www.w3.org/2000/svg",
        class_="verdict-bars",
        role="img",
        width=_WIDTH,
        height=bottom,
        viewBox=f"0 0 {_WIDTH:g} {bottom:g}",
    )) + "\n"  # fmt: skip


def _row(run: RunOfCourse, top: float) -> list[Markup]:
    """Draw the date and the version of a run, and its bar."""
    return [
        label(f"{run.date}  {short(run.version, 16)}", _MARGIN, top + 11, "faint", "start"),
        bar(run.counts, _MARGIN + _NAMES, top, _BARS),
    ]
