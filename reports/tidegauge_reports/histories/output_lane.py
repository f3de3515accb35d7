"""The drawing of what came out: the expected outputs and those of the engine, one above the other."""

from markupsafe import Markup

from ..svg import box, diamond, dot, element, label, line, path, text_width
from ..wording import NO_ANSWER
from .geometry import ROW, Geometry
from .history import History, OutputLine

NAMES = ("downstream", "expected", "got")

_MOST_LABELS = 6
_HEAD = 20.0
_GOT_OFFSET = 3.0
"""The line of the engine runs this much (px) below the expected one where they agree."""


def output_height(history: History, geometry: Geometry) -> float:
    """The height (px) of the lane."""
    return _HEAD + (_rows(history.expected) + _rows(history.got)) * ROW + geometry.plot + 34


def draw_outputs(history: History, top: float, geometry: Geometry) -> Markup:
    """The lane, with its upper edge at `top`."""
    expected_top, plot_top, bottom, got_top = _edges(history, top, geometry)
    parts = [
        line(0, top, geometry.right, top, "border strong"),
        line(geometry.gutter, bottom, geometry.right, bottom, "floor"),
        _labels(history.expected, expected_top, "expected-text", geometry),
        _labels(history.got, got_top, "got-text", geometry),
        _status_strip(history.expected, plot_top - 8, "expected-idle", geometry),
        _status_strip(history.got, bottom + 11, "got-idle", geometry),
        _line(history.expected, bottom, "expected", geometry),
        _line(history.got, bottom + _GOT_OFFSET, "got", geometry),
    ]
    for first, last in history.spans:
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
        label(NAMES[2], 8, got_top + 11, "got-text", "start"),
    )


def _edges(history: History, top: float, geometry: Geometry) -> tuple[float, float, float, float]:
    """The upper edge of the expected labels, both edges of the plot, the upper edge of the labels got."""
    plot_top = top + _HEAD + _rows(history.expected) * ROW + 12
    bottom = plot_top + geometry.plot
    return top + _HEAD, plot_top, bottom, bottom + 14


def _rows(outputs: OutputLine) -> int:
    return max(1, *(min(_MOST_LABELS + 1, len(said or ())) for said in outputs.labels))


def _labels(outputs: OutputLine, top: float, style: str, geometry: Geometry) -> Markup:
    """The outputs of each step, one below the other, in the order in which they came."""
    written = []
    for column, said in enumerate(outputs.labels):
        x = geometry.center(column)
        if column == outputs.silent_from:
            written.append(label(NO_ANSWER, x, top + 11, f"{style} strong"))
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
            written.append(label(text, x, y, style if said else "faint"))
    return Markup("").join(written)


def _line(outputs: OutputLine, bottom: float, style: str, geometry: Geometry) -> Markup:
    point = dot if style == "expected" else diamond
    drawn = [path(geometry.steps(outputs.levels, bottom, outputs.silent_from), f"{style}-line")]
    for column, rises in enumerate(outputs.rises):
        drawn += [point(geometry.center(column), bottom - geometry.height(time), style) for time in rises]
    return Markup("").join(drawn)


def _status_strip(outputs: OutputLine, y: float, style: str, geometry: Geometry) -> Markup:
    """A bar as long as the output is idle."""
    drawn = []
    end = len(outputs.rises) if outputs.silent_from is None else outputs.silent_from
    for column in range(end):
        x = geometry.center(column)
        following = geometry.center(column + 1) if column + 1 < len(outputs.rises) else geometry.right
        if outputs.idle[column + 1]:
            drawn.append(line(x, y, following, y, style))
    return Markup("").join(drawn)
