"""Where a mutant is put to the test: the items of a run of one component, in portions that grow.

Scenarios, what the reference says of them and what the suites find in it are the same for every engine, so
they are kept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from tidegauge_reference import Policies

from ..components.job.jobs import JOBS
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport
from ..judging.reference.oracle import Expectation, expect
from ..run.items import examine, scenarios_of
from ..run.plan import PlannedItem, plan
from ..run.request import Request
from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript
from .conditions import Conditions, ReferenceUnderTest

FIXED = ("vectors", "state-cover", "scale", "jobs")
"""The suites that are the same with every seed."""

DRAWN = ("random-histories", "properties")
"""The suites whose scenarios depend on the seed. Those of Hypothesis are left out: they are slower, search
where the seeded histories do, and depend on the version of Hypothesis."""

_BORDERS = (200, 1_000)
"""Where an item is divided: most mutants fail early."""

_MOST_KEPT = 150_000
"""Runs of the reference that are kept."""

_MOST_EXPECTED = 10_000
"""Scenarios of which it is kept what the reference says, and why."""


@dataclass(frozen=True)
class Passed:
    """A portion that the reference has passed: what went through it, with its outputs, and the report."""

    runs: list[tuple[Scenario, tuple[Outputs, ...]]]
    report: ItemReport


class Arena:
    """The items under certain conditions."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.policies = Policies(**conditions.values)
        self.request = Request(
            adapter="", components=(conditions.component,), budget=conditions.budget, seed=conditions.seed
        )
        self._reference = _Recorded(conditions)
        self._implementation = self._reference.describe()
        self._passed: dict[PlannedItem, Passed | None] = {}
        self._kept = 0
        self._expected: dict[str, tuple[Scenario, Expectation]] = {}

    def portions(self, suites: tuple[str, ...]) -> Iterator[PlannedItem]:
        """The items of the plan that belong to `suites`, in its order, each in a few parts; jobs by their
        size. Vectors are published for profiles, not for every choice of policies."""
        left_out = ("vectors",) if self.conditions.changed else ()
        for item in sorted(plan(self.request, self._implementation, self.policies), key=_most_records):
            if item.suite in suites and item.suite not in left_out:
                inside = (border for border in _BORDERS if item.start < border < item.stop)
                for start, stop in pairwise((item.start, *inside, item.stop)):
                    yield replace(item, start=start, stop=stop)

    def examine(self, portion: PlannedItem, examiner: Examiner, report: ItemReport) -> None:
        """What the suites find in an engine, in a portion."""
        scenarios: Iterable[Scenario] = ()
        passed = self._passed.get(portion)
        if passed is not None and portion.suite != "properties":
            scenarios = [scenario for scenario, _ in passed.runs]
        elif portion.suite != "jobs":
            scenarios = scenarios_of(portion, self.request, self.policies)
        examine(portion, self.request, scenarios, examiner, report)

    def passed(self, portion: PlannedItem) -> Passed | None:
        """How the reference fares in a portion; None where that is not kept."""
        if portion.suite == "jobs":
            return None
        if portion not in self._passed:
            self._passed[portion] = self._examined(portion) if self._kept < _MOST_KEPT else None
        return self._passed[portion]

    def expected(self, scenario: Scenario) -> Expectation:
        """What the reference says of a scenario."""
        kept = self._expected.get(scenario.id)
        if kept is not None and kept[0] == scenario:
            return kept[1]
        expectation = expect(scenario, self.policies)
        is_drawn = scenario.origin.kind != "shrunk" and "~" not in scenario.id
        if is_drawn and len(self._expected) < _MOST_EXPECTED:
            self._expected[scenario.id] = scenario, expectation
        return expectation

    def _examined(self, portion: PlannedItem) -> Passed | None:
        runs: list[tuple[Scenario, tuple[Outputs, ...]]] = []
        self._reference.runs = runs
        report = ItemReport(portion.id, portion.component)
        self.examine(portion, Examiner(self._reference, self._implementation, self.policies), report)
        self._kept += len(runs)
        return None if report.failing else Passed(runs, report)


def _most_records(item: PlannedItem) -> int:
    """How many records a job reads at most; 0 for an item of another suite."""
    if item.suite != "jobs":
        return 0
    job = JOBS[item.name].setup
    return sum(
        sum(segment.count for segment in subtask.segments) or job.until * subtask.records_per_millisecond
        for source in job.sources
        for subtask in source.subtasks
    )


class _Recorded(ReferenceUnderTest):
    """The reference, and what went through it."""

    runs: list[tuple[Scenario, tuple[Outputs, ...]]]

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            for transcript in super().run([scenario]):
                self.runs.append((scenario, transcript.outputs))
                yield transcript


_ARENAS: dict[Conditions, Arena] = {}


def arena_of(conditions: Conditions) -> Arena:
    """The arena of these conditions in this process, which keeps those of one component at a time."""
    if conditions not in _ARENAS:
        for other in [kept for kept in _ARENAS if replace(kept, seed=conditions.seed) != conditions]:
            del _ARENAS[other]
        _ARENAS[conditions] = Arena(conditions)
    return _ARENAS[conditions]
