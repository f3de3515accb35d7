"""Event-time windows as a stateful operator of a Spark query: a value of the key is an operator subtask."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.functions import lit
from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.windows.settings import WindowSettings
from tidegauge_spark.decisions.windows.windows import WindowProgress, Windows
from tidegauge_spark.operators.stepped_processor import (
    SteppedProcessor,
    answer_schema,
    given,
    run_steps,
    step_schema,
    unknown_kind,
)
from tidegauge_spark.operators.stored_windows import WINDOW_CONTENTS_SCHEMA, WINDOW_KEY_SCHEMA, StoredWindows

WINDOW_INPUT_SCHEMA: Final = step_schema(record_key=StringType(), timestamp=LongType(), value=LongType())
"""A row is one step of windows.

key: the operator subtask, which has a watermark of its own. sequence: the order of the steps of this subtask.
kind: "record", "watermark", "idle", "active"; "expired-state", which asks how many records are kept for
nothing, or "kept-state", which asks how many are kept at all. record_key: records of different keys are in
different windows; null is a key like any other, and what is no record has none. timestamp: of a record or a
watermark, ms. value: of a record.
"""

WINDOW_OUTPUT_SCHEMA: Final = answer_schema(
    record_key=StringType(),
    window_start=LongType(),
    window_end=LongType(),
    values=ArrayType(LongType(), containsNull=False),
    timestamp=LongType(),
    value=LongType(),
    records=LongType(),
)
"""A row is one thing that comes out, or the refusal of a step; columns that its kind does not use are null.

key: the operator subtask. sequence: that of the step which caused it. position: its place among the outputs
of that step, from 0. kind and what goes with it:

* "fire": the result of the window of record_key from window_start to window_end, which is excluded (ms), with
  the values of its records in ascending order. "retract": the same of a result that is taken back.
* "late": a record that came too late, with record_key, timestamp (ms) and value: the late output.
* "drop": a record that came too late where there is no late output.
* "watermark" with timestamp (ms), "idle", "active": what the operator passes on.
* "state-size": so many records are kept, for nothing or at all.
* "error": the step was refused; error is "illegal-argument".
"""

WINDOW_STATE_SCHEMA: Final = StructType(
    [StructField("watermark", LongType(), False), StructField("due", LongType(), False)]
)
"""The state of one operator subtask beside its windows, the fields of `WindowProgress`."""


class WindowProcessor(SteppedProcessor[Windows]):
    """Windows for `transformWithState`, by the rules WIN-1 to WIN-16.

    Rows in are of `WINDOW_INPUT_SCHEMA`, rows out of `WINDOW_OUTPUT_SCHEMA`; see `SteppedProcessor`.

    A value of the key is an operator subtask: it gets every watermark, and a share of the records. Below
    it, record keys keep windows apart, so that one watermark serves them all. Each window is a row of the map
    state "windows", there until the watermark reaches its cleanup time; the value state "operator" has the
    watermark. In a batch only those windows are read and written that its records belong to, or that
    its watermarks make due.

    A record without a value, or with a timestamp of null, `MIN` or `MAX`, is "illegal-argument" (WIN-15).
    """

    input_schema = WINDOW_INPUT_SCHEMA
    output_schema = WINDOW_OUTPUT_SCHEMA
    state_name = "operator"
    state_schema = WINDOW_STATE_SCHEMA
    map_state_name = "windows"

    _windows: MapState
    _kept: StoredWindows

    def __init__(self, settings: WindowSettings) -> None:
        self._settings = settings

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state of each key: one value, and a map of its windows."""
        super().init(handle)
        self._windows = handle.getMapState(self.map_state_name, WINDOW_KEY_SCHEMA, WINDOW_CONTENTS_SCHEMA)

    def decide(self, kept: StoredWindows, progress: WindowProgress) -> Windows:
        """Return the decisions for what is kept; a subclass may decide otherwise."""
        return Windows(self._settings, kept, progress)

    def create(self) -> Windows:
        """Return an operator without windows and without a watermark."""
        return self.restored(WindowProgress())

    def restored(self, state: tuple[Any, ...]) -> Windows:
        """Return the operator that has this state, and the windows in the store (WIN-16)."""
        self._kept = StoredWindows(self._windows)
        return self.decide(self._kept, WindowProgress(*state))

    def saved(self, component: Windows) -> tuple[Any, ...]:
        """Write the windows that have changed; return the rest of the state."""
        self._kept.write()
        return component.progress

    def take(self, component: Windows, step: Row) -> list[tuple[Any, ...]]:
        """Take one step of the operator."""
        outputs: list[tuple[Any, ...]]
        match step.kind:
            case "record":
                timestamp, value = given(step, "timestamp"), given(step, "value")
                outputs = [*component.record(timestamp, value, step.record_key)]
            case "watermark":
                outputs = [*component.watermark(given(step, "timestamp"))]
            case "idle":
                outputs = [*component.idle()]
            case "active":
                outputs = [*component.active()]
            case "expired-state":
                outputs = [*component.expired_state()]
            case "kept-state":
                outputs = [*component.kept_state()]
            case _:
                raise unknown_kind(step)
        return outputs


def run_windows(steps: DataFrame, settings: WindowSettings) -> DataFrame:
    """Return what comes out of windows for these steps: results, late records, and the watermark.

    Rows in are of `WINDOW_INPUT_SCHEMA`, where record_key may be missing; rows out of `WINDOW_OUTPUT_SCHEMA`.
    Results are `where("kind in ('fire', 'retract')")`, late records `where("kind = 'late'")`. A streaming
    query needs the RocksDB state store provider. Raises `IllegalArgumentError` for a missing column or
    another type.
    """
    if "record_key" not in steps.columns:
        steps = steps.withColumn("record_key", lit(None).cast(StringType()))
    return run_steps(steps, WindowProcessor(settings))
