"""What a companion of Spark's own Kafka source says, from reports of what that source has read; without a
broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.companion import source
from tidegauge_spark.source.companion.follower import UNKNOWN, ReaderBatch, ReaderFollower
from tidegauge_spark.source.companion.offset import CompanionOffset
from tidegauge_spark.source.companion.planning import CompanionPlanning
from tidegauge_spark.source.companion.report import ReaderReport
from tidegauge_spark.source.companion.source import CompanionReader, CompanionSource, WatermarkPartition
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.said_watermark import LostWatermarkError
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

INITIAL = CompanionOffset("run", 0, started_at=0)
Stretches = dict[str, tuple[int, int]]


def report(
    ends: dict[str, int], maxima: dict[str, int], at: int = 0, unread: tuple[str, ...] = (), round_: int = 0
) -> ReaderReport:
    return ReaderReport(round_, at, ends, unread, maxima, complete=True, others=None)


def follower(known: dict[str, int] | None = None) -> tuple[ReaderFollower, list[Stretches]]:
    looked_up: list[Stretches] = []
    return ReaderFollower(looked_up.append, known or {}), looked_up


def batch(
    start: dict[str, int] | None, end: dict[str, int], latest: dict[str, int] | None = None
) -> ReaderBatch:
    return ReaderBatch(start, end, latest)


# Planning


def test_the_watermark_is_the_smallest_over_the_partitions() -> None:
    planning = CompanionPlanning(max_out_of_orderness=100, idle_timeout=None)
    first = planning.with_report(INITIAL, report({"a-0": 5, "a-1": 9}, {"a-0": 5_000, "a-1": 9_000}))
    assert first.signals.combined == 4_899
    second = planning.with_report(first, report({"a-0": 6, "a-1": 9}, {"a-0": 7_000, "a-1": 9_000}))
    assert second.signals.combined == 6_899


def test_a_partition_without_records_holds_the_watermark_back_until_it_is_idle() -> None:
    planning = CompanionPlanning(0, idle_timeout=1_000)
    offset = planning.with_report(INITIAL, report({"a-0": 0, "a-1": 9}, {"a-1": 9_000}, at=0))
    assert offset.signals.combined == MIN
    still = report({"a-0": 0, "a-1": 10}, {"a-1": 9_500}, at=900)
    assert planning.with_report(offset, still).signals.combined == MIN
    assert not planning.may_become_idle(offset, still, now=1_000)
    assert planning.may_become_idle(offset, still, now=1_001)
    later = planning.with_report(offset, report({"a-0": 0, "a-1": 11}, {"a-1": 9_900}, at=1_100))
    assert later.signals.combined == 9_899


def test_a_partition_with_unread_records_does_not_become_idle() -> None:
    planning = CompanionPlanning(0, idle_timeout=1_000)
    offset = planning.with_report(INITIAL, report({"a-0": 1, "a-1": 9}, {"a-0": 1_000, "a-1": 9_000}))
    ends, maxima = {"a-0": 1, "a-1": 10}, {"a-0": 1_000, "a-1": 9_500}
    held = planning.with_report(offset, report(ends, maxima, at=5_000, unread=("a-0",)))
    assert held.signals.combined == 999
    freed = planning.with_report(held, report(ends, maxima, at=5_500))
    assert freed.signals.combined == 999
    assert planning.with_report(freed, report(ends, maxima, at=9_000)).signals.combined == 9_499


def test_any_record_ends_the_countdown_of_a_partition_and_an_older_one_moves_no_watermark() -> None:
    planning = CompanionPlanning(0, idle_timeout=1_000)
    offset = planning.with_report(INITIAL, report({"a-0": 1, "a-1": 9}, {"a-0": 1_000, "a-1": 9_000}))
    older = planning.with_report(offset, report({"a-0": 2, "a-1": 9}, {"a-0": 500}, at=900))
    assert older.partitions["a-0"] == (2, 1_000)
    assert older.partitions["a-1"] == (9, 9_000)
    later = report({"a-0": 2, "a-1": 10}, {"a-1": 9_500}, at=1_800)
    assert planning.with_report(older, later).signals.combined == 999


def test_an_idle_companion_follows_the_other_sources() -> None:
    planning = CompanionPlanning(0, idle_timeout=1_000)
    offset = planning.with_report(INITIAL, report({"a-0": 1}, {"a-0": 1_000}))
    quiet = ReaderReport(1, 5_000, {"a-0": 1}, (), {"a-0": 1_000}, complete=True, others=8_000)
    assert planning.with_report(offset, quiet).signals.combined == 8_000
    awake = ReaderReport(1, 100, {"a-0": 1}, (), {"a-0": 1_000}, complete=True, others=8_000)
    assert planning.with_report(offset, awake).signals.combined == 999


def test_an_offset_is_stored_and_a_strange_one_refused() -> None:
    offset = CompanionPlanning(0, 500).with_report(INITIAL, report({"a-0": 1}, {"a-0": 1_000}))
    assert CompanionOffset.from_json(offset.to_json()) == offset
    for strange in ({}, {"version": 1, "partitions": []}, {**offset.to_json(), "round": 7}):
        with pytest.raises(IllegalOffsetError, match="the checkpoint has an offset"):
            CompanionOffset.from_json(strange)


# What was read


def test_event_times_count_once_every_use_of_the_topic_is_behind_them() -> None:
    followed, _ = follower()
    followed.batch([batch(None, {"a-0": 10}), batch(None, {"a-0": 4})], {"a-0": 100})
    assert (followed.ends, followed.maxima) == ({"a-0": 4}, {})
    followed.batch([batch({"a-0": 10}, {"a-0": 12}), batch({"a-0": 4}, {"a-0": 10})], {"a-0": 120})
    assert (followed.ends, followed.maxima) == ({"a-0": 10}, {"a-0": 100})


def test_what_was_read_without_a_report_is_looked_up_once() -> None:
    followed, looked_up = follower({"a-0": 10, "a-1": 5})
    for _ in range(2):
        followed.batch([batch({"a-0": 14, "a-1": 5, "a-2": 3}, {"a-0": 14, "a-1": 8, "a-2": 3})], {"a-1": 80})
    assert looked_up == [{"a-0": (10, 14), "a-2": (UNKNOWN, 3)}]
    followed.add({"a-0": 90})
    assert followed.maxima == {"a-0": 90, "a-1": 80}


def test_a_new_query_looks_nothing_up_and_knows_what_is_unread() -> None:
    followed, looked_up = follower()
    followed.batch([batch(None, {"a-0": 10, "a-1": 0}, {"a-0": 25, "a-1": 0})], {"a-0": 100})
    followed.batch([batch({"a-0": 10, "a-1": 0}, {"a-0": 20, "a-1": 0}, {"a-0": 25, "a-1": 0})], {"a-0": 90})
    assert looked_up == []
    assert (followed.maxima, followed.unread) == ({"a-0": 100}, ("a-0",))


# Rounds


def reader(folder: Path, **options: str) -> CompanionReader:
    given = {"watermarkColumn": "w", "companionOf": "o", "partitions": '["a-0"]', "maxOutOfOrderness": "0 ms"}
    made = CompanionSource({**given, "watermarkCheck": str(folder / "check"), **options})
    return made.streamReader(made.schema())


def planned(companion: CompanionReader, start: dict[str, object]) -> dict[str, object]:
    return companion.latestOffset(start, companion.getDefaultReadLimit())


def report_to(companion: CompanionReader, report: ReaderReport) -> None:
    report.write(Path(companion.reportLatestOffset()["report"]))


def test_a_companion_says_a_watermark_in_the_batch_after_its_report(tmp_path: Path) -> None:
    companion = reader(tmp_path)
    start = companion.initialOffset()
    assert planned(companion, start) == start
    assert planned(companion, start) == start, "no report has come"
    report_to(companion, report({"a-0": 5}, {"a-0": 5_000}))
    end = planned(companion, start)
    assert companion.partitions(start, end) == [WatermarkPartition(4_999)]
    assert planned(companion, end) == end, "the report of that batch has not come"
    report_to(companion, report({"a-0": 5}, {"a-0": 5_000}, round_=1))
    assert planned(companion, end) == end, "and brings nothing new"
    (row,) = companion.read(WatermarkPartition(4_999))
    assert row.to_pylist()[0]["w"].timestamp() == 4.999


def test_a_companion_says_its_watermark_again_after_a_restart_and_ignores_reports_of_other_runs(
    tmp_path: Path,
) -> None:
    first = reader(tmp_path)
    start = first.initialOffset()
    planned(first, start)
    report_to(first, report({"a-0": 5}, {"a-0": 5_000}))
    end = planned(first, start)
    report_to(first, report({"a-0": 9}, {"a-0": 9_000}, round_=9))
    second = reader(tmp_path)
    again = planned(second, end)
    assert second.partitions(end, again) == [WatermarkPartition(4_999)]
    assert planned(second, again) == again


def begun_under_available_now(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[CompanionReader, dict[str, object]]:
    """Return a companion that has planned once and has no patience, and where it began."""
    monkeypatch.setattr(source, "PATIENCE", 0.01)
    companion = reader(folder)
    companion.prepareForTriggerAvailableNow()
    start = companion.initialOffset()
    planned(companion, start)
    return companion, start


def test_under_available_now_a_companion_insists_on_the_report_of_its_last_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    companion, start = begun_under_available_now(tmp_path, monkeypatch)
    report_to(companion, report({"a-0": 5}, {"a-0": 5_000}))
    end = planned(companion, start)
    with pytest.raises(LostWatermarkError, match="the progress of a batch has not come within"):
        planned(companion, end)


def test_a_companion_does_not_wait_for_a_report_while_its_reader_has_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader has more than it has read: until its last report the query goes on, but no further."""
    companion, start = begun_under_available_now(tmp_path, monkeypatch)
    report_to(companion, report({"a-0": 5}, {"a-0": 5_000}, unread=("a-0",)))
    first = planned(companion, start)
    report_to(companion, report({"a-0": 6}, {"a-0": 6_000}, unread=("a-0",)))
    second = planned(companion, first)
    assert companion.partitions(first, second) == [WatermarkPartition(5_999)]
    with pytest.raises(LostWatermarkError, match="the progress of a batch has not come within"):
        planned(companion, second)
    report_to(companion, report({"a-0": 6}, {"a-0": 6_000}, round_=2))
    assert planned(companion, second) == second


def test_what_a_companion_cannot_go_on_with_is_one_line(tmp_path: Path) -> None:
    companion = reader(tmp_path)
    start = companion.initialOffset()
    planned(companion, start)
    report_to(companion, report({"a-0": 5, "a-1": 1}, {}))
    with pytest.raises(BrokenLogError, match=r"the partition a-1 is new since the call of watermark_of"):
        planned(companion, start)
    (tmp_path / "check").write_text("lost")
    with pytest.raises(LostWatermarkError, match="lost"):
        planned(companion, start)
