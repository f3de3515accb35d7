"""A query that is fed portions between which its watermark rises, and its rows laid to the steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.window import WatermarkStep

from ...spark_schedule.courses import Course
from ...spark_schedule.schedule import Portion, moment_of, raised_to, raising_steps, stays
from ..binding.processor_binding import ProcessorBinding
from ..binding.step_rows import ASTRAY, Rise, rows_of_steps, rows_of_timers, step_row
from .caught_processor import CAUGHT
from .checkpointed_query import CheckpointedQuery, QueryFailed, Rows, rows_by_key
from .dispatcher import PROCESSOR

EVENT_TIME = "_event_time"
"""The last column of the rows, ms: null in those of steps, and all there is in those that raise the
watermark."""


@dataclass(frozen=True)
class History:
    """One course of a scenario, and the number of its processor."""

    scenario: Scenario
    course: Course
    processor: int


def laid_rows(
    binding: ProcessorBinding,
    query: CheckpointedQuery,
    portions: Sequence[Portion],
    histories: Mapping[str, History],
) -> Rows:
    """Feed `query`, and return what is new of its output rows, each with the step that it belongs to.

    Raises `QueryFailed` if Spark's watermark did not go as the portions say, or for a row of another key.
    """
    planned = _fed(binding, query, portions, histories)
    came = query.in_order()
    went, should = [watermark for watermark, _ in came], [one.watermark for one in planned]
    if went != should:
        raise QueryFailed(f"Spark's watermark was at {went} ms, batch by batch, instead of {should}")
    by_key = [rows_by_key(rows, binding.key, histories) for _, rows in came]
    found: Rows = []
    for name, history in histories.items():
        seen = {entry[0] for entry in history.course.steps[: history.course.since] if entry is not None}
        for micro_batch, rows in zip(planned, by_key, strict=True):
            laid = _laid(rows[name], micro_batch, name, history)
            found += [row for row in laid if row["sequence"] not in seen or ASTRAY in row]
    return found


@dataclass(frozen=True)
class _MicroBatch:
    """One of `portion`, with Spark's watermark (ms) in it; `added`: Spark added it since that had risen."""

    portion: Portion
    watermark: int
    added: bool


def _fed(
    binding: ProcessorBinding,
    query: CheckpointedQuery,
    portions: Sequence[Portion],
    histories: Mapping[str, History],
) -> list[_MicroBatch]:
    """Feed all portions; the micro-batches in which they should have gone through."""
    planned: list[_MicroBatch] = []
    standing = 0
    query.start()
    for portion in portions:
        rows = [*_rows_of(binding, portion, histories)]
        if not rows:
            continue
        if portion.restarted and planned:  # nothing is restarted before the first micro-batch
            query.stop()
            query.start()
        planned.append(_MicroBatch(portion, standing, added=False))
        if portion.rises_to is None or raised_to(portion.rises_to) <= standing:
            query.feed(rows)
        else:
            standing = raised_to(portion.rises_to)
            planned.append(_MicroBatch(portion, standing, added=True))
            query.feed(rows, batches=2)
    return planned


def _rows_of(
    binding: ProcessorBinding, portion: Portion, histories: Mapping[str, History]
) -> Iterator[dict[str, Any]]:
    for placed in portion.placed:
        moment = moment_of(placed.step)
        if moment is not None:
            yield _mark(binding, moment)
        elif not isinstance(placed.step, WatermarkStep):
            history = histories[placed.history]
            row = step_row(binding, placed.history, history.scenario.setup, placed.index, placed.step)
            yield {**row, PROCESSOR: history.processor, EVENT_TIME: None}
    if portion.rises_to is not None:
        yield _mark(binding, portion.rises_to)


def _mark(binding: ProcessorBinding, moment: int) -> dict[str, Any]:
    """The row that raises the watermark: all up to a moment (ms) has arrived."""
    return {**dict.fromkeys([*binding.input_schema.names, PROCESSOR]), EVENT_TIME: raised_to(moment)}


def _laid(rows: Rows, micro_batch: _MicroBatch, name: str, history: History) -> Rows:
    """The rows of a history in a micro-batch: those of timers belong to the step that raised the watermark.

    Where it has not risen, a timer that was set too late has expired after the steps, and its rows belong to
    none of them; but if it raised, they end with the last.
    """
    if micro_batch.added:
        raising = dict(raising_steps(stays(history.course)))
        value = micro_batch.portion.rises_to
        return rows_of_timers(rows, Rise(raising[value], value)) if value is not None else rows
    placed = {one.index for one in micro_batch.portion.placed if one.history == name}
    last = max(placed, default=0)
    return [
        {**row, "sequence": last} if row["sequence"] is None and row.get(CAUGHT) is not None else row
        for row in rows_of_steps(rows, placed)
    ]
