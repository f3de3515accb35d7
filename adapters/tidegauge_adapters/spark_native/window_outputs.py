"""What came out of a query of windows, laid to the steps of the histories in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession

from tidegauge.wire.steps.window import ExpiredStateStep, RecordStep, WindowScenario
from tidegauge.wire.timestamps import to_wire
from tidegauge.wire.vocabulary import AnyOutput, Drop, Fire, StateSize, Watermark

from ..spark_schedule.courses import Course
from ..spark_schedule.schedule import Portion, raising_steps, stays
from .fed_rows import is_fed
from .query import MicroBatch


@dataclass(frozen=True)
class History:
    """One course of a scenario."""

    scenario: WindowScenario
    course: Course


class KeptWindows:
    """The windows that the query's state holds after each micro-batch, as the checkpoint tells."""

    def __init__(self, session: SparkSession, checkpoint: Path) -> None:
        changes = session.read.format("statestore").option("readChangeFeed", "true")
        found = changes.option("changeStartBatchId", 0).load(str(checkpoint))
        sessions = "sessionStartTime" in found.schema["key"].dataType.fieldNames()  # type: ignore[attr-defined]
        start = "key.sessionStartTime" if sessions else "key.window.start"
        end = "value.session_window.end" if sessions else "key.window.end"
        self._changes = found.selectExpr(
            "batch_id",
            "change_type = 'delete' AS gone",
            "key.history",
            f"unix_millis({start}) AS start",
            f"unix_millis({end}) AS end",
            "value.count AS records",
        ).collect()

    def expired(self, history: str, batch: MicroBatch) -> int:
        """How many records of a history are kept after `batch` of windows that its watermark has passed."""
        kept: dict[int, Row] = {}
        for change in sorted(self._changes, key=lambda change: (change.batch_id, not change.gone)):
            if change.history == history and change.batch_id <= batch.number:
                if change.gone:
                    kept.pop(change.start, None)
                else:
                    kept[change.start] = change
        return sum(change.records for change in kept.values() if change.end <= batch.watermark)


def outputs_of_histories(
    histories: Mapping[str, History],
    portions: Sequence[Portion],
    batches: Sequence[MicroBatch],
    kept: KeptWindows | None,
) -> dict[str, dict[int, list[AnyOutput]]]:
    """By history and index of a new step, what it gives. Within a step results are in the order of time: rows
    of a micro-batch have no order of their own. `portions` are those of the histories; one more was fed after
    them, on which all windows fired: a record that is in none of them was lost."""
    by_portion = [[batch for batch in batches if batch.files == n + 1] for n in range(len(portions) + 1)]
    came = {(row.history, record) for batch in batches for row in batch.rows for record in row.came}
    found: dict[str, dict[int, list[AnyOutput]]] = {}
    for name, history in histories.items():
        outputs = _results(name, history, portions, by_portion)
        for number, portion in enumerate(portions):
            first = by_portion[number][0]
            for fed in [placed for placed in portion.placed if placed.history == name]:
                if isinstance(fed.step, ExpiredStateStep) and kept is not None:
                    outputs.setdefault(fed.index, []).append(StateSize(kept.expired(name, first)))
                timed = isinstance(fed.step, RecordStep) and isinstance(fed.step.timestamp, int)
                if timed and (name, fed.index) not in came and first.dropped:
                    outputs.setdefault(fed.index, []).append(Drop())
        seen = {entry[0] for entry in history.course.steps[: history.course.since] if entry is not None}
        found[name] = {index: given for index, given in outputs.items() if index not in seen}
    return found


def _results(
    name: str, history: History, portions: Sequence[Portion], by_portion: Sequence[Sequence[MicroBatch]]
) -> dict[int, list[AnyOutput]]:
    """A history's windows that fired and the watermarks that it saw rise, each at the step that raised it.

    The query's watermark may stop in between for other histories: what fires there is of the step to come.
    """
    raising = raising_steps(stays(history.course))
    fired: dict[int, list[Fire]] = {}
    watermarks: dict[int, list[AnyOutput]] = {}
    standing: int | None = None
    for number, portion in enumerate(portions):
        own = [fed.index for fed in portion.placed if fed.history == name and is_fed(fed.step)]
        first, *without_data = by_portion[number]
        coming = next((step for value, step in raising if standing is None or value > standing), None)
        _fire(fired, own[-1] if own else coming, name, history, first)
        if portion.rises_to is not None:
            standing = portion.rises_to
            coming = next((step for value, step in raising if value >= standing), None)
            risen = by_portion[number + 1][0].watermark
            if dict(raising).get(standing) == coming is not None and risen > first.watermark:
                watermarks[coming] = [Watermark(to_wire(risen - 1))]
        for batch in without_data:
            _fire(fired, coming, name, history, batch)
    return {
        step: [*sorted(fired.get(step, []), key=_time), *watermarks.get(step, [])]
        for step in {*fired, *watermarks}
    }


def _fire(
    fired: dict[int, list[Fire]], step: int | None, name: str, history: History, batch: MicroBatch
) -> None:
    """Lay the results of a micro-batch to a step; those after the last step are of nobody."""
    if step is None:
        return
    for row in batch.rows:
        if row.history == name:
            steps: Sequence[Any] = history.scenario.history
            values = tuple(sorted(steps[record].value for record in row.came))
            fired.setdefault(step, []).append(Fire(to_wire(row.start), to_wire(row.end), values))


def _time(fire: Fire) -> tuple[Any, Any]:
    return fire.end, fire.start
