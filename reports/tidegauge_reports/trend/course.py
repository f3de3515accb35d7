"""Runs of engines by date, and what changed from each run to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tidegauge.wire.results import Results, counts_of
from tidegauge.words.conclusion import conclude

from ..comparison.comparison import Comparison, compare
from ..comparison.words import caveats, headline
from ..text import short
from ..time_words import moment_of


@dataclass(frozen=True)
class RunOfCourse:
    """A run of an engine, and its comparison with the previous run.

    Attributes:
        results: the results of the run.
        since: the comparison with the previous run; None for the first run.
    """

    results: Results
    since: Comparison | None

    @property
    def version(self) -> str:
        """The version of the engine."""
        return short(self.results.implementation.version, 40) or "no version"

    @property
    def date(self) -> str:
        """The day on which the run began."""
        return short(self.results.started[:10], 10)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rules of each verdict."""
        return counts_of(self.results.rules)

    @property
    def headline(self) -> str:
        """The conclusion of the run in a sentence."""
        return conclude(self.results).headline

    @property
    def change(self) -> str:
        """What changed since the previous run, in a sentence; empty for the first run."""
        return "" if self.since is None else headline(self.since)

    @property
    def caveats(self) -> list[str]:
        """Reasons why the comparison with the previous run is unreliable, such as another budget."""
        return [] if self.since is None else caveats(self.since)


@dataclass(frozen=True)
class Course:
    """The runs of one engine against one profile, oldest first."""

    engine: str
    profile: str
    runs: tuple[RunOfCourse, ...]


def courses_of(runs: Sequence[Results]) -> list[Course]:
    """Return a course for each pair of engine and profile, in the order in which the pairs first occur.

    Runs are ordered by start time. Runs with the same start time stay in the given order.
    """
    by_engine: dict[tuple[str, str], list[Results]] = {}
    for results in runs:
        by_engine.setdefault((results.implementation.name, results.profile), []).append(results)
    return [_course(engine, profile, own) for (engine, profile), own in by_engine.items()]


def _course(engine: str, profile: str, runs: Sequence[Results]) -> Course:
    ordered = sorted(runs, key=_start)
    before: list[Results | None] = [None, *ordered[:-1]]
    return Course(
        short(engine, 100) or "an engine without a name",
        short(profile, 60),
        tuple(
            RunOfCourse(results, None if old is None else compare(old, results))
            for old, results in zip(before, ordered, strict=True)
        ),
    )


def _start(results: Results) -> datetime:
    """Return the start of a run; a text that is no time comes first."""
    return moment_of(results.started) or datetime.min.replace(tzinfo=UTC)
