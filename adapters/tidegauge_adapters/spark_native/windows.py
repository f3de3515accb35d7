"""Windows of Spark: `groupBy(window(...))` in append mode, many histories in one query, a key each.

The watermark is that of an input of its own, so that histories decide it: `multipleWatermarkPolicy` is `max`,
and the records' own watermark never starts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions

from tidegauge.wire.steps.window import ExpiredStateStep, Session, Sliding, WindowScenario, WindowSetup
from tidegauge.wire.vocabulary import AnyOutput

from ..spark_schedule.courses import courses
from ..spark_schedule.schedule import Portion, schedule
from .fed_rows import latest, mark, row_of
from .query import NativeQuery
from .window_outputs import History, KeptWindows, outputs_of_histories

_SCHEMA = "history STRING, record BIGINT, milliseconds BIGINT, gap BIGINT"
_NEVER = "106000000 days"
"""A delay by which the records' own watermark never starts: more than all of event time."""

_LAST_MOMENT = 9_200_000_000_000_000
"""Spark counts microseconds: a little before its last ms."""

Windowing = tuple[int, int, int] | None
"""Size, slide and offset (ms); None: sessions, of any gaps."""


def windowing(setup: WindowSetup) -> Windowing:
    """What histories of one query have in common."""
    assigner = setup.assigner
    if isinstance(assigner, Session):
        return None
    slide = assigner.slide if isinstance(assigner, Sliding) else assigner.size
    return assigner.size, slide, assigner.offset % slide


def queries(scenarios: Iterable[WindowScenario]) -> list[dict[str, History]]:
    """The courses of all scenarios, those that can share a query together. Those that restart share none with
    those that do not."""
    found: dict[object, dict[str, History]] = defaultdict(dict)
    for scenario in scenarios:
        for number, course in enumerate(courses(scenario.history)):
            group = found[windowing(scenario.setup), None in course.steps]
            group[f"{scenario.id}#{number}"] = History(scenario, course)
    return list(found.values())


def window_outputs(
    session: SparkSession, folder: Path, histories: Mapping[str, History]
) -> dict[str, dict[int, list[AnyOutput]]]:
    """What each new step of each history gives, by its index. The histories have one windowing."""
    setup = next(iter(histories.values())).scenario.setup
    portions = schedule({name: one.course for name, one in histories.items()})
    end = min(latest(portions) + longest_window(histories), _LAST_MOMENT)
    query = NativeQuery(session, folder, _SCHEMA, _plan(windowing(setup)))
    try:
        query.start()
        for portion in [*portions, Portion(rises_to=end)]:
            if portion.restarted:
                query.stop()
                query.start()
            query.feed([*_rows(portion, histories)])
        query.stop()
        kept = KeptWindows(session, query.checkpoint) if any(map(asks_for_state, portions)) else None
        return outputs_of_histories(histories, portions, query.batches, kept)
    finally:
        query.end()


def longest_window(histories: Mapping[str, History]) -> int:
    """Return by how much the last window may end after the last moment (ms)."""
    assigners = [one.scenario.setup.assigner for one in histories.values()]
    return max(one.gap if isinstance(one, Session) else one.size for one in assigners) + 1


def asks_for_state(portion: Portion) -> bool:
    """Whether a step asks for the state that is kept."""
    return any(isinstance(fed.step, ExpiredStateStep) for fed in portion.placed)


def _rows(portion: Portion, histories: Mapping[str, History]) -> Iterable[dict[str, Any]]:
    for fed in portion.placed:
        row = row_of(fed.history, fed.index, fed.step, histories[fed.history].scenario.setup)
        if row is not None:
            yield row
    if portion.rises_to is not None:
        yield mark(portion.rises_to)


def _plan(common: Windowing) -> Any:
    def plan(rows: DataFrame) -> DataFrame:
        timed = rows.withColumn("time", functions.expr("timestamp_millis(milliseconds)"))
        records = timed.filter("history IS NOT NULL").withWatermark("time", _NEVER)
        marks = timed.filter("history IS NULL").withWatermark("time", "0 seconds")
        marks = marks.filter("time IS NULL")  # a condition on the time is not pushed below the watermark
        return windows_of(records.union(marks), common)

    return plan


def windows_of(rows: DataFrame, common: Windowing) -> DataFrame:
    """Return the windows of each history over the column `time`, which has the watermark."""
    kept = rows.groupBy(_window(common).alias("window"), "history")
    came, number = functions.collect_list("record"), functions.count("*")
    results = kept.agg(came.alias("came"), number.alias("records"))
    return results.select(
        "history",
        functions.unix_millis("window.start").alias("start"),
        functions.unix_millis("window.end").alias("end"),
        "came",
        "records",
    )


def _window(common: Windowing) -> Column:
    if common is None:
        return functions.session_window("time", functions.expr("concat(gap, ' milliseconds')"))
    size, slide, offset = (f"{length} milliseconds" for length in common)
    return functions.window("time", size, slide, offset)
