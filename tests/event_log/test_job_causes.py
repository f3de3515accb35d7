"""Findings name the cause of a trouble, not what follows from it, and give no remedy that makes it worse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from job_logs import Row, at, findings_in, names_in

HOUR = 3600


def two_sources(behind: float, ramp: float = 0.0) -> list[Row]:
    """Return the rows of two sources and a join; the second source is behind the first (s), more and more."""
    rows: list[Row] = []
    for minute in range(400):
        second = 60 * minute
        late = second - behind - ramp * second
        for source, event in (("web", second), ("stores", late)):
            rows.append(at(second, "record", event, source=source))
            rows.append(at(second, "watermark", event - 5, source=source))
        rows.append(at(second, "watermark", late - 5, source="join"))
        rows.append(at(second, "state-size", source="join", count=1000 + minute))
    return rows


def test_a_distance_of_whole_hours_is_a_time_zone_and_not_a_case_for_alignment() -> None:
    (finding,) = findings_in(two_sources(behind=5.5 * HOUR + 20))
    assert finding.name == "skewed-sources"
    assert finding.remedy.startswith("check the time zone of subtask 0 of stores: it is 5 h 30 min behind")
    (finding,) = findings_in(two_sources(behind=5.25 * HOUR))
    assert finding.remedy.startswith("align the sources with a drift of")


def test_event_times_in_the_wrong_unit_are_not_to_be_aligned() -> None:
    rows = two_sources(behind=0)
    for row in rows:
        if row["source"] == "stores" and row["event_time"] is not None:
            row["event_time"] //= 1000
    (finding,) = [each for each in findings_in(rows) if each.source != "join"]
    assert finding.name == "implausible-event-time"
    assert "skewed-sources" not in names_in(rows)


def test_a_watermark_that_leapt_is_not_stalled_beside() -> None:
    rows = [at(60 * minute, "watermark", 60 * minute, source="orders") for minute in range(100)]
    rows.append(at(6000, "watermark", 30 * 24 * HOUR, source="orders"))
    rows += [at(60 * minute, "record", 60 * minute, source="orders") for minute in range(101, 400)]
    assert names_in(rows) == ["watermark-leap"]
    assert names_in([row for row in rows if row["processing_time"] != rows[100]["processing_time"]]) == [
        "stalled-watermark"
    ]


@pytest.mark.parametrize("has_watermark", [False, True])
def test_an_input_whose_watermarks_are_not_logged_does_not_stall(has_watermark: bool) -> None:
    rows: list[Row] = []
    for minute in range(400):
        rows.append(at(60 * minute, "record", 60 * minute, source="events"))
        if has_watermark:
            rows.append(at(60 * minute, "watermark", 60 * minute - 30, source=""))
        rows.append(at(60 * minute, "state-size", source="", count=50 + (0 if has_watermark else minute)))
    if has_watermark:
        assert names_in(rows) == []
        return
    (finding,) = findings_in(rows)
    assert (finding.name, finding.source) == ("stalled-watermark", "")
    assert "the job has no watermark at all" in finding.remedy


def test_the_first_watermark_of_spark_is_none() -> None:
    rows = [{**at(0, "watermark"), "event_time": 0}]
    rows += [at(60 * minute, "watermark", 60 * minute, source="") for minute in range(1, 100)]
    assert names_in(rows) == []
    rows += [{**at(60 * minute, "record", source="in"), "event_time": 0} for minute in range(100)]
    assert "implausible-event-time" in names_in(rows)


@pytest.mark.parametrize("is_bounded", [True, False])
def test_state_that_follows_the_traffic_does_not_grow_without_end(is_bounded: bool) -> None:
    rows: list[Row] = []
    kept = 0
    for minute in range(400):
        number = 100 + 5 * minute  # the traffic of a launch day
        kept = 60 * number if is_bounded else kept + number
        rows.append(at(60 * minute, "record", 60 * minute, source="in", count=number))
        rows.append(at(60 * minute, "watermark", 60 * minute - 5, source="in"))
        rows.append(at(60 * minute, "watermark", 60 * minute - 5, source=""))
        rows.append(at(60 * minute, "state-size", source="", count=kept))
    assert names_in(rows) == ([] if is_bounded else ["growing-state"])


def blocked_most_of_the_time(step: int, drift: int) -> list[Row]:
    """Return the rows of two sources in step, of which one is blocked until the watermark of the other rises.

    step: by how much the watermark of the other source rises at once (s). drift: the drift (s).
    """
    rows: list[Row] = []
    for begin in range(0, 100 * step, step):
        rows.append(at(begin, "watermark", begin, source="ads"))
        reached = min(drift, step // 2)
        for second in (0, reached):
            rows.append(at(begin + second, "record", begin + second, source="views"))
            rows.append(at(begin + second, "watermark", begin + second, source="views"))
            rows.append(at(begin + second, "report", begin + second, source="views"))
        rows.append(at(begin + reached, "announcement", begin + reached + drift, source="views"))
        if drift < step:
            rows.append(at(begin + drift, "blocked", source="views"))
            rows.append(at(begin + step - 0.001, "unblocked", source="views"))
    return rows


def test_a_drift_smaller_than_a_step_of_the_other_source_blocks_without_need() -> None:
    (finding,) = findings_in(blocked_most_of_the_time(step=600, drift=5))
    assert (finding.name, finding.source, finding.severity) == ("alignment-blocks", "views", "warning")
    assert "the watermark of ads rises by 10 min" in finding.sentence
    assert finding.remedy.startswith("set the drift to 20 min")
    assert findings_in(blocked_most_of_the_time(step=600, drift=1200)) == ()


@pytest.mark.parametrize("slow", [("b",), ("a", "b", "c")])
def test_a_split_that_falls_behind_alone_is_named(slow: tuple[str, ...]) -> None:
    rows: list[Row] = []
    for minute in range(400):
        for split in "abc":
            event = 60 * minute * (0.7 if split in slow else 1.0)
            rows.append(at(60 * minute, "record", event, source="in", split=split))
            rows.append(at(60 * minute, "watermark", event - 5, source="in", split=split))
        rows.append(at(60 * minute, "watermark", 60 * minute * 0.7 - 5, source="in"))
    finding = findings_in(rows)[0]
    assert finding.name == "backlog"
    if len(slow) == 1:
        assert finding.part == "0 split b"
        assert finding.remedy.startswith("split b of subtask 0 of in alone falls behind")
    else:
        assert "times the present throughput" in finding.remedy


def test_a_file_may_have_numbers_and_the_end_of_time_as_a_text(
    tidegauge_here: Command, tmp_path: Path
) -> None:
    rows = [at(0, "watermark", 5, source='a "event_time": "MAX"', sequence=1, subtask=0, job="j")]
    rows += [{**rows[0], "sequence": 2, "event_time": "MAX"}, {**rows[0], "sequence": 3, "kind": "idle"}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = tidegauge_here("check-log", "log.jsonl", "--out", "out")
    assert (ended.returncode, ended.stderr) == (0, "")
    (operator,) = json.loads((tmp_path / "out" / "log-results.json").read_text())["operators"]
    assert (operator["source"], operator["rows"]) == ('a "event_time": "MAX"', 3)


def late_rows_with(ahead: float) -> list[Row]:
    """Return the rows of a source and a window; one record in 50 is ahead of the clock (s)."""
    rows: list[Row] = []
    watermark = -100.0
    for second in range(0, 4000, 10):
        is_ahead = second % 500 == 490
        event = second + ahead if is_ahead else second
        rows.append(at(second, "record", event, source="in"))
        if event < watermark:
            rows.append(at(second, "late", event, source=""))
        if event - 5 > watermark:
            watermark = event - 5
            rows.append(at(second, "watermark", watermark, source="in"))
            rows.append(at(second, "watermark", watermark, source=""))
    return rows


def test_a_few_clocks_ahead_that_make_rows_late_are_the_cause() -> None:
    odd, late = findings_in(late_rows_with(ahead=6 * HOUR))
    assert (odd.name, odd.source, late.name) == ("implausible-event-time", "in", "late-rows")
    assert "up to 6 h 0 min ahead of the clock" in odd.remedy
    assert late.remedy.startswith("mend implausible-event-time first")
    assert findings_in(late_rows_with(ahead=4)) == ()


def test_a_stall_names_the_source_with_the_smallest_watermark() -> None:
    rows: list[Row] = []
    for minute in range(300):
        for source, reached in (("clicks", min(minute, 100)), ("views", minute)):
            if source == "views" or minute <= 100:
                rows.append(at(60 * minute, "record", 60 * reached, source=source))
                rows.append(at(60 * minute, "watermark", 60 * reached - 30, source=source))
        rows.append(at(60 * minute, "watermark", 60 * min(minute, 100) - 30, source=""))
        if minute > 100:
            rows.pop()
        rows.append(at(60 * minute, "state-size", source="", count=1000))
    stalled = [finding for finding in findings_in(rows) if finding.name == "stalled-watermark"]
    assert [finding.source for finding in stalled] == [""]
    assert stalled[0].remedy.startswith("subtask 0 of clicks is at ")


def test_a_channel_is_shown_with_the_name_of_its_upstream_subtask() -> None:
    rows: list[Row] = []
    for minute in range(300):
        for channel in (0, 1) if minute < 50 else (0,):
            name = f"orders[{channel}]" if minute < 40 else ""  # a later row without the name keeps it
            of = {"source": "join", "channel": channel, "split": name}
            rows.append(at(60 * minute, "watermark", 60 * minute, **of))
        if minute < 50:
            rows.append(at(60 * minute, "watermark", 60 * minute, source="join"))
    (finding,) = findings_in(rows)
    assert (finding.name, finding.part) == ("idle-input-holds", "0 channel 1")
    assert finding.sentence.startswith("channel 1 (orders[1]) of subtask 0 of join had no rows for 4 h")
