"""Failing jobs are run again and made small; the smallest job still shows the same violation, to a replay too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pytest
from conftest import Command
from judged import EFFORT
from msgspec.structs import replace

from tidegauge import Adapter, Implementation, Scenario, Transcript
from tidegauge.components.job.jobs import JOBS
from tidegauge.components.job.properties import JOB_PROPERTIES
from tidegauge.components.job.shrinking import simplify
from tidegauge.components.registry import load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.runner import run
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import FoundFailure, ItemReport
from tidegauge.judging.items.merged import merged
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.judging.jobs.accusations import failure_of as shown_by
from tidegauge.judging.jobs.accusations import job_accusations
from tidegauge.judging.jobs.examination import examine_job
from tidegauge.judging.jobs.findings import JobFinding, family, finding, runs_of
from tidegauge.judging.jobs.right_job import RightEngine
from tidegauge.judging.jobs.shrinking import JobShrinker
from tidegauge.judging.reference.deviations import Deviation
from tidegauge.wire.scenario import encode_scenario, problems
from tidegauge.wire.steps.job import JobScenario, JobSetup
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE

PROPERTIES = {property.name: property for property in JOB_PROPERTIES}


def examined(adapter: Adapter, job: str, **options: object) -> ItemReport:
    report = ItemReport(f"job-{job}", "job")
    examine_job(Examiner(adapter, adapter.describe(), CORE, **options), report, job)  # type: ignore[arg-type]
    return report


def mutant(name: str) -> MutantAdapter:
    return MutantAdapter(load_mutants()[f"job-{name}"], {})


def failure_of(report: ItemReport, property: str) -> FoundFailure:
    return next(failure for failure in report.failures if failure.property == property)


def records_of(scenario: Scenario) -> int:
    assert isinstance(scenario, JobScenario)
    return sum(
        segment.count
        for source in scenario.setup.sources
        for subtask in source.subtasks
        for segment in subtask.segments
    )


SHRUNK = {
    "order-expected": ("slow-and-fast-out-of-order", "job-reorder"),
    "windows-rounded-towards-zero": ("slow-and-fast-windows", "job-shift"),
    "blocked-is-idle": ("blocked-is-not-idle", "job-blocked-is-not-idle"),
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name == "order-expected" else pytest.mark.slower) for name in SHRUNK
    ],
)
def shrunk(request: pytest.FixtureRequest) -> tuple[str, FoundFailure, FoundFailure]:
    """A wrong engine, with what fails on a job of the suite and on the smallest."""
    name: str = request.param
    job, property = SHRUNK[name]
    found = [examined(mutant(name), job, effort=effort) for effort in (NO_EFFORT, EFFORT)]
    return name, *(failure_of(report, property) for report in found)  # type: ignore[return-value]


def test_off_leaves_the_job_of_the_suite(shrunk: tuple[str, FoundFailure, FoundFailure]) -> None:
    name, whole, _ = shrunk
    assert whole.scenario == JOBS[SHRUNK[name][0]]
    assert whole.found_as == f"job:{SHRUNK[name][0]}"
    assert whole.deterministic


def test_the_smallest_job_is_much_smaller_and_legal(shrunk: tuple[str, FoundFailure, FoundFailure]) -> None:
    _, whole, smallest = shrunk
    assert records_of(smallest.scenario) <= records_of(whole.scenario) // 2
    assert len(encode_scenario(smallest.scenario)) < len(encode_scenario(whole.scenario))
    assert problems(smallest.scenario) == []
    assert smallest.scenario.origin.kind == "shrunk"
    assert smallest.scenario.origin.of == smallest.found_as == whole.found_as


def test_a_right_engine_has_the_property_on_the_smallest_job(
    shrunk: tuple[str, FoundFailure, FoundFailure],
) -> None:
    _, _, smallest = shrunk
    assert isinstance(smallest.scenario, JobScenario)
    property = PROPERTIES[smallest.property or ""]
    jobs = family(smallest.scenario, [property])
    answers = run(ReferenceAdapter({}), list(jobs.values()))
    transcripts = {one.id: answer for one, answer in zip(jobs.values(), answers, strict=True)}
    found = finding(property, runs_of(jobs, transcripts, ReferenceAdapter({}).describe()))
    assert found == JobFinding(property.name, property.rules, None)


@pytest.mark.parametrize(("reaction_ms", "interval"), [(0, 10), (1_010, 1_000), (5_000, 4_990)])
def test_a_right_engine_reacts_as_fast_as_the_engine_declares(reaction_ms: int, interval: int) -> None:
    declared = Implementation(name="engine", version="1", capabilities=("job",), reaction_ms=reaction_ms)
    ran = RightEngine(declared, CORE).run(JOBS["slow-and-fast-windows"])
    announced = {event.processing_time for event in ran.log.events if event.kind == "announcement"}
    assert min(announced) % interval == 0
    assert announced == set(range(min(announced), max(announced) + 1, interval))
    assert (ran.reaction_ms, ran.overshoot_ms) == (interval + 10, 10 * interval + 1)


def test_the_file_of_the_smallest_job_replays(
    shrunk: tuple[str, FoundFailure, FoundFailure], tidegauge: Command, tmp_path: Path
) -> None:
    name, _, smallest = shrunk
    (tmp_path / "smallest.jsonl").write_bytes(encode_scenario(smallest.scenario) + b"\n")
    wrong = tidegauge("replay", "smallest.jsonl", "--adapter", f"mutant:job-{name}")
    assert wrong.returncode == 1, wrong.stderr
    (line,) = [line for line in wrong.stdout.splitlines() if line.startswith(f"{smallest.property} ")]
    assert line.split()[1] == "violated"
    assert smallest.seen[:20] in line
    right = tidegauge("replay", "smallest.jsonl", "--adapter", "reference")
    assert right.returncode == 0, right.stdout
    assert f"{smallest.property}" in right.stdout
    assert "violated" not in right.stdout


def test_a_replay_of_a_job_that_no_property_speaks_of_is_refused(tidegauge: Command, tmp_path: Path) -> None:
    job = JOBS["slow-and-fast"]
    renamed = replace(job, setup=replace(job.setup, name="mine"))
    (tmp_path / "mine.jsonl").write_bytes(encode_scenario(renamed) + b"\n")
    refused = tidegauge("replay", "mine.jsonl", "--adapter", "reference")
    assert refused.returncode == 2
    assert refused.stderr.startswith("tidegauge: scenario 'job:slow-and-fast': no property speaks of a job")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(("until", "counts"), [(100_000, True), (60_000, False), (20_000, False)])
def test_a_job_that_is_cut_off_or_nearly_so_shows_nothing_by_comparison(until: int, counts: bool) -> None:
    """A right engine needs 48 s for this job, and 58 s for the one with a subtask held up."""
    job = JOBS["slow-and-fast-windows"]
    ended = replace(job, setup=replace(job.setup, until=until))
    assert RightEngine(ReferenceAdapter({}).describe(), CORE).has(PROPERTIES["job-delay"], ended) is counts


@pytest.mark.slower
def test_without_any_job_to_try_a_job_still_ends_soon_after_the_violation() -> None:
    """Where it shows is in the log already: the job needs to run again only once, and not to its end."""
    adapter, job = mutant("never-blocks"), JOBS["window-state"]
    property = PROPERTIES["job-window-state-bounded"]
    jobs = family(job, [property])
    answers = run(adapter, list(jobs.values()))
    transcripts = {one.id: answer for one, answer in zip(jobs.values(), answers, strict=True)}
    runs = runs_of(jobs, transcripts, adapter.describe())
    ended = JobShrinker(adapter, adapter.describe(), CORE, 0).smallest(property, job, runs)
    assert ended.setup == replace(job.setup, until=ended.setup.until)
    assert ended.setup.until <= job.setup.until // 8


@pytest.mark.parametrize("name", JOBS)
def test_every_candidate_is_legal_and_another_job(name: str) -> None:
    scenario = JOBS[name]
    candidates = [setup for setup, _ in simplify(scenario.setup, scenario.history)]
    assert len(set(candidates)) > 10
    for setup in candidates:
        assert setup.sources
        assert setup.name == name
        made = replace(scenario, setup=setup)
        assert problems(made) in ([], problems(scenario))
        assert msgspec.json.decode(msgspec.json.encode(setup), type=JobSetup) == setup
        for source in setup.sources:
            assert source.subtasks
            for subtask in source.subtasks:
                assert all(segment.count >= 1 for segment in subtask.segments)
                assert all(span.since < span.until for span in subtask.backpressure)


def test_a_range_that_the_engine_divides_stays_as_it_is() -> None:
    literal = JOBS["flip-182-literal"].setup
    divided = [setup for setup, _ in simplify(literal, ()) if setup.split_range or setup.endless]
    assert divided
    for setup in divided:
        assert [(subtask.first, subtask.end) for source in setup.sources for subtask in source.subtasks] == [
            (subtask.first, subtask.end) for source in literal.sources for subtask in source.subtasks
        ]


class Changing(Adapter):
    """The reference, which loses what `lost` says of the n-th run of a job."""

    def __init__(self, lost: Callable[[int], bool]) -> None:
        super().__init__({})
        self.inner = ReferenceAdapter({})
        self.lost = lost
        self.runs: dict[str, int] = {}

    def describe(self) -> Implementation:
        return self.inner.describe()

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            self.runs[scenario.id] = self.runs.get(scenario.id, 0) + 1
            (transcript,) = self.inner.run([scenario])
            if not self.lost(self.runs[scenario.id]):
                yield transcript
                continue
            (events,) = transcript.outputs
            kept = tuple(event for event in events if getattr(event, "kind", "") != "fire")
            yield Transcript(scenario.id, (kept,))


def test_what_is_violated_once_and_not_again_is_not_deterministic() -> None:
    report = examined(Changing(lambda number: number == 1), "window-state-restarted")
    (failure,) = report.failures
    assert failure.property == "job-window-results-restarted"
    assert not failure.deterministic
    assert failure.scenario == JOBS["window-state-restarted"]
    findings = merged([report])
    (accusation,) = job_accusations(findings)
    assert shown_by(accusation, findings) == failure


def test_what_is_violated_each_time_is_deterministic() -> None:
    report = examined(Changing(lambda number: True), "window-state-restarted", effort=NO_EFFORT)
    assert [failure.deterministic for failure in report.failures] == [True]


class Slow(MutantAdapter):
    """A wrong engine that says it is a cluster."""

    def describe(self) -> Implementation:
        return replace(super().describe(), layer="cluster")


@pytest.mark.slower
def test_of_an_engine_that_takes_long_only_the_first_failure_of_a_job_is_made_small() -> None:
    adapter = Slow(load_mutants()["job-order-expected"], {})
    report = examined(adapter, "slow-and-fast-out-of-order", effort=EFFORT)
    (failure,) = report.failures
    assert failure.scenario.origin.kind == "shrunk"
    adapter = Slow(load_mutants()["job-backpressured-is-idle"], {})
    report = examined(adapter, "backpressured-is-not-idle", effort=EFFORT)
    assert [failure.scenario.origin.kind for failure in report.failures] == ["shrunk", "vector"]


def test_a_known_deviation_of_jobs_is_counted_and_not_failed() -> None:
    known = Deviation(like="mutant:job-order-expected", reason="until version 3", link="https://example.org")
    job = "slow-and-fast-out-of-order"
    report = examined(mutant("order-expected"), job, deviations=(known,))
    assert report.failures == []
    assert report.properties["job-reorder"].known == 1
    assert report.properties["job-reorder"].violated == report.properties["job-reorder"].checked == 0
    assert report.deviations[known.name].shown == 1
    assert report.deviations[known.name].absent == 0


def test_a_known_deviation_that_an_engine_does_not_have_is_told() -> None:
    known = Deviation(like="mutant:job-order-expected", reason="until version 3", link="https://example.org")
    report = examined(ReferenceAdapter({}), "slow-and-fast-out-of-order", deviations=(known,))
    assert report.failures == []
    assert report.deviations[known.name].absent == 1
    assert report.deviations[known.name].shown == 0


TOO_SLOW = """
from tidegauge import Failure, Transcript
from tidegauge_adapters.reference import ReferenceAdapter


class TooSlow(ReferenceAdapter):
    def run(self, scenarios):
        for one in scenarios:
            if one.id.endswith("delayed"):
                yield Transcript(one.id, (), failure=Failure("timeout", "no answer within 120 s"))
            else:
                yield from super().run([one])
"""


@pytest.mark.slower
def test_a_replay_says_why_a_job_did_not_run(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(TOO_SLOW, encoding="utf-8")
    (tmp_path / "job.jsonl").write_bytes(encode_scenario(JOBS["slow-and-fast"]) + b"\n")
    ended = tidegauge("replay", "job.jsonl", "--adapter", "slow:TooSlow")
    assert ended.returncode == 1, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("job-delay ")]
    assert "error: a job did not run" in line
    assert "slow-and-fast" in line
    assert "no answer within 120 s" in line
