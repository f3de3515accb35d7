"""A failing job in words: all that a stranger must know of it."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.job.segments import of_segments
from tidegauge.components.job.wording import job_name, job_text
from tidegauge.components.wording import job_failure_message
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.job import (
    Backpressure,
    JobScenario,
    JobSetup,
    SegmentSetup,
    SourceSetup,
    SubtaskSetup,
)
from tidegauge_spec import load_registry

SETUP = JobSetup(
    "mine",
    (
        SourceSetup(
            "orders",
            (
                of_segments(
                    [SegmentSetup(5_000, 3, 1_000, 200, 50), SegmentSetup(9_000, 2, 0, 900, 10)],
                    (Backpressure(100, 200), Backpressure(300, 400)),
                ),
                of_segments([SegmentSetup(7_000, 1, 0, 0, 40)]),
                of_segments([SegmentSetup(7_000, 1, 0, 0, 40)]),
            ),
            "group-1",
            30_000,
            query="first",
            idle_timeout=5_000,
            max_out_of_orderness=250,
        ),
        SourceSetup("numbers", (SubtaskSetup(-1, 60_000, 10), SubtaskSetup(4, 6, 1)), query="second"),
    ),
    until=9_999,
    restarts=(1_000, 2_000),
    window=10_000,
)
SCENARIO = JobScenario(id="mine", setup=SETUP)


def test_every_part_of_a_job_is_described() -> None:
    assert job_text(SCENARIO) == [
        "(in ms; event times are those of the records, all others processing time since the job began)",
        "source 'orders', aligned in the group 'group-1', at most 30000 ahead of its slowest, a subtask is idle "
        "after 5000 without a record, records are expected up to 250 out of order, in the query 'first'",
        "   subtask 0: 3 records of the event times 5000, 6000, ... 7000, the first readable from 250 on, and "
        "another each 50",
        "      then 2 records of the event time 9000, the first readable from 910 on, and another each 10",
        "      under backpressure, so that it cannot emit, from 100 to 200 and from 300 to 400",
        "   each of the subtasks 1 and 2: one record of the event time 7000, readable from 40 on",
        "source 'numbers', not aligned, in the query 'second'",
        "   subtask 0: records of the event times -1, 0, ... 59999, 10 of which become readable each ms",
        "   subtask 1: 2 records of the event times 4, 5, 1 of which become readable each ms",
        "behind all sources: windows of event time, 10000 long",
        "stopped and started again at 1000 and 2000",
        "the job ends when all is read, at the latest at 9999",
    ]


@pytest.mark.parametrize("name", [name for name in JOBS if "literal" not in name])
def test_what_a_job_of_the_suite_reads_is_said(name: str) -> None:
    text = " ".join(job_text(JOBS[name]))
    for source in JOBS[name].setup.sources:
        assert repr(source.name) in text
    for number in (*map(str, JOBS[name].setup.restarts), str(JOBS[name].setup.until)):
        assert re.search(rf"\b{number}\b", text)
    for source in JOBS[name].setup.sources:
        for subtask in source.subtasks:
            for segment in subtask.segments:
                last = int(segment.first) + (segment.count - 1) * segment.step
                assert re.search(rf"\b{segment.count} records of the event times? {segment.first}\b", text)
                assert re.search(rf"\b{last}\b", text)
            for span in subtask.backpressure:
                assert f"from {span.since} to {span.until}" in text


def test_what_ends_early_and_what_divides_a_range_is_said() -> None:
    text = job_text(JOBS["flip-182-literal"])
    assert "the job ends at 6000" in text
    assert "the numbers of a source are one range, which the engine divides among its subtasks" in text


def test_a_small_job_is_named_after_the_one_it_was_made_from() -> None:
    assert job_name(SCENARIO) == "the job 'mine'"
    shrunk = replace(SCENARIO, origin=Origin("shrunk", of="mine"))
    assert job_name(shrunk) == "a small job made from the job 'mine'"


def test_the_message_has_rule_job_sentence_what_was_seen_and_how_to_replay() -> None:
    rule = load_registry().rules["JOB-10"]
    message = job_failure_message(
        [rule], SCENARIO, "Every window fires.", "none fired", "tidegauge replay FILE"
    )
    lines = message.splitlines()
    assert lines[0] == f"JOB-10 (MUST) {rule.title}"
    assert lines[1] == f"  {rule.sentence}"
    assert lines[2] == "In the job 'mine':"
    assert lines[3:-4] == [f"     {line}" for line in job_text(SCENARIO)]
    assert lines[-4:] == [
        "  expected: Every window fires.",
        "  got:      none fired",
        f"Check {rule.check}",
        "Replay: tidegauge replay FILE",
    ]
