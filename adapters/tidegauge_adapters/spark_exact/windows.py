"""Spark's windows on the exact watermark, many histories in one query.

The records are one split of the source and may be far ahead, or late. The watermark of each history is a
record of another split, which another subtask reads. It is the smaller of the two watermarks, and therefore
the one that Spark has to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from tidegauge.wire.steps.window import RecordStep
from tidegauge.wire.vocabulary import AnyOutput

from ..spark_native.fed_rows import latest, row_of
from ..spark_native.window_outputs import History, KeptWindows, outputs_of_histories
from ..spark_native.windows import Windowing, asks_for_state, longest_window, windowing, windows_of
from ..spark_schedule.schedule import Portion, moment_of, raised_to, schedule
from .feeding import CLOCK_STEP
from .query import END_OF_TIME, ExactBatch, ExactRows
from .scenario_log import COLUMNS, EVENT_TIME, Feed

_RECORDS: Final = "records"
_MARKS: Final = "watermarks"
_OPTIONS: Final = {"clockStep": CLOCK_STEP, "numSubtasks": "2"}


def window_outputs(
    session: SparkSession, folder: Path, histories: Mapping[str, History]
) -> dict[str, dict[int, list[AnyOutput]]]:
    """Return the outputs of each new step of each history, by its index. All histories have the same
    windowing."""
    setup = next(iter(histories.values())).scenario.setup
    portions = schedule({name: history.course for name, history in histories.items()})
    end = min(latest(portions) + longest_window(histories), END_OF_TIME - 2)
    feeds, numbers, restarts = _feeds([*portions, Portion(rises_to=end)], histories)
    rows = ExactRows(session, folder, _plan(windowing(setup)), _OPTIONS, collects=True)
    query = rows.query(feeds, restarts)
    try:
        batches = query.batches
        for batch, number in zip(batches, numbers, strict=True):
            batch.files = number + 1
        kept = KeptWindows(session, query.checkpoint) if any(map(asks_for_state, portions)) else None
        return outputs_of_histories(histories, portions, list[ExactBatch](batches), kept)
    finally:
        query.remove()


def _feeds(
    portions: Sequence[Portion], histories: Mapping[str, History]
) -> tuple[list[Feed], list[int], list[int]]:
    """Return the feeds, the portion of each feed, and the feeds before which the query restarts.

    Where the watermark rises, a feed without records follows the portion: the windows that fire on it belong
    to the step that raises the watermark, and not to the records that come next.
    """
    feeds: list[Feed] = []
    numbers: list[int] = []
    restarts: list[int] = []
    for number, portion in enumerate(portions):
        if portion.restarted:
            restarts.append(len(feeds))
        feeds.append(Feed({_RECORDS: [*_records(portion, histories)], _MARKS: [*_marks(portion)]}))
        numbers.append(number)
        if portion.rises_to is not None:
            feeds[-1].rows[_RECORDS].append(_mark(portion.rises_to))
            feeds[-1].rows[_MARKS].append(_mark(portion.rises_to))
            feeds.append(Feed())
            numbers.append(number)
    return feeds, numbers, restarts


def _records(portion: Portion, histories: Mapping[str, History]) -> Iterator[list[object]]:
    for fed in portion.placed:
        if isinstance(fed.step, RecordStep):
            row = row_of(fed.history, fed.index, fed.step, histories[fed.history].scenario.setup)
            assert row is not None
            yield [row[name] for name in COLUMNS.names]


def _marks(portion: Portion) -> Iterator[list[object]]:
    """Yield the watermarks that do not rise."""
    for fed in portion.placed:
        moment = moment_of(fed.step)
        if moment is not None:
            yield _mark(moment)


def _mark(moment: int) -> list[object]:
    """Return the record of a split whose watermark says that all records up to a moment (ms) have arrived."""
    return [None, None, raised_to(moment) + 1, None]  # the watermark of a split is 1 ms behind its records


def _plan(common: Windowing) -> Callable[[DataFrame], DataFrame]:
    def plan(rows: DataFrame) -> DataFrame:
        records = rows.where("history IS NOT NULL").withColumnRenamed(EVENT_TIME, "time")
        return windows_of(records, common)

    return plan
