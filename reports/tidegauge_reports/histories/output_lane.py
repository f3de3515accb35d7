"""The drawing of what came out: the expected outputs and those of the engine, one above the other."""

from markupsafe import Markup

from ..svg import box, centered, diamond, dot, element, label, line, stairs, text_width
from ..wording import NO_ANSWER
from .geometry import NAMES, ROW, Geometry
from .history import STRIPS, Answer, History, StripKind

_MOST_LABELS = 6
_HEAD = 20.0
_STRIP = 7.0
_GOT_OFFSET = 3.0
"""The line of the engine runs this much (px) below the expected one where they agree."""


def strips_shown(history: History) -> list[StripKind]:
    """What lasts at any time, as expected or as got."""
    return [kind for kind in STRIPS if any(history.expected.during[kind]) or any(history.got.during[kind])]


def has_plot(history: History) -> bool:
    """Whether anything that came out has a height."""
    return any(
        any(answer.points) or any(answer.windows) or answer.levels
        for answer in (history.expected, history.got)
    )


def output_height(history: History, geometry: Geometry) -> float:
    """The height (px) of the lane."""
    _, _, bottom, got_top = _edges(history, 0, geometry)
    return got_top + _rows(history.got) * ROW + 8 if history.compared else bottom + 8


def draw_outputs(history: History, top: float, geometry: Geometry) -> Markup:
    """The lane, with its upper edge at `top`."""
    expected_top, plot_top, bottom, got_top = _edges(history, top, geometry)
    parts = [
        line(0, top, geometry.right, top, "border strong"),
        _labels(history.expected, expected_top, "expected-text", geometry),
    ]
    if history.compared:
        parts.append(_labels(history.got, got_top, "got-text", geometry))
    if has_plot(history):
        parts += [
            line(geometry.gutter, bottom, geometry.right, bottom, "floor"),
            _plot(history.expected, bottom, "expected", geometry),
            _plot(history.got, bottom + _GOT_OFFSET, "got", geometry),
        ]
    for row, kind in enumerate(strips_shown(history)):
        parts += [
            line(left, y, right, y, f"{side}-{kind}")
            for side, answer, y in (
                ("expected", history.expected, plot_top - 8 - row * _STRIP),
                ("got", history.got, bottom + 11 + row * _STRIP),
            )
            for left, right in geometry.spans(answer.during[kind], answer.silent_from)
        ]
    for first, last in history.together:
        parts.append(line(geometry.lefts[first] + 4, top + 5, geometry.lefts[last + 1] - 4, top + 5, "span"))
    return element("g", *parts)


def draw_names(history: History, top: float, geometry: Geometry) -> Markup:
    """The names at the left of the lane, on a ground of their own: they may be moved over the lane."""
    expected_top, _, _, got_top = _edges(history, top, geometry)
    return element(
        "g",
        box(0, top, geometry.gutter - 4, output_height(history, geometry), "paper"),
        line(0, top, geometry.gutter - 4, top, "border strong"),
        label(NAMES[0], 8, top + 15, "name", "start"),
        label(NAMES[1], 8, expected_top + 11, "expected-text", "start"),
        label(NAMES[2], 8, got_top + 11, "got-text", "start") if history.compared else "",
    )


def _edges(history: History, top: float, geometry: Geometry) -> tuple[float, float, float, float]:
    """The upper edge of the expected labels, both edges of the plot, the upper edge of the labels got."""
    strips = _STRIP * max(0, len(strips_shown(history)) - 1)
    plot_top = top + _HEAD + _rows(history.expected) * ROW + 12 + strips
    bottom = plot_top + (geometry.plot if has_plot(history) else 0)
    return top + _HEAD, plot_top, bottom, bottom + 14 + strips


def _rows(outputs: Answer) -> int:
    return max(1, *(min(_MOST_LABELS + 1, len(said or ())) for said in outputs.labels))


def _labels(outputs: Answer, top: float, style: str, geometry: Geometry) -> Markup:
    """The outputs of each step, one below the other, in the order in which they came."""
    written = []
    for column, said in enumerate(outputs.labels):
        x = geometry.center(column)
        if column == outputs.silent_from:
            written.append(centered(NO_ANSWER, x, top + 11, f"{style} strong"))
        if said is None:
            continue
        texts = list(said[:_MOST_LABELS]) or ["–"]
        if len(said) > _MOST_LABELS:
            texts.append(f"+{len(said) - _MOST_LABELS} more")
        for row, text in enumerate(texts):
            y = top + 11 + row * ROW
            if text in ("IDLE", "ACTIVE"):
                width = text_width(text) + 4
                written.append(box(x - width / 2, y - 10, width, 13, f"tag {style}"))
            written.append(centered(text, x, y, style if said else "faint"))
    return Markup("").join(written)


def _plot(outputs: Answer, bottom: float, style: str, geometry: Geometry) -> Markup:
    """Lines with their points, and a bar for each window that fires, from its start to its end."""
    point = dot if style == "expected" else diamond
    drawn = [
        stairs(piece, f"{style}-line")
        for levels in outputs.levels.values()
        for piece in geometry.lines(levels, bottom, outputs.silent_from)
    ]
    for column, windows in enumerate(outputs.windows):
        for number, (start, end) in enumerate(windows[:_MOST_LABELS]):
            x = geometry.center(column) + (-9 - 8 * number if style == "expected" else 9 + 8 * number)
            low, high = bottom - geometry.height(start), bottom - geometry.height(end)
            drawn.append(line(x, low, x, high, f"{style}-window"))
    for column, points in enumerate(outputs.points):
        drawn += [
            point(geometry.center(column), bottom - geometry.height(time), style)
            for time in dict.fromkeys(points)
        ]
    return Markup("").join(drawn)
