"""`trend.json`: the runs as data, a record for each run."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from .course import Course, RunOfCourse

FILE_NAME = "trend.json"

FORMAT = 1
"""The version of the fields."""


class TrendRun(Struct, frozen=True):
    """A run of an engine against a profile.

    :param started: when the run began (ISO 8601).
    :param tidegauge: the version of the kit; `spec`: that of the specification.
    :param counts: the number of rules of each verdict, as in `results.json`.
    :param headline: what the run came to.
    :param worse: whether anything got worse since the run before; None for the first run.
    :param change: what changed since the run before; empty for the first run.
    :param caveats: what makes the comparison with the run before unsafe.
    """

    engine: str
    version: str
    profile: str
    started: str
    tidegauge: str
    spec: str
    budget: str
    counts: dict[str, int]
    headline: str
    worse: bool | None
    change: str
    caveats: list[str]


def render(courses: Sequence[Course]) -> str:
    """Return the JSON document `{"format": 1, "runs": [...]}`."""
    runs = [_record(course, run) for course in courses for run in course.runs]
    encoded = msgspec.json.encode({"format": FORMAT, "runs": runs})
    return msgspec.json.format(encoded, indent=1).decode() + "\n"


def _record(course: Course, run: RunOfCourse) -> TrendRun:
    results = run.results
    return TrendRun(
        engine=course.engine,
        version=run.version,
        profile=course.profile,
        started=results.started,
        tidegauge=results.tidegauge,
        spec=results.spec,
        budget=results.budget,
        counts=run.counts,
        headline=run.headline,
        worse=None if run.since is None else run.since.worse,
        change=run.change,
        caveats=run.caveats,
    )
