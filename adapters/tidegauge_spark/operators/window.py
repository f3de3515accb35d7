"""Event-time windows as a stateful operator of a Spark query: a value of the key is an operator subtask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import (
    MapState,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.windows.aggregation import Records
from tidegauge_spark.decisions.windows.kept import SliceStore
from tidegauge_spark.decisions.windows.settings import WindowSettings
from tidegauge_spark.decisions.windows.windows import WindowOutput, WindowProgress, Windows
from tidegauge_spark.operators.aggregates import Aggregate
from tidegauge_spark.operators.named_aggregates import NamedAggregates
from tidegauge_spark.operators.record_columns import RecordColumns, unpacked
from tidegauge_spark.operators.record_keys import numbered_keys
from tidegauge_spark.operators.run_processor import run_processor
from tidegauge_spark.operators.stepped_processor import ILLEGAL_ARGUMENT, step_schema
from tidegauge_spark.operators.stored_windows import SLICE_CONTENTS_SCHEMA, SLICE_SCHEMA, StoredSlices
from tidegauge_spark.operators.window_plan import check_plan, plan_of
from tidegauge_spark.operators.window_results import WINDOW_OUTPUT_SCHEMA, WindowResults
from tidegauge_spark.worker_process import spare_collections

WINDOW_INPUT_SCHEMA: Final = step_schema(timestamp=LongType(), records=BinaryType())
"""A row is one step of windows.

key: the operator subtask, which has a watermark of its own. sequence: the order of the steps of this subtask.
kind: "record", "watermark", "idle", "active"; "expired-state", which asks how many records are kept for
nothing, or "kept-state", which asks how many are kept at all. timestamp: of a watermark, ms. records: of the
kind "record", any number of records, packed; the metadata of the column say what they are (`RecordColumns`).
"""

WINDOW_STATE_SCHEMA: Final = StructType(
    [
        StructField("watermark", LongType(), False),
        StructField("due", LongType(), False),
        StructField("plan", StringType()),
    ]
)
"""The state of one operator subtask beside its windows: the fields of `WindowProgress`, and by which plan the
windows were made."""

RESULTS_AT_ONCE: Final = 10_000
"""So many results or records are in one row of `WINDOW_OUTPUT_SCHEMA`, at most."""

_RECORDS_AT_ONCE: Final = 500_000
_answer_row: Final = Row(*WINDOW_OUTPUT_SCHEMA.names)


class WindowProcessor(StatefulProcessor):
    """Windows for `transformWithState`, by the rules WIN-1 to WIN-16.

    Rows in are of `WINDOW_INPUT_SCHEMA`, rows out of `WINDOW_OUTPUT_SCHEMA`; output mode "Append", time mode
    "None". The steps of a batch are taken in the order of their sequence, those of several batches in the
    order of the batches.

    A value of the key is an operator subtask: it gets every watermark, and a share of the records. Below
    it, record keys keep windows apart, so that one watermark serves them all. A row of the map state
    "windows" is a slice, windows that are read and written together; it is there until the watermark reaches
    their cleanup time. The value state "operator" has the watermark. `IllegalArgumentError` is raised
    where state was kept for other windows, aggregates or keys.

    Records without an event time, and those with `MIN` or `MAX`, are answered by "refused" (WIN-15). A step
    of an unknown kind, or without what its kind needs, is answered by "error".

    records: what the records are. aggregates: by the names that their results have. results_at_once: how many
    results or late records a row out has at most; if it is 1, each row names the step that caused it,
    otherwise what comes of records that follow one another is put to the first of their steps.
    """

    _state: ValueState
    _slices: MapState

    def __init__(
        self,
        settings: WindowSettings,
        records: RecordColumns,
        aggregates: Mapping[str, Aggregate],
        results_at_once: int = RESULTS_AT_ONCE,
    ) -> None:
        self._settings = settings
        self._records = records
        self._aggregates = NamedAggregates(aggregates, records.columns)
        self._results_at_once = results_at_once
        self._plan = plan_of(settings, records, self._aggregates)

    @cached_property
    def results(self) -> WindowResults:
        """What the packed results are."""
        return WindowResults(self._records, self._aggregates)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state of each key: one value, and a map of slices."""
        spare_collections()
        self._state = handle.getValueState("operator", WINDOW_STATE_SCHEMA)
        self._slices = handle.getMapState("windows", SLICE_SCHEMA, SLICE_CONTENTS_SCHEMA)

    def decide(self, kept: SliceStore, progress: WindowProgress) -> Windows:
        """Return the decisions for what is kept; a subclass may decide otherwise."""
        return Windows(self._settings, kept, self._aggregates, progress)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Take the steps of one operator subtask in a batch; return what comes out.

        The state is written before an output is handed over, so that it does not depend on how far the
        caller reads.
        """
        steps = sorted(rows, key=lambda step: (step.sequence is not None, step.sequence or 0))
        stored = self._state.get()
        kept = StoredSlices(self._slices)
        progress = WindowProgress()
        if stored is not None:
            *times, plan = stored
            check_plan(plan, self._plan)
            progress = WindowProgress(*times)
        windows = self.decide(kept, progress)
        answers = _Answers(key[0], self.results, self._results_at_once)
        for together in _taken_together(steps):
            if together[0].kind == "record" and together[0].sequence is not None:
                self._take_records(windows, together, answers)
            else:
                _take_step(windows, together[0], answers)
        if answers.accepted:  # wrong keys must not leave state behind
            kept.write()
            self._state.update((*windows.progress, self._plan))
        return iter(answers.rows)

    def _take_records(self, windows: Windows, steps: list[Row], answers: _Answers) -> None:
        """Take the records of several steps as one batch."""
        given = [step for step in steps if step.records is not None]
        for step in steps:
            if step.records is None:
                answers.refuse(step)
        if not given:
            return
        schema = self._records.arrow_schema
        batches = [unpacked(step.records, schema) for step in given]
        sequences = np.repeat([step.sequence for step in given], [batch.num_rows for batch in batches])
        table = pa.Table.from_batches(batches)
        keys = [table.column(1 + self._records.columns.names.index(name)) for name in self._records.key]
        self._aggregates.over(table.select(range(1, table.num_columns)))
        timestamps = table.column(0).fill_null(MIN).to_numpy()
        records = Records(timestamps, *numbered_keys(keys, table.num_rows))
        answers.take(windows.records(records), sequences.tolist(), table)


class _Answers:
    """The rows that go out for the steps of one operator subtask; several results share a row."""

    def __init__(self, key: str, results: WindowResults, at_once: int) -> None:
        self.rows: list[Row] = []
        self.accepted = False
        self._key = key
        self._results = results
        self._at_once = at_once
        self._position = 0
        self._sequence: int | None = None
        self._number = 0

    def refuse(self, step: Row) -> None:
        """Say that a step cannot be."""
        self._add(step.sequence, "error", error=ILLEGAL_ARGUMENT)

    def take(self, outputs: list[WindowOutput], sequences: int | list[int], records: Any = None) -> None:
        """Take the outputs of a step, or of the records of several."""
        refused = sum(output.kind == "refused" for output in outputs)
        self.accepted = self.accepted or records is None or refused < records.num_rows

        def row(output: WindowOutput) -> tuple[int, str]:
            kind = "results" if output.kind in ("fire", "retract") else output.kind
            if isinstance(sequences, int):
                return sequences, kind
            assert output.place is not None
            return sequences[output.place] if self._at_once == 1 else sequences[0], kind

        if self._at_once > 1:  # late records may be anywhere among results
            outputs = sorted(outputs, key=row)
        for (sequence, kind), alike in groupby(outputs, row):
            together = list(alike)
            for start in range(0, len(together), self._at_once):
                self._take_alike(sequence, kind, together[start : start + self._at_once], records)

    def _take_alike(self, sequence: int, kind: str, outputs: list[WindowOutput], records: Any) -> None:
        if kind == "results":
            packed = self._results.pack_results(outputs, self._number)
            self._number += len(outputs)
            self._add(sequence, kind, records=len(outputs), results=packed)
        elif kind == "drop":
            self._add(sequence, kind, records=len(outputs))
        elif kind in ("late", "refused"):
            packed = self._results.pack_records(records, [output.place for output in outputs])
            self._add(sequence, kind, records=len(outputs), late_records=packed)
        else:
            for output in outputs:
                self._add(sequence, kind, timestamp=output.timestamp, records=output.records)

    def _add(self, sequence: int | None, kind: str, **columns: Any) -> None:
        follows = sequence is not None and sequence == self._sequence
        self._position = self._position + 1 if follows else 0
        self._sequence = sequence
        given = {"key": self._key, "sequence": sequence, "position": self._position, "kind": kind, **columns}
        self.rows.append(_answer_row(*(given.get(name) for name in WINDOW_OUTPUT_SCHEMA.names)))


def run_windows(
    inputs: DataFrame, settings: WindowSettings, aggregates: Mapping[str, Aggregate]
) -> DataFrame:
    """Return what comes out of windows: results, late records, and the watermark.

    inputs: what `run_operator_input` returns; the windows are those of the key that was given to
    `operator_input`. aggregates: of `tidegauge_spark.operators.aggregates`, by the names of their columns.
    The columns of the result are described at `WindowResults`. A streaming query needs the RocksDB state
    store provider. Over a restart the allowed lateness and the late output may change; other windows, keys,
    aggregates or numbers of operator subtasks end the query, as the state does not fit them.
    Raises `IllegalArgumentError` for columns or aggregates that do not fit.
    """
    processor = WindowProcessor(settings, RecordColumns.of(inputs.schema, "records"), aggregates)
    results = processor.results
    schema = results.schema()  # refused here, not in a worker
    raw = run_processor(inputs.groupBy("key"), processor, WINDOW_OUTPUT_SCHEMA)
    return results.with_timestamps(raw.mapInArrow(results.unpack, schema))


def _taken_together(steps: list[Row]) -> Iterator[list[Row]]:
    """Yield records that follow one another together, all else one by one."""
    together: list[Row] = []
    size = 0
    for step in steps:
        is_record = step.kind == "record" and step.sequence is not None
        if together and (not is_record or size > _RECORDS_AT_ONCE):
            yield together
            together, size = [], 0
        if is_record:
            together.append(step)
            size += len(step.records or b"") // 8
        else:
            yield [step]
    if together:
        yield together


def _take_step(windows: Windows, step: Row, answers: _Answers) -> None:
    """Take what is no record."""
    outputs: list[WindowOutput]
    if step.sequence is None or (step.kind == "watermark" and step.timestamp is None):
        return answers.refuse(step)
    match step.kind:
        case "watermark":
            outputs = windows.watermark(step.timestamp)
        case "idle":
            outputs = windows.idle()
        case "active":
            outputs = windows.active()
        case "expired-state":
            outputs = windows.expired_state()
        case "kept-state":
            outputs = windows.kept_state()
        case _:
            return answers.refuse(step)
    return answers.take(outputs, step.sequence)
