"""The drawing of one input channel: its watermark as a line, and what happened on it."""

from markupsafe import Markup

from ..svg import box, cross, dot, element, label, line, path
from .geometry import BESIDE, ROW, Geometry
from .history import ChannelLane, Mark

ABOVE = 22.0
BELOW = 18.0


def lane_name(lane: ChannelLane) -> tuple[str, ...]:
    """The name of a lane, in lines."""
    number = str(lane.number).replace("-", "−")
    return (f"channel {number}",) if lane.exists else (f"channel {number}", "does not exist")


def lane_height(lane: ChannelLane, geometry: Geometry) -> float:
    """The height (px) of a lane."""
    return ABOVE + geometry.plot + BELOW if lane.exists else ABOVE + 26


def draw_lane(lane: ChannelLane, top: float, geometry: Geometry) -> Markup:
    """The lane, with its upper edge at `top`."""
    height = lane_height(lane, geometry)
    bottom = top + height - BELOW
    frame = line(0, top, geometry.right, top, "border")
    if not lane.exists:
        void = box(geometry.gutter, top + 1, geometry.right - geometry.gutter, height - 2, "void")
        return element("g", void, frame, *(_refused(mark, bottom, geometry) for mark in lane.marks))
    parts = [_idle_shade(lane, top, height, geometry), frame]
    parts.append(line(geometry.gutter, bottom, geometry.right, bottom, "floor"))
    parts.append(path(geometry.steps(lane.levels, bottom), "watermark-line"))
    if not lane.marks:
        parts.append(label("no watermark yet", geometry.lefts[0] + 6, bottom - 7, "faint", "start"))
    parts += [_mark(mark, lane, top, bottom, geometry) for mark in lane.marks]
    return element("g", *parts)


def draw_name(lane: ChannelLane, top: float, geometry: Geometry) -> Markup:
    """The name at the left of the lane, on a ground of its own: it may be moved over the lane."""
    ground = box(0, top, geometry.gutter - 4, lane_height(lane, geometry), "paper")
    frame = line(0, top, geometry.gutter - 4, top, "border")
    names = [
        label(text, 8, top + 18 + row * ROW, "name" if row == 0 else "faint", "start")
        for row, text in enumerate(lane_name(lane))
    ]
    return element("g", ground, frame, *names)


def _idle_shade(lane: ChannelLane, top: float, height: float, geometry: Geometry) -> Markup:
    shades = []
    start: float | None = None
    for column in range(len(lane.idle) - 1):
        x = geometry.center(column)
        if lane.idle[column + 1] and start is None:
            start = x
        elif not lane.idle[column + 1] and start is not None:
            shades.append(box(start, top + 1, x - start, height - 2, "idle"))
            start = None
    if start is not None:
        shades.append(box(start, top + 1, geometry.right - start, height - 2, "idle"))
    return Markup("").join(shades)


def _mark(mark: Mark, lane: ChannelLane, top: float, bottom: float, geometry: Geometry) -> Markup:
    x = geometry.center(mark.column)
    level = lane.levels[mark.column]
    y = bottom - geometry.height(level if mark.timestamp is None else mark.timestamp)
    if mark.kind == "ignored":
        below = mark.timestamp is not None and mark.timestamp <= level
        return dot(x, y, "ignored") + label(mark.label, x, y + 14 if below else y - 7, "faint")
    if mark.kind == "other":
        return cross(x, y, "refused") + label(mark.label, x, y - 7, "faint")
    if mark.kind in BESIDE:
        text = label(mark.label, x + 6, y - 7, "", "start")
    else:
        text = label(mark.label, x, y - 7)
    if mark.kind in ("idle", "active"):
        return box(x - 3.5, y - 3.5, 7, 7, "status") + text
    end = line(x, top + 8, x, bottom, "end") if mark.kind == "end" else Markup("")
    return end + dot(x, y, "arrived") + text


def _refused(mark: Mark, bottom: float, geometry: Geometry) -> Markup:
    x = geometry.center(mark.column)
    return cross(x, bottom, "refused") + label(mark.label, x, bottom - 9)
