"""The legend of a timeline: only what the drawing shows."""

from collections.abc import Callable

from markupsafe import Markup

from ..svg import box, cross, diamond, dot, label, line, text_width
from .history import History

_SIGN = 30.0
_ROW = 18.0

Sign = Callable[[float, float], Markup]


def draw_legend(history: History, marked: str, top: float, width: float) -> tuple[Markup, float]:
    """The legend from `top` on, in rows no wider than `width`, and its lower edge. `marked` says what the
    band over a step marks; it is empty if there is none."""
    drawn = []
    x, y = 8.0, top + 14
    for text, sign in _entries(history, marked):
        needed = _SIGN + text_width(text) + 14
        if x > 8 and x + needed > width:
            x, y = 8.0, y + _ROW
        drawn += [sign(x, y - 4), label(text, x + _SIGN, y, "faint", "start")]
        x += needed
    return Markup("").join(drawn), y + 8


def _entries(history: History, marked: str) -> list[tuple[str, Sign]]:
    marks = {mark.kind for lane in history.channels for mark in lane.marks}
    entries: list[tuple[str, Sign]] = []
    if "watermark" in marks or "end" in marks:
        entries.append(("watermark of the channel", _channel_sign))
    if "ignored" in marks:
        entries.append(("ignored watermark", lambda x, y: dot(x + 12, y, "ignored")))
    if "idle" in marks:
        entries.append(("channel is idle", lambda x, y: box(x, y - 6, 24, 12, "idle")))
    if "end" in marks:
        entries.append(("end of input", lambda x, y: line(x + 12, y - 7, x + 12, y + 7, "end")))
    if "other" in marks:
        entries.append(("no such channel, or it has ended", lambda x, y: cross(x + 12, y, "refused")))
    if history.whole_valve:
        entries.append(("step of the whole valve", lambda x, y: line(x + 12, y - 7, x + 12, y + 7, "moment")))
    entries.append(("expected output", _expected_sign))
    entries.append(("output got", _got_sign))
    if any(history.expected.idle) or any(history.got.idle):
        entries.append(("output is idle", _idle_sign))
    if history.spans:
        entries.append(("steps observed together", lambda x, y: line(x, y, x + 24, y, "span")))
    if marked:
        entries.append((marked, lambda x, y: box(x, y - 6, 24, 12, "difference")))
    entries.append(("heights are ranks of the timestamps, alike in all lanes", lambda x, y: Markup("")))
    return entries


def _channel_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "watermark-line") + dot(x + 12, y, "arrived")


def _expected_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "expected-line") + dot(x + 12, y, "expected")


def _got_sign(x: float, y: float) -> Markup:
    return line(x, y, x + 24, y, "got-line") + diamond(x + 12, y, "got")


def _idle_sign(x: float, y: float) -> Markup:
    return line(x, y - 3, x + 24, y - 3, "expected-idle") + line(x, y + 3, x + 24, y + 3, "got-idle")
