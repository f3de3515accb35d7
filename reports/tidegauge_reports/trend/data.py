"""`trend.json`: the runs as JSON, with a record for each run."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from .course import Course, RunOfCourse

FILE_NAME = "trend.json"

FORMAT = 1
"""The version of the format."""


class TrendRun(Struct, frozen=True):
    """A run of an engine against a profile.

    Attributes:
        engine: the name of the engine.
        version: the version of the engine.
        profile: the profile of the run.
        started: the start of the run (ISO 8601).
        tidegauge: the version of the kit.
        spec: the version of the specification.
        budget: the budget of the run.
        counts: the number of rules of each verdict, as in `results.json`.
        headline: the conclusion of the run in a sentence.
        worse: whether anything got worse since the previous run; None for the first run.
        change: what changed since the previous run; empty for the first run.
        caveats: reasons why the comparison with the previous run is unreliable.
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
