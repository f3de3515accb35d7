"""What event logs show: of right engines nothing that is broken, of wrong ones the property that names the
rule."""

from __future__ import annotations

import pytest
from component_scenarios import drawn
from conftest import others_slower
from written_logs import judged_log, rows_of_job, rows_of_steps, written

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import load_mutants
from tidegauge.engine.adapter import Adapter
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.runner import run
from tidegauge.judging.jobs.findings import properties_of
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_pipeline.event_log.alignment import Alignment
from tidegauge_pipeline.event_log.verdicts import LogResults

ROWS = [
    (
        "log-watermark-increases",
        [("watermark", 5), ("watermark", 5)],
        "watermark 5 ms; the one before it was 5 ms",
    ),
    (
        "log-watermark-increases",
        [("watermark", 9), ("record", 7), ("watermark", 5)],
        "the one before it was 9 ms",
    ),
    ("log-statuses-alternate", [("idle", None), ("idle", None)], "outputs idle"),
    ("log-statuses-alternate", [("active", None)], "outputs active"),
    ("log-no-watermark-while-idle", [("idle", None), ("watermark", 5)], "while it is idle"),
    ("log-no-record-while-idle", [("idle", None), ("record", 5)], "while it is idle"),
    ("log-no-record-while-blocked", [("blocked", None), ("record", 5)], "while it is blocked"),
    ("log-reports-what-it-emitted", [("watermark", 5), ("report", 6)], "reports 6 ms, and has output 5 ms"),
    ("log-backlog-alternates", [("backlog", None), ("backlog", None)], "sends backlog"),
    ("log-window-not-before-its-time", [("fire", 10), ("watermark", 8)], "its watermark is then 8 ms"),
    ("log-windows-in-order", [("fire", 20), ("fire", 10), ("watermark", 30)], "one that ends 10 ms later"),
    ("log-nothing-late-in-time", [("watermark", 5), ("late", 6)], "late, 1 ms ahead"),
]
"""Each property that rows without channels and splits can break, and what is said of it."""

CHANNELS = [
    ("log-nothing-pending", [("watermark", 5, 0), ("watermark", 7, None)], "one of 5 ms arrives"),
    (
        "log-no-channel-left-behind",
        [("watermark", 5, 0), ("watermark", 9, 1), ("watermark", 9, None)],
        "channel 0",
    ),
    (
        "log-end-of-time",
        [("watermark", 5, 0), ("watermark", 2**63 - 1, 1), ("watermark", 2**63 - 1, None)],
        "channel 0",
    ),
]

RIGHT = [
    [("watermark", 5), ("restarted", None), ("watermark", 5)],
    [("idle", None), ("active", None), ("record", 5), ("watermark", 4), ("idle", None)],
    [("blocked", None), ("unblocked", None), ("record", 5), ("backlog", None), ("caught-up", None)],
    [("fire", 10), ("watermark", 9), ("late", 9), ("fire", 20), ("fire", 30), ("watermark", 29)],
    [("fire", 10), ("fire", 20)],
]


def broken(results: LogResults) -> dict[str, str]:
    """The properties that are broken, each with what is said of the first row."""
    return {one.property: one.count.first[0].says for one in results.properties if one.verdict == "fail"}


@pytest.mark.parametrize(("name", "rows", "said"), ROWS)
def test_a_property_is_broken_by_name(name: str, rows: list[tuple[str, int | None]], said: str) -> None:
    results = judged_log(written({"kind": kind, "event_time": at, "source": "a"} for kind, at in rows))
    assert list(broken(results)) == [name]
    assert said in broken(results)[name]
    assert results.overall == "fail"


@pytest.mark.parametrize(("name", "rows", "said"), CHANNELS)
def test_a_property_of_channels_is_broken_by_name(
    name: str, rows: list[tuple[str, int, int | None]], said: str
) -> None:
    results = judged_log(written({"kind": kind, "event_time": at, "channel": by} for kind, at, by in rows))
    assert said in broken(results)[name]


@pytest.mark.parametrize("rows", RIGHT)
def test_what_is_right_breaks_nothing(rows: list[tuple[str, int | None]]) -> None:
    assert not broken(judged_log(written({"kind": kind, "event_time": at} for kind, at in rows)))


def test_a_split_is_not_left_behind_while_it_is_active() -> None:
    rows = [
        {"kind": "assigned", "split": "p0"},
        {"kind": "assigned", "split": "p1"},
        {"kind": "watermark", "split": "p0", "event_time": 9},
        {"kind": "watermark", "event_time": 9},
    ]
    assert "the split p1" in broken(judged_log(written(rows)))["log-no-split-left-behind"]
    rows.insert(3, {"kind": "idle", "split": "p1"})
    assert not broken(judged_log(written(rows)))


def test_a_rule_fails_by_a_property_that_speaks_for_it_alone() -> None:
    results = judged_log(written([{"kind": "watermark", "event_time": at} for at in (5, 4)]))
    assert [(one.rule, one.verdict) for one in results.rules if one.verdict != "not-tested"] == [
        ("SPLIT-2", "fail")
    ]


def test_several_rules_of_a_broken_property_are_suspects_and_none_fails() -> None:
    rows = [("watermark", 5, 0), ("watermark", 9, 1), ("watermark", 9, None)]
    results = judged_log(written({"kind": kind, "event_time": at, "channel": by} for kind, at, by in rows))
    verdicts = {one.rule: one for one in results.rules}
    assert (verdicts["VALVE-2"].verdict, verdicts["VALVE-2"].one_of) == ("suspect", ("VALVE-1", "VALVE-2"))
    assert "fail" not in {one.verdict for one in results.rules}


def test_what_is_ignored_breaks_nothing() -> None:
    table = written([{"kind": "watermark", "event_time": at} for at in (5, 4)])
    assert judged_log(table, ignored={"log-watermark-increases"}).overall == "pass"


def log_of(component: str, adapter: Adapter) -> LogResults:
    """What an engine wrote in drawn scenarios, each in a subtask of its own."""
    scenarios = drawn(component, 300)
    answers = run(adapter, scenarios)
    pairs = [(number, *pair) for number, pair in enumerate(zip(scenarios, answers, strict=True))]
    return judged_log(
        written(
            row
            for number, scenario, answer in pairs
            if answer.failure is None
            and not any(step.__struct_config__.tag == "restore" for step in scenario.history)
            for row in rows_of_steps(component, number, scenario, answer)
        )
    )


@pytest.mark.parametrize("component", ["valve", "splits"])
def test_the_reference_breaks_nothing(component: str) -> None:
    results = log_of(component, ReferenceAdapter({}))
    assert not broken(results)
    assert not results.operators[0].troubles
    spoken = {one.property for one in results.properties if one.count.about > 100}
    assert {"log-watermark-increases", "log-statuses-alternate", "log-no-watermark-while-idle"} <= spoken


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        ("valve-joins-with-its-first-watermark", "log-no-channel-left-behind"),
        ("valve-stale-heap", "log-no-channel-left-behind"),
        ("valve-max-from-nothing", "log-end-of-time"),
        ("valve-lagging-channel-counts", "log-watermark-increases"),
        ("valve-repeats-idle", "log-statuses-alternate"),
        ("valve-flush-under-idle", "log-no-watermark-while-idle"),
        ("valve-finished-counts", "log-nothing-pending"),
        ("splits-first-part-wins", "log-no-split-left-behind"),
        ("splits-aligned-like-a-valve", "log-no-split-left-behind"),
        ("splits-silent-resumption", "log-no-watermark-while-idle"),
    ],
)
def test_a_mutant_breaks_a_property_that_speaks_for_its_rule(mutant: str, name: str) -> None:
    wrong = load_mutants()[mutant]
    results = log_of(wrong.component, MutantAdapter(wrong, {}))
    verdicts = {one.property: one for one in results.properties if one.verdict == "fail"}
    assert name in verdicts
    assert {rule for one in verdicts.values() for rule in one.rules} & set(wrong.rules)


def job_results(name: str, adapter: Adapter) -> LogResults:
    """What the log of a job of the suite shows; its alignment too, if a property of the suite speaks of
    that."""
    scenario = JOBS[name]
    (answer,) = run(adapter, [scenario])
    groups = {one.watermark_group: one.max_allowed_watermark_drift for one in scenario.setup.sources}
    aligned = any("JOB-2" in one.rules for one in properties_of(scenario)) and len(groups) == 1
    drift = max(groups.values())
    return judged_log(
        written(rows_of_job(name, [output for outputs in answer.outputs for output in outputs])),
        Alignment(drift, adapter.describe().overshoot_ms) if aligned else None,
    )


@pytest.mark.parametrize("name", others_slower(JOBS, ("flip-182",)))
def test_the_jobs_of_the_reference_break_nothing(name: str) -> None:
    results = job_results(name, ReferenceAdapter({}))
    assert not broken(results)
    assert results.rows > 100


@pytest.mark.slower
def test_a_job_without_alignment_is_spread_too_far() -> None:
    wrong = load_mutants()["job-never-blocks"]
    results = job_results("flip-182", MutantAdapter(wrong, {}))
    assert "the slowest" in broken(results)["log-spread-bounded"]
    assert [one.rule for one in results.rules if one.verdict == "fail"] == ["JOB-2"]
