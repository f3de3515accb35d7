"""The legend of a timeline: only what the drawing shows."""

from collections.abc import Callable

from markupsafe import Markup

from ..svg import box, cross, diamond, dot, element, label, line, text_width, triangle
from .geometry import NARROW
from .history import History, SpanKind, StripKind
from .lane import SPAN_STYLES
from .output_lane import has_plot, strips_shown

_SIGN = 30.0
_ROW = 18.0

Sign = Callable[[float, float], Markup]

_SPANS: dict[SpanKind, str] = {
    "idle": "is idle",
    "no data": "has no data, is not blocked",
    "empty": "has no partitions",
    "claims": "says that it has backlog",
    "blocked": "is blocked",
    "down": "does not run",
    "absent": "is not there",
}
_STRIPS: dict[StripKind, str] = {
    "idle": "output is idle",
    "blocked": "subtask is blocked",
    "backlog": "output is backlog",
}


def draw_legend(history: History, marked: str, top: float) -> tuple[Markup, float]:
    """The legend from `top` on, and its lower edge. It is narrow and moves with the names, so that all of it
    can be read beside any step. `marked` says what the band over a step marks; empty if there is none."""
    drawn = []
    x, y = 8.0, top + 14
    for text, sign in _entries(history, marked):
        needed = _SIGN + text_width(text) + 14
        if x > 8 and x + needed > NARROW:
            x, y = 8.0, y + _ROW
        drawn += [sign(x, y - 4), label(text, x + _SIGN, y, "faint", "start")]
        x += needed
    return element("g", *drawn, class_="names"), y + 8


def _entries(history: History, marked: str) -> list[tuple[str, Sign]]:
    entries = [*_mark_entries(history)]
    for kind, words in _SPANS.items():
        if any(any(lane.during[kind]) for lane in history.lanes):
            entries.append((words, _span_sign(SPAN_STYLES[kind])))
    if history.moments:
        entries.append(
            ("step of the whole component", lambda x, y: line(x + 12, y - 7, x + 12, y + 7, "moment"))
        )
    plot = has_plot(history)
    if plot:
        entries.append(("expected", _expected_sign))
        if history.compared:
            entries.append(("got", _got_sign))
    strip_sign = _strip_sign if history.compared else _expected_strip_sign
    entries += [(_STRIPS[strip], strip_sign(strip)) for strip in strips_shown(history)]
    if any(any(lasted) for lane in history.lanes for lasted in lane.paused.values()):
        entries.append(("split is paused", strip_sign("paused")))
    if any(any(answer.windows) for answer in (history.expected, history.got)):
        entries.append(("window that fires, from start to end", strip_sign("window")))
    if history.together:
        entries.append(("steps observed together", lambda x, y: line(x, y, x + 24, y, "span")))
    if marked:
        entries.append((marked, lambda x, y: box(x, y - 6, 24, 12, "difference")))
    entries += [(note, _no_sign) for note in history.notes]
    if plot or any(lane.has_heights for lane in history.lanes):
        entries.append(("heights show the order of times, not their distance", _no_sign))
    return entries


def _mark_entries(history: History) -> list[tuple[str, Sign]]:
    marks = {mark.kind for lane in history.lanes for mark in lane.marks}
    signs: list[tuple[bool, str, Sign]] = [
        ("watermark" in marks or "end" in marks, history.line, _channel_sign),
        ("ignored" in marks, "ignored watermark", lambda x, y: dot(x + 12, y, "ignored")),
        ("end" in marks, "end of input", lambda x, y: line(x + 12, y - 7, x + 12, y + 7, "end")),
        ("record" in marks, "record", lambda x, y: triangle(x + 12, y, "record")),
        ("late" in marks, "late record", lambda x, y: triangle(x + 12, y, "late")),
        ("unread" in marks, "record is not read", lambda x, y: triangle(x + 12, y, "ignored")),
        ("refused" in marks, "changes nothing, or is refused", lambda x, y: cross(x + 12, y, "refused")),
    ]
    return [(text, sign) for shown, text, sign in signs if shown]


def _span_sign(style: str) -> Sign:
    if style == "stripes":
        return lambda x, y: element("path", d=f"M{x:g} {y:g}h24", class_=style, stroke_width=12)
    return lambda x, y: box(x, y - 6, 24, 12, style)


def _strip_sign(kind: str) -> Sign:
    return lambda x, y: (
        line(x, y - 3, x + 24, y - 3, f"expected-{kind}") + line(x, y + 3, x + 24, y + 3, f"got-{kind}")
    )


def _expected_strip_sign(kind: str) -> Sign:
    return lambda x, y: line(x, y, x + 24, y, f"expected-{kind}")


def _no_sign(_x: float, _y: float) -> Markup:
    return Markup("")


def _channel_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "watermark-line") + dot(x + 12, y, "arrived")


def _expected_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "expected-line") + dot(x + 12, y, "expected")


def _got_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "got-line") + diamond(x + 12, y, "got")
