"""Under the plot of a job's picture: for each subtask a bar for each span in which it was blocked."""

from markupsafe import Markup

from ..svg import box, element, label, line, marker, text_width
from .layout import Layout
from .reading import JobLine, blocked_words

_ROW = 17.0


def draw_strips(layout: Layout) -> tuple[Markup, float]:
    """The strips, on the time axis of the plot, and their lower edge."""
    top = layout.strips_top
    rows, names = [], []
    for number, found in enumerate(layout.job.lines):
        y = top + 8 + number * _ROW
        rows += _bars(layout, found, y)
        names.append(label(layout.job.name(found.key), layout.gutter - 18, y + 12, "", "end"))
        names.append(
            marker(layout.gutter - 9, y + 8, layout.looks[found.key], f"last look-{layout.looks[found.key]}")
        )
    bottom = top + 8 + len(layout.job.lines) * _ROW
    ground = box(0, top + 4, layout.gutter, bottom - top - 4, "paper")
    edge = line(layout.gutter, top + 6, layout.gutter, bottom, "axis")
    head = label("blocked: has records to read and does not read them", 8, top - 2, "name", "start")
    if layout.job.left_out:
        text = f"and {layout.job.left_out} more"
        names.append(label(text, layout.gutter - 18, bottom + 12, "faint", "end"))
        bottom += _ROW
    return head + Markup("").join(rows) + element("g", ground, edge, *names, class_="names"), bottom


def _bars(layout: Layout, found: JobLine, top: float) -> list[Markup]:
    """The bars of a subtask and the text beside the last of them, or before the first."""
    text = blocked_words(found).removeprefix("blocked ")
    style = f"bar look-{layout.looks[found.key]}"
    spans = [(layout.times.at(first), layout.times.at(last)) for first, last in found.blocked]
    bars = [box(left, top + 3, max(2.0, right - left), _ROW - 6, style) for left, right in spans]
    if not spans:
        return [label(text, layout.gutter + 6, top + 12, "faint", "start")]
    width = text_width(text)
    if spans[-1][1] + 6 + width <= layout.right:
        return [*bars, label(text, spans[-1][1] + 6, top + 12, "", "start")]
    if spans[0][0] - 6 - width >= layout.gutter:
        return [*bars, label(text, spans[0][0] - 6, top + 12, "", "end")]
    return [*bars, label(text, (layout.gutter + layout.right) / 2, top + 12)]
