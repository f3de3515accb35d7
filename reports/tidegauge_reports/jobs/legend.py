"""The legend of a job's picture: only what the drawing shows."""

from collections.abc import Callable

from markupsafe import Markup

from ..svg import box, cross, known, label, line, marker, path, text_width
from ..time_words import time_words
from .layout import Layout

_SIGN = 30.0
_ROW = 18.0

Sign = Callable[[float, float], Markup]


def draw_job_legend(layout: Layout, band: bool, drift: float, lead: bool, top: float) -> tuple[Markup, float]:
    """The legend from `top` on, and its lower edge."""
    drawn = []
    x, y = 8.0, top + 14
    for text, sign in _entries(layout, band, drift, lead):
        needed = _SIGN + text_width(text) + 12
        if x > 8 and x + needed > layout.width:
            x, y = 8.0, y + _ROW
        drawn += [sign(x, y - 4), label(text, x + _SIGN, y, "faint", "start")]
        x += needed
    return Markup("").join(drawn), y + 10


def _entries(layout: Layout, band: bool, drift: float, lead: bool) -> list[tuple[str, Sign]]:
    job = layout.job
    entries: list[tuple[str, Sign]] = []
    if band and job.aligned:
        entries.append((f"allowed band: smallest watermark + {time_words(drift)} drift", _band_sign))
    elif band:
        entries.append(("bound if there were alignment", _absent_sign))
    if any(found.blocked for found in job.lines):
        entries.append(("thick: blocked", _blocked_sign))
    if any(layout.sparse(found) for found in job.lines):
        entries.append(("as logged, straight between", _known_sign))
    if any(found.ends is not None for found in job.lines):
        entries.append(("last record", _last_sign))
    if job.restarts:
        entries.append(("stopped and started again", _restart_sign))
    if job.late:
        entries.append(("record too late for its windows", _late_sign))
    if lead:
        entries.append(("largest distance", _lead_sign))
    return entries


def _band_sign(x: float, y: float) -> Markup:
    return box(x, y - 6, 24, 12, "band") + line(x, y - 6, x + 24, y - 6, "bound")


def _absent_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "bound absent")


def _blocked_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "blocked-line any") + line(x, y, x + 24, y, "subtask any")


def _known_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "subtask any") + known(x + 5, y, "any") + known(x + 19, y, "any")


def _last_sign(x: float, y: float) -> Markup:
    return marker(x + 6, y, 0, "last any") + marker(x + 18, y, 1, "last any")


def _restart_sign(x: float, y: float) -> Markup:
    return line(x + 12, y - 7, x + 12, y + 7, "restart")


def _late_sign(x: float, y: float) -> Markup:
    return cross(x + 12, y, "late")


def _lead_sign(x: float, y: float) -> Markup:
    heads = [(x + 5, y - 4), (x, y), (x + 5, y + 4)], [(x + 19, y - 4), (x + 24, y), (x + 19, y + 4)]
    return line(x, y, x + 24, y, "lead") + Markup("").join(path(head, "lead") for head in heads)
