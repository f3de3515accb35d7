"""`trend.svg`: a bar for each run, oldest first, on a background of its own."""

from collections.abc import Sequence

from markupsafe import Markup

from tidegauge.words.numbers import counted

from ..svg import label
from ..text import short
from ..verdict_bars import MARGIN, bar, framed_picture, in_order
from .course import Course, RunOfCourse

FILE_NAME = "trend.svg"

_NAMES = 190.0
_BARS = 560.0
_HEAD = 34.0
_ROW = 22.0
_WIDTH = MARGIN + _NAMES + _BARS + MARGIN


def render(courses: Sequence[Course]) -> str:
    """Return the picture as one SVG element. The same runs give the same picture."""
    drawn: list[Markup] = []
    top = MARGIN
    for course in courses:
        drawn.append(label(f"{course.engine}, profile {course.profile}", MARGIN, top + 14, "head", "start"))
        top += _HEAD - 10
        for run in course.runs:
            drawn += _row(run, top)
            top += _ROW
        top += 14
    runs = [run for course in courses for run in course.runs]
    kinds = {kind for run in runs for kind in in_order(run.counts)}
    words = "; ".join(f"{run.date} {run.version}: {run.headline}" for run in runs)
    return framed_picture(
        title=f"{counted(len(runs), 'run')} of {counted(len(courses), 'engine')} over time",
        description=words,
        drawn=drawn,
        kinds=kinds,
        width=_WIDTH,
        top=top,
    )


def _row(run: RunOfCourse, top: float) -> list[Markup]:
    """Draw the date and the version of a run, and its bar."""
    return [
        label(f"{run.date}  {short(run.version, 16)}", MARGIN, top + 11, "faint", "start"),
        bar(run.counts, MARGIN + _NAMES, top, _BARS),
    ]
