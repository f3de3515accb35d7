"""What the state of a lane is after unusual steps: refused ones, restored ones, lanes that come and go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from report_samples import REFUSED, RESTORE, SNAPSHOT, Record, Wire, counterexample

from tidegauge_reports.histories.history import History, Lane, SpanKind
from tidegauge_reports.histories.reading import read_history


def play(component: str, setup: Wire, steps: Sequence[Wire | Record]) -> History:
    """The history of these steps; nothing comes out, unless a step comes with what does."""
    records: list[Record] = [step if isinstance(step, tuple) else (step, [], []) for step in steps]
    scenario = {"component": component, "id": "played", "setup": setup}
    found = read_history(counterexample(records, scenario=scenario))
    assert found is not None
    return found


def step(kind: str, **fields: Any) -> Wire:
    """A step in its wire form."""
    return {"step": kind, **fields}


def refused(wire: Wire) -> Record:
    """A step that has to be refused."""
    return (wire, [REFUSED], [REFUSED])


def lasts(lane: Lane, kind: SpanKind) -> str:
    """Whether a span lasts before the first step and after each: `-xx-`."""
    return "".join("x" if lasted else "-" for lasted in lane.during[kind])


def test_pauses_for_one_reason_are_counted() -> None:
    found = play("clock", {}, [step("pause"), step("pause"), step("resume"), step("resume")])
    assert lasts(found.lanes[0], "blocked") == "-xxx-"
    assert [mark.label for mark in found.lanes[0].marks] == [
        "pause",
        "pause (2)",
        "resume (1 left)",
        "resume",
    ]


def test_having_no_data_is_not_being_blocked() -> None:
    found = play("clock", {}, [step("pause", reason="no-data")])
    assert found.lanes[0].names == ("no data",)
    assert (lasts(found.lanes[0], "no data"), lasts(found.lanes[0], "blocked")) == ("-x", "--")


def test_time_that_is_refused_does_not_pass() -> None:
    found = play("clock", {}, [step("advance", nanoseconds=5), refused(step("advance", nanoseconds=-7))])
    assert [(passed.words, passed.makes) for passed in found.passed.values()] == [
        ("+5 ns", "5 ns"), ("−7 ns ✕", ""),
    ]  # fmt: skip


def test_a_restored_clock_is_blocked_as_it_was_and_has_its_time() -> None:
    found = play("clock", {}, [
        step("pause"), step("advance", nanoseconds=5), SNAPSHOT, step("resume"),
        step("advance", nanoseconds=2), RESTORE,
    ])  # fmt: skip
    assert lasts(found.lanes[0], "blocked") == "-xxx--x"
    assert found.passed[5].makes == "5 ns"


def test_a_split_that_comes_back_starts_anew() -> None:
    found = play("splits", {"parts": "splits"}, [
        step("add-split", split="a"), step("watermark", split="a", timestamp=9), step("remove-split", split="a"),
        step("add-split", split="a"), step("watermark", split="a", timestamp=4),
    ])  # fmt: skip
    split = found.lanes[0]
    assert lasts(split, "absent") == "x--x--"
    assert [mark.kind for mark in split.marks] == ["ends", "watermark", "begins", "ends", "watermark"]
    assert (split.levels[2], split.levels[3], split.levels[5]) == (9, None, 4)


def test_a_watermark_ends_the_idleness_of_a_split_also_if_it_is_ignored() -> None:
    found = play("splits", {"parts": "inputs", "inputs": 2}, [
        step("input-watermark", input=1, timestamp=9), step("input-idle", input=1),
        step("input-watermark", input=1, timestamp=4), refused(step("input-idle", input=2)),
    ])  # fmt: skip
    assert [(lane.names[0], lane.exists) for lane in found.lanes] == [
        ("input 0", True), ("input 1", True), ("input 2", False),
    ]  # fmt: skip
    assert lasts(found.lanes[1], "idle") == "--x--"
    assert found.lanes[1].marks[-1].label == "4 ignored"
    assert [mark.kind for mark in found.lanes[2].marks] == ["refused"]


def test_subtasks_start_run_fail_and_restart() -> None:
    begun = {"name": "a", "watermark_group": "g", "max_allowed_watermark_drift": 1, "subtasks": 2}
    found = play("coordinator", {"sources": []}, [
        step("start", source="a", **begun), step("ready", source="a", subtask=0),
        step("report", source="a", subtask=0, watermark=7), step("restart", source="a"),
        step("report", source="a", subtask=0, watermark=3), step("finish", source="a", subtask=1),
        refused(step("ready", source="a", subtask=2)),
    ])  # fmt: skip
    first, second, unknown = found.lanes
    assert lasts(first, "absent") == "x-------"
    assert lasts(first, "down") == "-x--xxxx"
    assert lasts(second, "down") == "-xxxxxxx"
    assert first.levels[3:6] == [7, 7, 3]
    assert [mark.label for mark in second.marks] == ["finished"]
    assert unknown.names == ("subtask a/2", "does not exist")
    assert found.moments == {0: "start a", 3: "restart a"}


def test_a_source_that_may_not_start_does_not() -> None:
    begun = {"name": "a", "watermark_group": "g", "max_allowed_watermark_drift": -1, "subtasks": 1}
    found = play("coordinator", {"sources": []}, [refused(step("start", source="a", **begun))])
    assert lasts(found.lanes[0], "absent") == "xx"
    assert found.moments == {0: "start a ✕"}


def test_tasks_get_partitions_lose_them_and_leave() -> None:
    vertex = {"name": "v", "tasks": 1, "partitions": 1, "listening": False}
    found = play("low_watermark", {"vertices": [vertex]}, [
        step("partitions", vertex="v", task=0, count=0), step("join", vertex="v"), step("join", vertex="v"),
        step("partitions", vertex="v", task=2, count=3), step("leave", vertex="v", task=0),
    ])  # fmt: skip
    assert [lane.names for lane in found.lanes] == [
        (f"task v/{number}", "does not listen") for number in range(3)
    ]
    assert [lasts(lane, "absent") for lane in found.lanes] == ["-----x", "xx----", "xxx---"]
    assert [lasts(lane, "empty") for lane in found.lanes] == ["-xxxx-", "--xxxx", "---x--"]


def test_a_record_without_a_time_is_said_to_have_none() -> None:
    found = play("source", {}, [step("record", split=None, timestamp="MIN")])
    assert found.lanes[0].names == ("main output",)
    assert found.lanes[0].marks[0].label == "without a time not read"


def test_a_record_within_the_allowed_lateness_is_not_late() -> None:
    fire = {"output": "fire", "start": 0, "end": 5, "values": [1], "to": "downstream"}
    found = play("window", {}, [
        step("watermark", timestamp=9), (step("record", timestamp=3, value=1), [fire], [fire]),
    ])  # fmt: skip
    assert found.lanes[0].marks[-1].kind == "record"


def test_a_dropped_record_is_late() -> None:
    drop = {"output": "drop", "to": "metrics"}
    found = play("window", {}, [(step("record", timestamp=3, value=1), [drop], [])])
    assert found.lanes[0].marks[-1].kind == "late"


def test_a_record_has_the_time_that_it_goes_out_with() -> None:
    """With ingestion time a record that carries an old timestamp is not late."""
    out = {"output": "record", "timestamp": 50, "to": "downstream"}
    sent = {"output": "watermark", "timestamp": 20, "to": "downstream"}
    found = play("generator", {}, [
        (step("tick"), [sent], [sent]), (step("record", timestamp=3), [out], [out]),
        step("record", timestamp=20), step("record", timestamp=21),
    ])  # fmt: skip
    assert [mark.kind for mark in found.lanes[0].marks] == ["record", "late", "record"]


def test_only_true_is_a_claim_of_backlog() -> None:
    found = play("backlog", {"kind": "combiner", "channels": 1}, [
        step("attributes", channel=0, backlog="false"), step("attributes", channel=0, backlog=True),
    ])  # fmt: skip
    assert lasts(found.lanes[0], "claims") == "--x"


def test_where_one_answer_has_no_watermarks_its_line_stays_at_the_bottom() -> None:
    sent = {"output": "watermark", "timestamp": 20, "to": "downstream"}
    found = play("generator", {}, [(step("tick"), [sent], [])])
    assert found.expected.levels == {"": [-(2**63), 20]}
    assert found.got.levels == {"": [-(2**63), -(2**63)]}


def test_a_restored_output_goes_on_from_where_it_was() -> None:
    low = {"output": "watermark", "timestamp": 20, "to": "downstream"}
    high = {"output": "watermark", "timestamp": 30, "to": "downstream"}
    found = play(
        "generator", {}, [(step("tick"), [low], [low]), SNAPSHOT, (step("tick"), [high], []), RESTORE]
    )
    assert found.expected.levels[""][1:] == [20, 20, 30, 20]


def test_a_restored_subtask_is_blocked_and_its_splits_paused_as_they_were() -> None:
    paused = {"output": "splits-paused", "splits": ["a"], "to": "reader"}
    resumed = {"output": "splits-resumed", "splits": ["a"], "to": "reader"}
    blocked, unblocked = {"output": "blocked", "to": "runtime"}, {"output": "unblocked", "to": "runtime"}
    low, high = step("announcement", bound=1), step("announcement", bound=9)
    found = play("source", {}, [
        step("assign", split="a"), (low, [paused, blocked], []), SNAPSHOT,
        (high, [resumed, unblocked], []), RESTORE,
    ])  # fmt: skip
    assert found.expected.during["blocked"] == [False, False, True, True, False, True]
    assert found.lanes[0].paused["expected"] == [False, False, True, True, False, True]
    assert not any(found.got.during["blocked"])
