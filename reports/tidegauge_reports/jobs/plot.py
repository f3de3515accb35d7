"""The plot of a job's picture: axes, the allowed band, the lines of the subtasks."""

from collections.abc import Iterable
from itertools import pairwise

from markupsafe import Markup

from ..svg import box, cross, element, known, label, line, marker, path, text_width
from ..time_words import time_words
from .label_places import Box, Places, beside
from .layout import Bundle, Layout, Panel
from .reading import Lead, Point
from .scale import cut_above, polyline

_ROW = 13.0
_TOLERATED = 1.02
_GRID = 12


def draw_plot(layout: Layout, band: list[Point], drift: float, lead: Lead | None) -> Markup:
    """All panels with their axes. `band` is the one to show, of this job or of one to compare it with."""
    parts: list[Markup] = []
    labels: list[Markup] = []
    for panel in layout.panels:
        area = _area(layout, panel)
        places = Places(area)
        parts.append(_grid(layout, panel))
        floor, ceiling = ([], []) if panel.far else _band_edges(layout, panel, band, drift)
        parts.append(_band(floor, ceiling, panel.scale.end, layout.job.aligned))
        parts.append(_restarts(layout, panel))
        bundles = [bundle for bundle in layout.bundles if bundle.panel is panel]
        for bundle in bundles:
            parts.append(_bundle(layout, bundle))
            places.add_line(_placed(layout, bundle))
        places.add_line(ceiling)
        if not panel.far:
            parts.append(_late(layout, panel))
        shown_lead = None if panel.far else lead
        if shown_lead is not None:
            parts.append(_arrow(layout, panel, shown_lead))
            x = layout.times.at(shown_lead.time)
            places.add_line([(x, panel.scale.at(shown_lead.low)), (x, panel.scale.at(shown_lead.high))])
        labels += [_bundle_label(layout, bundle, places) for bundle in bundles]
        if shown_lead is not None:
            labels.append(_lead_label(layout, panel, shown_lead, places))
        if floor:
            labels.append(_band_label(layout.job.aligned, drift, floor, ceiling, places))
    return Markup("").join([*parts, *labels]) + _names(layout)


def _area(layout: Layout, panel: Panel) -> Box:
    return Box(
        layout.gutter,
        panel.scale.end,
        layout.right - layout.gutter,
        panel.scale.begin - panel.scale.end,
    )


def _grid(layout: Layout, panel: Panel) -> Markup:
    drawn = []
    for time, _ in panel.scale.ticks(3 if panel.far else 6):
        y = panel.scale.at(time)
        drawn.append(line(layout.gutter, y, layout.right, y, "grid"))
    for time, _ in layout.times.ticks(8):
        x = layout.times.at(time)
        drawn.append(line(x, panel.scale.end, x, panel.scale.begin, "grid"))
    drawn.append(line(layout.gutter, panel.scale.begin, layout.right, panel.scale.begin, "axis"))
    return Markup("").join(drawn)


def _names(layout: Layout) -> Markup:
    """What is written beside the axes. The group stays in view where the picture is moved sideways."""
    lower = [
        label(text, layout.times.at(time), layout.bottom + 15, "faint")
        for time, text in layout.times.ticks(8)
    ]
    name = f"processing time, {layout.times.unit.name}"
    lower.append(label(name, layout.gutter, layout.bottom + 30, "name", "start"))
    left = []
    for panel in layout.panels:
        left.append(
            box(0, panel.scale.end - 6, layout.gutter, panel.scale.begin - panel.scale.end + 12, "paper")
        )
        left.append(line(layout.gutter, panel.scale.end, layout.gutter, panel.scale.begin, "axis"))
        left += [
            label(text, layout.gutter - 6, panel.scale.at(time) + 4, "faint", "end")
            for time, text in panel.scale.ticks(3 if panel.far else 6)
        ]
        rows = len(panel.title)
        lower += [
            label(text, 8, panel.scale.end - 8 - _ROW * (rows - 1 - row), "name", "start")
            for row, text in enumerate(panel.title)
        ]
    return Markup("").join(lower) + element("g", *left, class_="names")


def _band_edges(
    layout: Layout, panel: Panel, band: list[Point], drift: float
) -> tuple[list[Point], list[Point]]:
    """The lower and the upper edge of the band, as far as the panel shows them."""
    shown = [(time, minimum) for time, minimum in band if layout.times.low <= time <= layout.times.high]
    bounds = [(time, minimum + drift) for time, minimum in shown]
    edges = []
    for points in (shown, bounds):
        inside = [
            (layout.times.at(time), panel.scale.at(max(value, panel.scale.low)))
            for time, value in cut_above(points, panel.scale.high)
        ]
        edges.append(polyline(inside))
    return edges[0], edges[1]


def _band(floor: list[Point], ceiling: list[Point], top: float, aligned: bool) -> Markup:
    """The band; its upper edge only where it is below the `top` of the panel."""
    pieces: list[list[Point]] = [[]]
    for before, after in pairwise(ceiling):
        if max(before[1], after[1]) <= top + 0.1:
            pieces.append([])
            continue
        pieces[-1] = [*(pieces[-1] or [before]), after]
    edge = Markup("").join(path(piece, "bound" if aligned else "bound absent") for piece in pieces)
    return path([*floor, *reversed(ceiling)], "band") + edge if aligned else edge


def _restarts(layout: Layout, panel: Panel) -> Markup:
    shown = [time for time in layout.job.restarts if layout.times.low <= time <= layout.times.high]
    return Markup("").join(
        line(layout.times.at(time), panel.scale.end, layout.times.at(time), panel.scale.begin, "restart")
        for time in shown
    )


def _late(layout: Layout, panel: Panel) -> Markup:
    """A cross for each record that came too late for its windows."""
    times, values = layout.times, panel.scale
    shown = [
        (times.at(time), values.at(timestamp))
        for time, timestamp in layout.job.late
        if times.low <= time <= times.high and values.low <= timestamp <= values.high
    ]
    return Markup("").join(dict.fromkeys(cross(round(x, 1), round(y, 1), "late") for x, y in shown))


def _bundle(layout: Layout, bundle: Bundle) -> Markup:
    look = f"look-{bundle.look}"
    drawn: dict[Markup, None] = {}
    for found in bundle.lines:
        for first, last in found.blocked:
            points = layout.place(bundle.panel, found, found.during(first, last))
            drawn[path(polyline(points, 2), f"blocked-line {look}")] = None
    for found in bundle.lines:
        points = layout.place(bundle.panel, found, found.drawn)
        drawn[path(polyline(points), f"subtask {look}")] = None
        if layout.sparse(found):
            drawn |= {known(x, y, look): None for x, y in points}
        if found.ends is not None:
            drawn[marker(*points[-1], bundle.look, f"last {look}")] = None
    return element("g", *drawn)


def _placed(layout: Layout, bundle: Bundle) -> list[Point]:
    longest = max(bundle.lines, key=lambda found: found.drawn[-1][0])
    return polyline(layout.place(bundle.panel, longest, longest.drawn))


def _bundle_label(layout: Layout, bundle: Bundle, places: Places) -> Markup:
    found = places.put(beside(_placed(layout, bundle), _width(bundle.label), _ROW * len(bundle.label)))
    return _written(bundle.label, found, f"series look-{bundle.look}")


def _arrow(layout: Layout, panel: Panel, lead: Lead) -> Markup:
    x, low, high = layout.times.at(lead.time), panel.scale.at(lead.low), panel.scale.at(lead.high)
    heads = [(x - 4, low - 7), (x, low), (x + 4, low - 7)], [(x - 4, high + 7), (x, high), (x + 4, high + 7)]
    style = f"lead{_excess(layout, lead)}"
    return line(x, low, x, high, style) + Markup("").join(path(head, style) for head in heads)


def _lead_label(layout: Layout, panel: Panel, lead: Lead, places: Places) -> Markup:
    text = [f"{time_words(lead.most)} apart"]
    if _excess(layout, lead):
        text.append(f"{time_words(layout.job.allowed or 0)} allowed")
    x, low, high = layout.times.at(lead.time), panel.scale.at(lead.low), panel.scale.at(lead.high)
    width, height = _width(text), _ROW * len(text)

    def candidates() -> Iterable[tuple[Box, float]]:
        for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
            y = low + (high - low) * part - height / 2
            yield Box(x + 7, y, width, height), abs(part - 0.5)
            yield Box(x - 7 - width, y, width, height), abs(part - 0.5)

    return _written(text, places.put(candidates()), f"strong{_excess(layout, lead)}")


def _excess(layout: Layout, lead: Lead) -> str:
    allowed = layout.job.allowed
    return " excess" if allowed is not None and lead.most > _TOLERATED * allowed else ""


def _band_label(
    aligned: bool, drift: float, floor: list[Point], ceiling: list[Point], places: Places
) -> Markup:
    if aligned:
        text = ["allowed band:", f"slowest + {time_words(drift)}"]
        return _written(text, places.put(_within(floor, ceiling, _width(text), _ROW * 2)), "band-text")
    text = [f"slowest + {time_words(drift)}:", "not enforced"]
    return _written(text, places.put(beside(ceiling, _width(text), _ROW * 2)), "faint")


def _within(
    floor: list[Point], ceiling: list[Point], width: float, height: float
) -> Iterable[tuple[Box, float]]:
    """Places within the band, best in its middle."""
    left, right = floor[0][0], floor[-1][0]
    for column in range(_GRID + 1):
        x = left + (right - left) * column / _GRID - width / 2
        edges = [(_at(ceiling, x + width * part), _at(floor, x + width * part)) for part in (0, 0.5, 1)]
        top, bottom = max(edge[0] for edge in edges), min(edge[1] for edge in edges)
        if bottom - top < height + 4 or x < left or x + width > right:
            continue
        for part in (0.5, 0.3, 0.7):
            y = top + (bottom - top) * part - height / 2
            yield Box(x, y, width, height), 6 * abs(column / _GRID - 0.5) + abs(part - 0.5)


def _at(edge: list[Point], x: float) -> float:
    for (x0, y0), (x1, y1) in pairwise(edge):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return edge[-1][1]


def _written(texts: list[str], place: Box | None, style: str) -> Markup:
    if place is None:
        return Markup("")
    return Markup("").join(
        label(text, place.left + 1, place.top + _ROW * row + 10, style, "start")
        for row, text in enumerate(texts)
    )


def _width(texts: list[str]) -> float:
    return max(map(text_width, texts))
