"""`SlidingFolds`: findings over a window that moves, and memory that does not grow with the log."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pyarrow.compute as pc
import pytest
from written_logs import written

from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.job.job_findings import findings_of
from tidegauge_pipeline.event_log.schema import rows_of
from tidegauge_pipeline.monitor.sliding_folds import PARTS, SlidingFolds

NOW = 1_780_000_000_000
"""A day of 2026 (ms)."""

LATER = NOW + 10**9
MINUTE = 60_000

Row = dict[str, Any]


def seconds(
    begin: int, end: int, stands: bool = False, late: int = 0, subtasks: int = 2
) -> Iterator[list[Row]]:
    """Yield the rows of each second: subtasks of a source, in turn, and a window operator."""
    for second in range(begin, end):
        at = {"processing_time": NOW + 1000 * second}
        rows: list[Row] = []
        for subtask in range(subtasks):
            own = {**at, "source": "orders", "subtask": subtask}
            rows.append({**own, "kind": "record", "event_time": NOW + 1000 * second, "count": 10})
            if not stands or subtask:
                rows.append({**own, "kind": "watermark", "event_time": NOW + 1000 * second - 5000})
        rows.append({**at, "source": "sums", "kind": "watermark", "event_time": NOW + 1000 * second - 5000})
        rows += [{**at, "source": "sums", "kind": "late", "event_time": NOW - 9000}] * late
        yield rows


def table_of(rows: list[Row]) -> Any:
    return rows_of(written(rows), "the log")


def names_over_time(folds: SlidingFolds, table: Any, size: int) -> list[tuple[int, list[str]]]:
    """Fold a log in polls of this many rows, and return the findings at the end of each step (s)."""
    return [
        ((at - NOW) // 1000, [finding.name for finding in folds.findings()])
        for begin in range(0, len(table), size)
        for at in folds.add(table.slice(begin, size), LATER)
    ]


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_interleaved_subtasks_show_what_check_log_finds(size: int) -> None:
    rows = [row for batch in seconds(0, 60, stands=True, late=3) for row in batch]
    table = table_of(rows)
    folds = SlidingFolds(10 * MINUTE)
    names_over_time(folds, table, size)
    expected = findings_of(judged_rows(table))
    assert {finding.name for finding in expected} == {"late-rows", "stalled-watermark"}
    assert folds.findings() == expected


@pytest.mark.parametrize("size", [11, 100_000])
def test_a_finding_ends_when_its_cause_has_left_the_window(size: int) -> None:
    batches = [*seconds(0, 60), *seconds(60, 61, late=50), *seconds(61, 400)]
    shown = names_over_time(
        SlidingFolds(2 * MINUTE), table_of([row for batch in batches for row in batch]), size
    )
    begins = min(at for at, names in shown if names == ["late-rows"])
    ends = max(at for at, names in shown if names == ["late-rows"])
    part = 2 * 60 // PARTS
    assert 60 <= begins <= 60 + part
    assert 180 - part <= ends <= 180 + part
    assert {name for _, names in shown for name in names} == {"late-rows"}


def test_a_stall_ends_when_the_watermark_moves_again() -> None:
    batches = [*seconds(0, 60, subtasks=1), *seconds(60, 300, stands=True, subtasks=1)]
    folds = SlidingFolds(2 * MINUTE)
    table = table_of([row for batch in [*batches, *seconds(300, 301, subtasks=1)] for row in batch])
    names_over_time(folds, table.slice(0, len(table) - 3), 10)
    (finding,) = folds.findings()
    assert (finding.name, finding.begin) == ("stalled-watermark", NOW + 59_000)
    assert "for 4 min 0 s" in finding.sentence
    list(folds.add(table.slice(len(table) - 3), LATER))
    assert folds.findings() == ()


def test_an_input_that_is_silent_for_longer_than_the_window_still_holds_the_watermark() -> None:
    rows: list[Row] = []
    for second in range(200):
        at = {"source": "", "processing_time": NOW + 1000 * second, "kind": "watermark"}
        present = (0, 1, None) if second < 20 else (0,)
        rows += [{**at, "channel": channel, "event_time": NOW + 1000 * second} for channel in present]
    folds = SlidingFolds(MINUTE)
    names_over_time(folds, table_of(rows), 5)
    (finding,) = folds.findings()
    assert finding.name == "idle-input-holds"
    assert finding.sentence.startswith("channel 1 of subtask 0 of job ")


def test_without_rows_a_finding_ends_by_the_clock() -> None:
    folds = SlidingFolds(2 * MINUTE)
    list(folds.add(table_of([row for batch in seconds(0, 60, late=5) for row in batch]), LATER))
    folds.advance(NOW + 100_000)
    assert [finding.name for finding in folds.findings()] == ["late-rows"]
    folds.advance(NOW + 200_000)
    assert folds.findings() == ()


def test_a_row_with_a_clock_in_the_future_does_not_move_the_window_away() -> None:
    folds = SlidingFolds(2 * MINUTE)
    ahead = {"source": "bad clock", "kind": "idle", "processing_time": NOW + 10**12}
    rows = [row for batch in seconds(0, 60, late=5) for row in batch]
    list(folds.add(table_of([*rows[:100], ahead, *rows[100:]]), NOW + 60_000))
    assert [finding.name for finding in folds.findings()] == ["late-rows"]


def test_subtasks_are_bounded() -> None:
    folds = SlidingFolds(2 * MINUTE, most_subtasks=5)
    for number in range(50):
        row = {"job": f"job {number}", "kind": "idle", "processing_time": NOW + number}
        list(folds.add(table_of([row]), LATER))
    assert [job for job, _, _ in folds.subtasks] == [f"job {number}" for number in range(45, 50)]


def polls_of_spark(begin: int, end: int) -> Iterator[Any]:
    """Yield 500 micro-batches at a time, one a second: a watermark, a late row in every tenth, and state."""
    rows: list[Row] = []
    for number in range(500):
        at = {"processing_time": NOW + 1000 * number, "source": "stateStoreSave-0"}
        rows.append({**at, "kind": "watermark", "event_time": NOW + 1000 * number})
        if number % 10 == 0:
            rows.append({**at, "kind": "late", "event_time": NOW})
        rows.append({**at, "kind": "state-size", "count": number})
    table = table_of(rows)
    steps = {"processing_time": 500_000, "event_time": 500_000, "sequence": len(table)}
    for number in range(begin // 500, end // 500):
        moved = table
        for name, step in steps.items():
            place = table.schema.get_field_index(name)
            moved = moved.set_column(place, table.schema.field(name), pc.add(table[name], number * step))
        yield moved


def test_memory_does_not_grow_over_100_000_batches() -> None:
    """A poll reads 500 batches. What is kept after the second half is no more than after the first."""
    folds = SlidingFolds(100 * MINUTE)
    kept = []
    tracemalloc.start()
    try:
        for half in range(2):
            for table in polls_of_spark(half * 50_000, (half + 1) * 50_000):
                for _ in folds.add(table, NOW + 10**12):
                    assert folds.findings()
            gc.collect()
            kept.append((tracemalloc.get_traced_memory()[0], len(gc.get_objects())))
    finally:
        tracemalloc.stop()
    (first_bytes, first_objects), (second_bytes, second_objects) = kept
    assert second_bytes < first_bytes + 100_000
    assert second_objects < first_objects + 500
