"""A picture of a watermark against the clock: how far it is behind, over processing time."""

from collections.abc import Sequence

from markupsafe import Markup

from tidegauge.words.log_times import span_text, time_text

from ..jobs.scale import Scale, polyline, scale
from ..svg import element, label, line, path, triangle
from .document import Operator

_WIDTH, _HEIGHT = 720, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 708, 30, 150
_LEGEND = _HEIGHT - 9
_LEAST_WATERMARKS = 2
_MOST_MARKS = 6

_FAR = 20
"""The picture omits the clock if all watermarks are more than this many durations of the log behind it."""

_SHORT = 60
"""A pause shorter than the duration of the log divided by this is drawn without the rise at its end."""

_DAY = 86_400_000
"""A watermark further ahead of the clock (ms) is only marked at the edge: it would flatten all others."""

Point = tuple[float, float]


def course_picture(operator: Operator, begins: Sequence[int]) -> Markup:
    """Draw how far the watermark of an operator is behind the clock.

    Args:
        operator: the operator.
        begins: processing times (ms) at which its findings begin; each is marked.

    Returns:
        The picture as one SVG element; empty if there are too few watermarks.
    """
    if operator.begin is None or operator.end is None:
        return Markup("")
    outputs = _outputs(operator, operator.end)
    leaps = [(at, -behind) for at, behind in outputs if behind < -_DAY]
    if len(outputs) - len(leaps) < _LEAST_WATERMARKS:
        return Markup("")
    lines = _lines(outputs, operator.begin, operator.end)
    times = scale(operator.begin, operator.end, _LEFT, _RIGHT)
    distances = [distance for points in lines for _, distance in points]
    lags = _lag_scale(distances, operator.end - operator.begin)
    marks = [times.at(begin) for begin in sorted(set(begins)) if operator.begin <= begin <= operator.end]
    return element(
        "svg",
        element("title", "How far the watermark is behind the clock"),
        element("desc", _words(operator, distances, len(leaps))),
        _grid(lags, operator.begin, operator.end),
        *(line(x, _TOP - 4, x, _BOTTOM, "begin") for x in marks[:_MOST_MARKS]),
        *(path(polyline([(times.at(at), lags.at(lag)) for at, lag in points]), "behind") for points in lines),
        *(triangle(times.at(at), _BOTTOM - 6, "leap") for at, _ in leaps[:_MOST_MARKS]),
        _legend(leaps, has_marks=bool(marks)),
        class_="log-course",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
    )


def _outputs(operator: Operator, end: int) -> list[tuple[int, int]]:
    """Return the end of each step with watermarks, and its largest distance behind the clock (ms).

    For a step with a watermark more than a day ahead of the clock, the distance is that of this watermark,
    which is negative.
    """
    outputs = []
    for step, (low, high) in sorted(operator.watermark_course.steps.items()):
        at = min((step + 1) * operator.watermark_course.width, end)
        outputs.append((at, at - high if high - at > _DAY else at - low))
    return outputs


def _lines(outputs: Sequence[tuple[int, int]], begin: int, end: int) -> list[list[Point]]:
    """Return the lines through the distances. Until the next watermark, the distance grows like the clock.

    A leap ends a line.
    """
    lines: list[list[Point]] = [[]]
    for place, (at, distance) in enumerate(outputs):
        if distance < -_DAY:
            lines.append([])
            continue
        until = outputs[place + 1][0] if place + 1 < len(outputs) else end
        lines[-1].append((at, distance))
        if (until - at) * _SHORT > end - begin:
            lines[-1].append((until, distance + until - at))
    return [points for points in lines if points]


def _lag_scale(distances: Sequence[float], duration: int) -> Scale:
    """Return the scale of distances. It includes the clock, except in a log of old data, far behind it."""
    low, high = min(distances), max(distances)
    if low <= _FAR * duration:
        low, high = min(0.0, low), max(0.0, high)
    return scale(low, high, _BOTTOM, _TOP)


def _grid(lags: Scale, begin: int, end: int) -> Markup:
    drawn = []
    for value, text in lags.ticks(4):
        y = lags.at(value)
        drawn.append(line(_LEFT, y, _RIGHT, y, "axis" if value == 0 else "grid"))
        drawn.append(label(text, _LEFT - 6, y + 4, "faint", "end"))
    of = f"more than {span_text(int(lags.origin))}" if lags.origin else "the distance"
    drawn.append(label(f"Behind the clock: {of}, in {lags.unit.name}", 8, 16, "name", "start"))
    drawn.append(label(time_text(begin), _LEFT, _BOTTOM + 18, "faint", "start"))
    drawn.append(label(time_text(end), _RIGHT, _BOTTOM + 18, "faint", "end"))
    return Markup("").join(drawn)


def _legend(leaps: Sequence[tuple[int, int]], *, has_marks: bool) -> Markup:
    parts = [line(_LEFT, _LEGEND, _LEFT + 24, _LEGEND, "behind"), _entry("watermark", _LEFT + 30)]
    if has_marks:
        parts.append(line(_LEFT + 110, _LEGEND, _LEFT + 134, _LEGEND, "begin"))
        parts.append(_entry("a finding begins", _LEFT + 140))
    if leaps:
        far = span_text(max(ahead for _, ahead in leaps))
        parts.append(triangle(_LEFT + 270, _LEGEND - 1, "leap"))
        parts.append(_entry(f"ahead of the clock, by up to {far}", _LEFT + 280))
    return Markup("").join(parts)


def _entry(text: str, x: float) -> Markup:
    return label(text, x, _LEGEND + 4, anchor="start")


def _words(operator: Operator, distances: Sequence[float], leaps: int) -> str:
    name = operator.source or operator.job
    least, most = _distance(min(distances)), _distance(max(distances))
    words = f"The watermark of {name} is between {least} and {most}."
    return f"{words} It is more than a day ahead of the clock {leaps} times." if leaps else words


def _distance(behind: float) -> str:
    return f"{span_text(int(abs(behind)))} {'behind' if behind >= 0 else 'ahead of'} the clock"
