"""Releases of stock Apache Flink under the kit, each under the profile that the adapter ships for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Command
from declared_engines import undeclared_differences_of
from flink_jars import OLDER, flink_jar, jars_of

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.judging.jobs.examination import replayed
from tidegauge.judging.reference.oracle import expect
from tidegauge.judging.reference.profiles import declared_profile
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps import source, splits
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Active, Error, Idle, Setup, SplitsResumed, Step, Watermark
from tidegauge_adapters.flink.adapter import FlinkAdapter
from tidegauge_adapters.flink.jars import flink_jars
from tidegauge_reference import CORE, MAX

pytestmark = pytest.mark.flink

STEPPED = ("backlog", "clock", "coordinator", "generator", "idleness", "source", "splits", "valve", "window")
SCENARIOS = 400
NEWEST = "2.3.0"


@pytest.fixture(scope="module", params=(NEWEST, *OLDER))
def flink(request: pytest.FixtureRequest) -> Iterator[FlinkAdapter]:
    """Yield an adapter that drives one version."""
    flink_jar()
    options = {} if request.param == NEWEST else {"flink": str(jars_of(request.param))}
    assert flink_jars(options).version == request.param
    adapter = FlinkAdapter(options)
    yield adapter
    adapter.close()


def release_of(flink: FlinkAdapter) -> tuple[int, int]:
    """Return the release that a running Flink reports."""
    major, minor, _ = describe("flink", flink).version.split(".")
    return int(major), int(minor)


def scenario_of(component: str, setup: Setup, *history: Step) -> Scenario:
    """Return a scenario of a test."""
    return COMPONENTS[component].scenario(
        id="small", setup=setup, history=history, origin=Origin("own"), needs=()
    )


def outputs_of(flink: FlinkAdapter, scenario: Scenario) -> list[Outputs]:
    """Return the outputs of a version at each step."""
    (transcript,) = run(flink, [scenario])
    assert transcript is not None
    assert transcript.failure is None
    return list(transcript.outputs)


@pytest.mark.parametrize("component", STEPPED)
def test_a_release_does_as_its_profile_and_known_deviations_say(flink: FlinkAdapter, component: str) -> None:
    differing = undeclared_differences_of(
        "flink", flink, component=component, scenarios=SCENARIOS, at_least=91
    )
    assert differing == []


def test_the_largest_watermark_is_lost_when_all_splits_are_idle_before_2_2(flink: FlinkAdapter) -> None:
    """FLINK-38454 breaks the rule SPLIT-5."""
    scenario = scenario_of(
        "splits",
        splits.SplitOutputsSetup(),
        splits.AddSplitStep("a"),
        splits.AddSplitStep("b"),
        splits.SplitWatermarkStep("a", 5),
        splits.SplitWatermarkStep("b", 4),
        splits.SplitIdleStep("a"),
        splits.SplitIdleStep("b"),
    )
    expected = expect(scenario, CORE)
    assert "SPLIT-5" in expected.cited[-1]
    assert expected.outputs[-1] == (Watermark(5), Idle())
    got = outputs_of(flink, scenario)
    assert got[:-1] == expected.outputs[:-1]
    assert got[-1] == ((Idle(),) if release_of(flink) < (2, 2) else expected.outputs[-1])


def test_an_input_that_returns_releases_its_watermark_before_active_until_2_1(flink: FlinkAdapter) -> None:
    """The operator sends the watermark that FLINK-38454 withholds while it is still idle downstream.

    No policy or mutant describes this order: the profiles of these releases have a shape without inputs.
    """
    scenario = scenario_of(
        "splits",
        splits.OperatorInputsSetup(2),
        splits.InputWatermarkStep(1, 0),
        splits.InputIdleStep(1),
        splits.InputIdleStep(0),
        splits.InputActiveStep(1),
    )
    if release_of(flink) < (2, 2):
        assert outputs_of(flink, scenario)[2:] == [(Idle(),), (Watermark(0), Active())]
    else:
        assert outputs_of(flink, scenario)[2:] == [(Watermark(0), Idle()), (Active(),)]


def test_a_paused_split_that_finished_fails_the_task_at_another_moment_before_2_3(
    flink: FlinkAdapter,
) -> None:
    """In 2.3 the next bound fails the task; before, the first bound after the new split's first watermark.

    The policy `source_finished_paused_split` describes only the moment in 2.3.
    """
    beyond = (
        source.AssignStep("a"),
        source.RecordStep("a", 1),
        source.AnnouncementStep(0),
        source.FinishStep("a"),
        source.AnnouncementStep(MAX),
        source.AssignStep("a"),
    )
    setup = source.SourceSetup(generator="punctuated")
    refused = (Error("illegal-state"),)
    at_once = outputs_of(flink, scenario_of("source", setup, *beyond, source.AnnouncementStep(0)))
    later = outputs_of(
        flink,
        scenario_of("source", setup, *beyond, source.RecordStep("a", 0), source.AnnouncementStep(0)),
    )
    assert (at_once[-1] == refused) is (release_of(flink) >= (2, 3))
    assert later[-1] == refused


def test_a_paused_split_that_was_idle_is_resumed_at_another_moment_in_each_release(
    flink: FlinkAdapter,
) -> None:
    """A bound admits the idle split; then the split becomes active, and a report and another bound follow.

    The policy `source_idle_paused_split` describes two of the three moments: the bound and the report.
    """
    history = (
        source.AssignStep("behind"),
        source.AssignStep("ahead"),
        source.AnnouncementStep(0),
        source.RecordStep("ahead", 2),
        source.TickStep(),
        source.IdleStep("ahead"),
        source.AnnouncementStep(MAX),
        source.TickStep(),
        source.ReportStep(),
        source.AnnouncementStep(MAX),
    )
    outputs = outputs_of(flink, scenario_of("source", source.SourceSetup(), *history))
    resumed = [index for index, sent in enumerate(outputs) if SplitsResumed(("ahead",)) in sent]
    with_the_bound, with_the_report, with_the_next_bound = 6, 8, 9
    release = release_of(flink)
    if release >= (2, 3):
        assert resumed == [with_the_report]
    else:
        assert resumed == [with_the_next_bound if release >= (2, 1) else with_the_bound]


def test_jobs_run_on_a_cluster_of_each_version(flink: FlinkAdapter) -> None:
    described = describe("flink", flink)
    found = replayed(flink, described, declared_profile(described).policies, JOBS["flip-182"])
    assert {finding.property: finding.seen for finding in found if finding.seen is not None} == {}
    assert {finding.property for finding in found if finding.did_not_run is not None} == set()


@pytest.mark.parametrize("version", ["2.2.1", "2.1.3"])
def test_a_run_counts_defects_of_a_release_as_known(tidegauge: Command, version: str) -> None:
    ended = tidegauge(
        *("run", "--adapter", "flink", "--option", f"flink={jars_of(version)}", "--budget", "smoke"),
        *("-n", "2", "--out", "out", "--component", "splits"),
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    conclusion = ended.stdout.splitlines()[0]
    assert conclusion.startswith(
        "Conforms to flink-2.2" if version == "2.2.1" else "Deviates as known: 1 of 12"
    )
