"""Where the parts of a job's picture stand, and what each subtask looks like."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..svg import text_width
from ..time_words import time_words
from .reading import Job, JobLine, Key, far_keys
from .scale import Scale, records_scale, scale

LOOKS = 4
"""So many looks there are; with more bundles they repeat."""

WIDTH = 508.0
_RIGHT = 14.0
_TOP = 44.0
_HEIGHT = 250.0
_FAR_TOP = 58.0
_FAR_HEIGHT = 92.0
_BETWEEN = 40.0
_BASE_HEIGHT = 168.0
_HEADROOM = 1.06
_CLOSE = 5.0
_APART = 14.0
_SAMPLES = 48
_AXIS = 54.0
_KEPT_HEAD = 8.0
_KEPT_HEIGHT = 84.0
_KEPT_HEADROOM = 1.2


@dataclass(frozen=True)
class Panel:
    """A part of the plot with a scale of its own. If `far`, each subtask counts from its own start."""

    scale: Scale
    title: list[str]
    far: bool

    def height(self, line: JobLine, value: float) -> float:
        """Where an event time of a subtask stands."""
        return self.scale.at(value - line.start if self.far else value)


@dataclass(frozen=True)
class Bundle:
    """Subtasks whose lines can hardly be told apart: they share a look and a label."""

    lines: list[JobLine]
    look: int
    panel: Panel
    label: list[str]


@dataclass(frozen=True)
class Layout:
    """The whole picture. `looks` is the look of each subtask, `kept` the scale of the panel that shows how
    many records the windows keep, if that is known."""

    job: Job
    width: float
    gutter: float
    times: Scale
    panels: list[Panel]
    bundles: list[Bundle]
    looks: dict[Key, int]
    kept: Scale | None

    @property
    def right(self) -> float:
        """The right edge of the plot."""
        return self.width - _RIGHT

    @property
    def bottom(self) -> float:
        """The lower edge of the lowest panel."""
        return self.panels[0].scale.begin

    @property
    def strips_top(self) -> float:
        """Where the strips of the subtasks begin, under the plot and what stands below it."""
        return (self.bottom if self.kept is None else self.kept.begin - 14) + _AXIS

    def sparse(self, line: JobLine) -> bool:
        """Whether the moments that are known stand so far apart that each can be shown."""
        known = line.drawn
        return self.times.at(known[-1][0]) - self.times.at(known[0][0]) >= _APART * (len(known) - 1)

    def place(
        self, panel: Panel, line: JobLine, points: list[tuple[float, float]]
    ) -> list[tuple[float, float]]:
        """Points of a subtask's line in the drawing."""
        return [(self.times.at(time), panel.height(line, value)) for time, value in points]


def lay_out(job: Job, jobs: Sequence[Job], outside: Sequence[str]) -> Layout:
    """The layout of `job`, on scales for all `jobs` (itself one of them)."""
    far = far_keys(jobs)
    names = {one.name(line.key) for one in jobs for line in one.lines}
    gutter = max(58.0, *(text_width(name) + 22 for name in names))
    panels = _panels(jobs, far)
    every_time = [time for one in jobs for line in one.lines for time, _ in line.points]
    every_time += [time for one in jobs for time, _ in one.kept]
    times = scale(min(0.0, *every_time), max(every_time), gutter, WIDTH - _RIGHT)
    model = next((one for one in jobs if one.aligned and one.lines), job)
    looks: dict[Key, int] = {}
    for look, bundle in enumerate(_bundled(model, far, panels, times)):
        looks |= {line.key: look % LOOKS for line in bundle}
    for line in job.lines:
        looks.setdefault(line.key, len(looks) % LOOKS)
    bundles = [
        Bundle(
            lines,
            looks[lines[0].key],
            panels[-1] if lines[0].key in far else panels[0],
            _label(job, lines, outside),
        )
        for lines in _bundled(job, far, panels, times)
    ]
    looks |= {line.key: bundle.look for bundle in bundles for line in bundle.lines}
    return Layout(
        job=job,
        width=WIDTH,
        gutter=gutter,
        times=times,
        panels=panels,
        bundles=bundles,
        looks=looks,
        kept=_kept(jobs, panels[0].scale.begin + _AXIS),
    )


def _kept(jobs: Sequence[Job], top: float) -> Scale | None:
    """The scale of the panel of what the windows keep, the same for all jobs."""
    sizes = [size for job in jobs for _, size in job.kept]
    if not sizes:
        return None
    most = max([*sizes, *(job.kept_bound for job in jobs if job.kept_bound is not None)])
    return records_scale(most * _KEPT_HEADROOM, top + _KEPT_HEAD + _KEPT_HEIGHT, top + _KEPT_HEAD)


def _panels(jobs: Sequence[Job], far: set[Key]) -> list[Panel]:
    """The panel of the lowest event times, and the one of those far away, if there are such."""
    lines = [line for job in jobs for line in job.lines]
    near = [value for line in lines if line.key not in far for _, value in line.points]
    low, high = min(near), max(near)
    tops = [minimum + job.drift for job in jobs for _, minimum in job.band]
    high = max([high, *tops] if far else [high, *tops[:1]])
    top = _FAR_TOP + _FAR_HEIGHT + _BETWEEN if far else _TOP
    begin = top + (_BASE_HEIGHT if far else _HEIGHT)
    near_scale = _with_headroom(low, high, begin, top)
    counted = f" from {near_scale.origin:.0f} ms on" if near_scale.origin else ""
    panels = [Panel(near_scale, [f"event time{counted}, {near_scale.unit.name}"], False)]
    if far:
        away = min(line.start for line in lines if line.key in far) - low
        reached = max(value - line.start for line in lines if line.key in far for _, value in line.points)
        far_scale = _with_headroom(0, reached, _FAR_TOP + _FAR_HEIGHT, _FAR_TOP)
        title = f"event time from each one’s own start, {far_scale.unit.name}"
        panels.append(Panel(far_scale, [title, f"({time_words(away)} or more later)"], True))
    return panels


def _with_headroom(low: float, high: float, begin: float, end: float) -> Scale:
    if 0 <= low <= high - low:
        low = 0.0
    return scale(low, low + (high - low) * _HEADROOM, begin, end)


def _bundled(job: Job, far: set[Key], panels: list[Panel], times: Scale) -> list[list[JobLine]]:
    """The subtasks in bundles, the slowest first."""
    moments = [times.low + (times.high - times.low) * n / _SAMPLES for n in range(_SAMPLES + 1)]
    heights = {
        line.key: [
            (panels[-1] if line.key in far else panels[0]).height(line, line.at(time)) for time in moments
        ]
        for line in job.lines
    }
    bundles: list[list[JobLine]] = []
    for line in job.lines:
        for bundle in bundles:
            first = bundle[0].key
            apart = max(abs(a - b) for a, b in zip(heights[line.key], heights[first], strict=True))
            if apart <= _CLOSE and (line.key in far) == (first in far):
                bundle.append(line)
                break
        else:
            bundles.append([line])
    return sorted(bundles, key=lambda bundle: (bundle[0].key in far, -sum(heights[bundle[0].key])))


def _label(job: Job, lines: list[JobLine], outside: Sequence[str]) -> list[str]:
    texts = []
    for source, text in job.labels(line.key for line in lines).items():
        texts += [text, "(other group)"] if source in outside else [text]
    return texts
