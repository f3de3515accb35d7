"""What the picture of a job shows, read from the results: a line for each subtask, and who is blocked."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tidegauge.wire.results import JobPicture, SubtaskPicture

from ..text import short
from ..time_words import time_words

MOST_SUBTASKS = 24
"""So many subtasks are drawn, the others are counted."""

_MOST_POINTS = 1000
_MOST_SPANS = 200
_MOST_RESTARTS = 20
_LONGEST_NAME = 24
_FAR = 20

Key = tuple[str, int]
Point = tuple[float, float]
"""A time and an event time; event times are whole, for at 2^62 ms a fraction's number is seconds off."""


@dataclass(frozen=True)
class JobLine:
    """A subtask's way: `points` are (processing time, last event time) in order of time, at least one.

    `ends` is the index of its last record's point: after it the subtask has nothing more to read, or the
    picture ends. It is None if the subtask is blocked when the picture ends.
    """

    key: Key
    points: list[Point]
    blocked: list[tuple[float, float]]
    ends: int | None

    @property
    def start(self) -> float:
        """The first event time that is known."""
        return self.points[0][1]

    @property
    def drawn(self) -> list[Point]:
        """The points up to the last record, or to the end of the picture if it ends blocked."""
        return self.points if self.ends is None else self.points[: self.ends + 1]

    def at(self, time: float) -> float:
        """Its event time at a moment; between two points on the line from one to the other."""
        index = bisect_right(self.points, time, key=lambda point: point[0])
        if index == 0 or index == len(self.points):
            return self.points[max(0, index - 1)][1]
        (x0, y0), (x1, y1) = self.points[index - 1], self.points[index]
        return y0 + round((y1 - y0) * (time - x0) / (x1 - x0))

    def unfinished(self, time: float) -> bool:
        """Whether its last record is still to come."""
        return self.ends is None or time < self.points[self.ends][0]

    def during(self, first: float, last: float) -> list[Point]:
        """The part of the line between two moments."""
        inner = [point for point in self.drawn if first < point[0] < last]
        return [(first, self.at(first)), *inner, (last, self.at(last))]


@dataclass(frozen=True)
class Job:
    """A picture, read. `band` are (processing time, smallest watermark) in order of time.

    `kept` are (processing time, records that the windows keep) in order of time, `kept_bound` how many are
    allowed, if that is known; `late` are (processing time, event time) of records too late for their windows,
    of `late_records` in all. `jumps`: nothing says how far apart the subtasks may be.
    """

    aligned: bool
    drift: float
    overshoot: float
    lines: list[JobLine]
    band: list[Point]
    left_out: int
    restarts: list[float] = field(default_factory=list)
    kept: list[Point] = field(default_factory=list)
    kept_bound: float | None = None
    late: list[Point] = field(default_factory=list)
    late_records: int = 0
    jumps: bool = False

    @property
    def allowed(self) -> float | None:
        """How far apart (ms) unfinished subtasks may be; None if nothing says so."""
        return self.drift + self.overshoot if self.aligned and not self.jumps else None

    @property
    def several_sources(self) -> bool:
        """Whether a subtask's number alone does not say which one it is."""
        return len({line.key[0] for line in self.lines}) > 1

    def name(self, key: Key) -> str:
        """A subtask, for a place with little room."""
        return short(f"{key[0]} {key[1]}" if self.several_sources else f"subtask {key[1]}", _LONGEST_NAME)

    def names(self, keys: Iterable[Key]) -> list[str]:
        """Subtasks, one text for each source."""
        return [
            (f"source {short(source, _LONGEST_NAME)}: " if self.several_sources else "") + _numbered(numbers)
            for source, numbers in _by_source(keys).items()
        ]

    def labels(self, keys: Iterable[Key]) -> dict[str, str]:
        """Subtasks, for labels in the drawing: one for each source."""
        return {
            source: short(f"{source} {', '.join(map(str, numbers))}", _LONGEST_NAME)
            if self.several_sources
            else _numbered(numbers)
            for source, numbers in _by_source(keys).items()
        }


@dataclass(frozen=True)
class Lead:
    """How far two subtasks were apart at most, at a moment when they were: from `low` to `high`."""

    time: float
    low: float
    high: float
    most: float


def read_job(picture: JobPicture) -> Job:
    """The picture, with only what can be drawn."""
    lines = [line for subtask in picture.subtasks[:MOST_SUBTASKS] if (line := _line(subtask)) is not None]
    return Job(
        aligned=picture.aligned,
        drift=max(0.0, min(float(2**63), picture.drift)),
        overshoot=max(0.0, min(float(2**63), picture.overshoot)),
        lines=lines,
        band=_points(picture.band),
        left_out=len(picture.subtasks) - len(lines),
        restarts=[time for time in picture.restarts[:_MOST_RESTARTS] if abs(time) <= 2**63],
        kept=_sizes(picture.state),
        kept_bound=picture.state_bound
        if picture.state_bound is not None and picture.state_bound >= 0
        else None,
        late=_pairs(picture.late[:_MOST_POINTS]),
        late_records=max(0, picture.late_records),
        jumps=picture.jumps,
    )


def far_keys(jobs: Sequence[Job]) -> set[Key]:
    """The subtasks that start so far ahead that no scale shows them and the others."""
    lines = [line for job in jobs for line in job.lines]
    if not lines:
        return set()
    lowest = min(line.start for line in lines)
    longest = max(max(value for _, value in line.points) - line.start for line in lines)
    limit = lowest + _FAR * (longest + max(job.drift for job in jobs) + 1)
    return {line.key for line in lines if line.start > limit}


def largest_lead(job: Job, outside: Iterable[str], far: set[Key]) -> Lead | None:
    """The largest distance between unfinished subtasks; `outside` are sources of other groups."""
    apart = set(outside)
    lines = [line for line in job.lines if line.key[0] not in apart and line.key not in far]
    found = []
    for time in sorted({time for line in lines for time, _ in line.drawn}):
        values = [line.at(time) for line in lines if line.unfinished(time) and line.points[0][0] <= time]
        if len(values) > 1:
            found.append((max(values) - min(values), time, min(values), max(values)))
    if not found:
        return None
    most = max(found)[0]
    middle = max(time for _, time, _, _ in found) * 0.35
    _, time, low, high = min(
        (lead for lead in found if lead[0] >= most * 0.98), key=lambda lead: abs(lead[1] - middle)
    )
    return Lead(time, low, high, most) if most > 0 else None


def blocked_words(line: JobLine) -> str:
    """When a subtask was blocked."""
    if not line.blocked:
        return "never blocked"
    last = line.points[-1][0]
    if len(line.blocked) == 1:
        first, end = line.blocked[0]
        if end >= last and line.ends is None:
            return f"blocked from {time_words(first)} to the end"
        return f"blocked from {time_words(first)} to {time_words(end)}"
    total = sum(end - first for first, end in line.blocked)
    return f"blocked {len(line.blocked)} times, {time_words(total)} in all"


def _by_source(keys: Iterable[Key]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for source, number in keys:
        numbers.setdefault(source, []).append(number)
    return numbers


def _numbered(numbers: list[int]) -> str:
    word = "subtask" if len(numbers) == 1 else "subtasks"
    return f"{word} {short(', '.join(map(str, numbers)), _LONGEST_NAME)}"


def _line(subtask: SubtaskPicture) -> JobLine | None:
    points = _points(subtask.points)
    if not points:
        return None
    begin, end = points[0][0], points[-1][0]
    spans = sorted(
        (max(first, begin), min(last, end))
        for first, last in _pairs(subtask.blocked[:_MOST_SPANS])
        if begin <= last and first <= min(last, end)
    )
    ends = len(points) - 1
    while ends > 0 and points[ends - 1][1] == points[ends][1]:
        ends -= 1
    stuck = bool(spans) and spans[-1][1] >= points[-1][0] and ends < len(points) - 1
    return JobLine((subtask.source, subtask.subtask), points, spans, None if stuck else ends)


def _points(written: list[list[int]]) -> list[Point]:
    """The points in order of time, the last of those at one time."""
    return sorted(dict(_pairs(written[:_MOST_POINTS])).items())


def _sizes(written: list[list[int]]) -> list[Point]:
    """Numbers of records in order of time; those of one time as they are written."""
    return sorted(
        ((time, max(0, count)) for time, count in _pairs(written[:_MOST_POINTS])), key=lambda point: point[0]
    )


def _pairs(written: list[list[int]]) -> list[Point]:
    return [
        (pair[0], pair[1])
        for pair in written
        if len(pair) == 2 and all(abs(number) <= 2**63 for number in pair)
    ]
