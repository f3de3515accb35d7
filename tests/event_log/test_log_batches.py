"""What a log shows does not depend on how it is cut into batches, or on the order of its files."""

from __future__ import annotations

from typing import Any

import msgspec
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from written_logs import written

from tidegauge_pipeline.event_log.findings import OperatorFindings, together
from tidegauge_pipeline.event_log.fold import Fold
from tidegauge_pipeline.event_log.order import in_order, is_in_order
from tidegauge_pipeline.event_log.schema import KINDS, rows_of

TIMES = st.integers(0, 4) | st.just(2**63 - 1)
ROW = st.fixed_dictionaries(
    {
        "source": st.sampled_from(["a", "b"]),
        "subtask": st.integers(0, 1),
        "kind": st.sampled_from([*KINDS, "watermark", "watermark", "idle", "active", "fire", "tidal"]),
        "event_time": TIMES | st.none(),
        "processing_time": st.integers(0, 9) | st.integers(0, 10_000),
        "count": st.integers(1, 3),
        "split": st.sampled_from(["", "", "p0", "p1"]),
        "channel": st.sampled_from([None, None, 0, 1]),
    }
)
LOGS = st.lists(ROW, max_size=30)
NUMBERS = st.lists(st.sampled_from([1, 1, 1, 1, 2, 0]), min_size=30, max_size=30)


def log_of(rows: list[dict[str, Any]], steps: list[int]) -> pa.Table:
    """A log in order; the numbers of its rows go up by `steps`, so that there are gaps and duplicates."""
    numbers: dict[tuple[str, int], int] = {}
    for row, step in zip(rows, steps, strict=False):
        key = row["source"], row["subtask"]
        numbers[key] = numbers.get(key, 0) + step
        row["sequence"] = numbers[key]
    return in_order(rows_of(written(rows), "the log"))


def found_in(table: pa.Table, sizes: list[int]) -> list[OperatorFindings]:
    """What a log shows, judged in batches of these sizes."""
    fold = Fold()
    begin = 0
    for size in sizes:
        fold.add(table.slice(begin, size))
        begin += size
    fold.add(table.slice(begin))
    return together(fold.findings())


@settings(deadline=None, max_examples=200)
@given(LOGS, NUMBERS, st.lists(st.integers(1, 4), max_size=20))
def test_batches_change_nothing(rows: list[dict[str, Any]], steps: list[int], sizes: list[int]) -> None:
    table = log_of([dict(row) for row in rows], steps)
    assert msgspec.to_builtins(found_in(table, sizes)) == msgspec.to_builtins(found_in(table, []))


@settings(deadline=None, max_examples=200)
@given(LOGS, NUMBERS, st.randoms())
def test_the_order_of_rows_in_files_changes_nothing(
    rows: list[dict[str, Any]], steps: list[int], random: Any
) -> None:
    table = log_of([dict(row) for row in rows], [step or 1 for step in steps])
    places = list(range(len(table)))
    random.shuffle(places)
    assert is_in_order(table)
    assert in_order(table.take(pa.array(places, pa.int64()))).equals(table)


@settings(deadline=None, max_examples=200)
@given(LOGS, NUMBERS)
def test_every_row_is_counted(rows: list[dict[str, Any]], steps: list[int]) -> None:
    found = found_in(log_of([dict(row) for row in rows], steps), [3])
    assert sum(one.rows for one in found) == len(rows)
    unknown = sum(one.troubles["unknown-kind"].broken for one in found if "unknown-kind" in one.troubles)
    assert sum(sum(one.kinds.values()) for one in found) + unknown == len(rows)
    assert unknown == sum(row["kind"] == "tidal" for row in rows)
