"""The drawing of one lane: its line, what happened on it, and what lasted."""

from markupsafe import Markup

from ..svg import box, centered, cross, diamond, dot, element, label, line, stairs, triangle
from .geometry import BESIDE, ROW, Geometry
from .history import Lane, Mark, SpanKind

ABOVE = 22.0
BELOW = 18.0

SPAN_STYLES: dict[SpanKind, str] = {
    "idle": "idle",
    "no data": "idle",
    "empty": "idle",
    "claims": "claims",
    "blocked": "stripes",
    "down": "stripes",
    "absent": "void",
}
"""How each kind of span looks."""

_APART = 9.0
"""What an output told a lane stands this much (px) to the left, as expected, and to the right, as got."""


def lane_height(lane: Lane, geometry: Geometry) -> float:
    """The height (px) of a lane."""
    room = ABOVE + geometry.plot_of(lane) + BELOW if lane.exists else ABOVE + 26
    return max(room, 24 + len(lane.names) * ROW)


def draw_lane(lane: Lane, top: float, geometry: Geometry) -> Markup:
    """The lane, with its upper edge at `top`."""
    height = lane_height(lane, geometry)
    bottom = top + height - BELOW
    frame = line(0, top, geometry.right, top, "border")
    if not lane.exists:
        void = box(geometry.gutter, top + 1, geometry.right - geometry.gutter, height - 2, "void")
        return element("g", void, frame, *(_mark(mark, lane, top, bottom, geometry) for mark in lane.marks))
    parts = [_spans(lane, top, height, geometry), frame]
    if lane.has_heights:
        parts.append(line(geometry.gutter, bottom, geometry.right, bottom, "floor"))
    parts += [stairs(piece, "watermark-line") for piece in geometry.lines(lane.levels, bottom)]
    parts += [
        line(x, y, until, y, f"{side}-paused")
        for side, y in (("expected", top + 4), ("got", top + 9))
        for x, until in geometry.spans(lane.paused.get(side, [False] * len(lane.levels)))
    ]
    for side, sign, beside in (("expected", dot, -_APART), ("got", diamond, _APART)):
        parts += [
            sign(geometry.center(column) + beside, bottom - geometry.height(timestamp), side)
            for column, timestamp in lane.told.get(side, ())
        ]
    if not lane.marks and lane.levels[0] is not None and len(set(lane.levels)) == 1:
        parts.append(label("no watermark yet", geometry.lefts[0] + 6, bottom - 7, "faint", "start"))
    parts += [_mark(mark, lane, top, bottom, geometry) for mark in lane.marks]
    return element("g", *parts)


def draw_name(lane: Lane, top: float, geometry: Geometry) -> Markup:
    """The name at the left of the lane, on a ground of its own: it may be moved over the lane."""
    ground = box(0, top, geometry.gutter - 4, lane_height(lane, geometry), "paper")
    frame = line(0, top, geometry.gutter - 4, top, "border")
    names = [
        label(text, 8, top + 18 + row * ROW, "name" if row == 0 else "faint", "start")
        for row, text in enumerate(lane.names)
    ]
    return element("g", ground, frame, *names)


def _spans(lane: Lane, top: float, height: float, geometry: Geometry) -> Markup:
    drawn = []
    for kind, style in SPAN_STYLES.items():
        for left, right in geometry.spans(lane.during[kind]):
            if style == "stripes":
                middle = top + height / 2
                band = element("path", d=f"M{left:g} {middle:g}H{right:g}", class_=style,
                               stroke_width=height - 2)  # fmt: skip
                drawn.append(band)
            elif style == "void":
                drawn.append(box(left + 1, top + 3, right - left - 2, height - 6, style))
            else:
                drawn.append(box(left, top + 1, right - left, height - 2, style))
    return Markup("").join(drawn)


def _mark(mark: Mark, lane: Lane, top: float, bottom: float, geometry: Geometry) -> Markup:
    x = geometry.center(mark.column)
    before = lane.levels[mark.column]
    level = lane.levels[mark.column + 1] if before is None else before
    if mark.timestamp is not None:
        y = bottom - geometry.height(mark.timestamp)
    elif level is not None:
        y = bottom - geometry.height(level)
    else:
        y = bottom - geometry.plot_of(lane) / 2
    below = mark.timestamp is not None and level is not None and mark.timestamp <= level
    above_or_below = y + 14 if below and mark.kind != "watermark" else y - 7
    if mark.kind in BESIDE:
        text = label(mark.label, x + 6, y - 7, "", "start")
    else:
        text = centered(mark.label, x, above_or_below, _TEXT_STYLES.get(mark.kind, ""))
    if mark.kind == "end":
        return line(x, top + 8, x, bottom, "end") + dot(x, y, "arrived") + text
    if mark.kind in ("begins", "ends", "note"):
        return box(x - 3.5, y - 3.5, 7, 7, "status") + text
    sign, style = _SIGNS[mark.kind]
    return sign(x, y, style) + text


_TEXT_STYLES = {"ignored": "faint", "unread": "faint", "refused": "faint", "late": "late-text"}
_SIGNS = {
    "watermark": (dot, "arrived"),
    "ignored": (dot, "ignored"),
    "record": (triangle, "record"),
    "late": (triangle, "late"),
    "unread": (triangle, "ignored"),
    "refused": (cross, "refused"),
}
