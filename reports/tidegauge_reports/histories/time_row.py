"""The row of the time that passes, beside the steps."""

from markupsafe import Markup

from ..svg import box, centered, element, label, line
from .geometry import ROW, Geometry
from .history import History


def time_height(history: History) -> float:
    """The height (px) of the row; 0 if no time passes."""
    if not history.clock:
        return 0.0
    return 8 + ROW * max(len(history.clock), 1 + any(passed.words for passed in history.passed.values()))


def draw_time(history: History, top: float, geometry: Geometry) -> tuple[Markup, Markup]:
    """The row and its name, with their upper edge at `top`."""
    if not history.clock:
        return Markup(""), Markup("")
    second = top + 14 + ROW * any(passed.words for passed in history.passed.values())
    drawn = [line(0, top, geometry.right, top, "border")]
    for column, passed in history.passed.items():
        x = geometry.center(column)
        if passed.words:
            drawn.append(centered(passed.words, x, top + 14, "strong"))
        if passed.makes:
            drawn.append(centered(f"= {passed.makes}", x, second, "faint"))
    names = [
        box(0, top, geometry.gutter - 4, time_height(history), "paper"),
        line(0, top, geometry.gutter - 4, top, "border"),
        *(
            label(text, 8, top + 14 + row * ROW, "name" if row == 0 else "faint", "start")
            for row, text in enumerate(history.clock)
        ),
    ]
    return element("g", *drawn), element("g", *names)
