"""Under the plot of a job's picture, on its time axis: how many records the windows keep."""

from markupsafe import Markup

from tidegauge.words.numbers import counted

from ..svg import box, dot, element, label, line, path, text_width
from .label_places import Box, Places, beside
from .layout import Layout
from .reading import Point
from .scale import Scale, polyline

_ROW = 13.0


def draw_kept(layout: Layout, bound: float | None) -> Markup:
    """The panel; nothing if it is not known. `bound` is the one to show, of this job or of one to compare it
    with."""
    scale = layout.kept
    if scale is None:
        return Markup("")
    area = Box(layout.gutter, scale.end, layout.right - layout.gutter, scale.begin - scale.end)
    places = Places(area)
    kept = polyline([(layout.times.at(time), scale.at(size)) for time, size in layout.job.kept])
    parts, labels = [_grid(layout, scale)], []
    if kept:
        ground = [(kept[0][0], scale.begin), *kept, (kept[-1][0], scale.begin)]
        parts += [path(ground, "kept-ground"), path(kept, "kept")]
        labels.append(_most(layout, scale, places))
        places.add_line(kept)
    if bound is not None:
        parts.append(_bound(layout, scale, bound, places))
        labels.append(_bound_label(layout, scale, bound, places))
    return Markup("").join([*parts, *labels]) + _names(layout, scale)


def most_kept(kept: list[Point]) -> Point:
    """When the windows kept the most records, and how many."""
    return max(kept, key=lambda point: point[1])


def _grid(layout: Layout, scale: Scale) -> Markup:
    drawn = [
        line(layout.gutter, scale.at(size), layout.right, scale.at(size), "grid")
        for size, _ in scale.ticks(3)
    ]
    for time, _ in layout.times.ticks(8):
        x = layout.times.at(time)
        drawn.append(line(x, scale.end, x, scale.begin, "grid"))
    drawn.append(line(layout.gutter, scale.begin, layout.right, scale.begin, "axis"))
    return Markup("").join(drawn)


def _bound(layout: Layout, scale: Scale, bound: float, places: Places) -> Markup:
    y = scale.at(bound)
    places.add_line([(layout.gutter, y), (layout.right, y)])
    return line(layout.gutter, y, layout.right, y, "bound" if layout.job.aligned else "bound absent")


def _bound_label(layout: Layout, scale: Scale, bound: float, places: Places) -> Markup:
    text = f"allowed: {bound:,.0f}" if layout.job.aligned else f"{bound:,.0f} allowed with alignment"
    y = scale.at(bound)
    edge = [(layout.gutter, y), (layout.right, y)]
    found = places.put(beside(edge, text_width(text), _ROW))
    style = "band-edge-text" if layout.job.aligned else "faint"
    return label(text, found.left + 1, found.top + 10, style, "start") if found else Markup("")


def _most(layout: Layout, scale: Scale, places: Places) -> Markup:
    time, size = most_kept(layout.job.kept)
    text = f"at most {counted(int(size), 'record')}"
    x, y, width = layout.times.at(time), scale.at(size), text_width(text)
    mark = dot(x, y, f"kept-most{_excess(layout, size)}")
    above = y - _ROW - 1
    lefts = (x + 8, x - 8 - width, x - width / 2)
    found = places.put((Box(left, above, width, _ROW), cost) for cost, left in enumerate(lefts))
    if found is None:
        return mark
    return mark + label(text, found.left + 1, found.top + 10, f"strong{_excess(layout, size)}", "start")


def _excess(layout: Layout, size: float) -> str:
    job = layout.job
    return " excess" if job.aligned and job.kept_bound is not None and size > job.kept_bound else ""


def _names(layout: Layout, scale: Scale) -> Markup:
    """What is written beside the axis. The group stays in view where the picture is moved sideways."""
    left = [
        box(0, scale.end - 6, layout.gutter, scale.begin - scale.end + 12, "paper"),
        line(layout.gutter, scale.end, layout.gutter, scale.begin, "axis"),
    ]
    left += [
        label(text, layout.gutter - 6, scale.at(size) + 4, "faint", "end") for size, text in scale.ticks(3)
    ]
    head = label(f"{scale.unit.name} that the windows keep", 8, scale.end - 8, "name", "start")
    return head + element("g", *left, class_="names")
