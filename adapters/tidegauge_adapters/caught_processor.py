"""A stateful processor that survives its exceptions, to find out whose key it was that ended a query.

Python workers of Spark import this module: it knows nothing of the kit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

from tidegauge_spark import VALVE_OUTPUT_SCHEMA

RAISED = "raised"
MISFIT = "misfit"
_row = Row(*VALVE_OUTPUT_SCHEMA.names)


class CaughtProcessor(StatefulProcessor):
    """Does what `processor` does, but answers a batch in which it raises by one row of kind `RAISED`, and one
    with rows that do not fit the schema by one of kind `MISFIT`: `sequence` is the first of the batch and
    `error` the exception in words."""

    def __init__(self, processor: StatefulProcessor) -> None:
        self._processor = processor

    def init(self, handle: StatefulProcessorHandle) -> None:
        """As the processor does."""
        self._processor.init(handle)

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[Row]:
        """The processor's rows, or the one that says what went wrong."""
        steps = list(rows)
        try:
            answers = list(self._processor.handleInputRows(key, iter(steps), timerValues))
        except Exception as error:
            return iter([_caught(RAISED, key, steps, error)])
        try:  # as Spark's Python worker does it
            named = [answer.asDict(True) for answer in answers]
            pa.RecordBatch.from_pylist(named, schema=to_arrow_schema(VALVE_OUTPUT_SCHEMA))
        except Exception as error:
            return iter([_caught(MISFIT, key, steps, error)])
        return iter(answers)

    def close(self) -> None:
        """As the processor does."""
        self._processor.close()


def _caught(kind: str, key: Any, steps: list[Row], error: Exception) -> Row:
    first = min(step.sequence for step in steps)
    return _row(key[0], first, 0, kind, None, f"{type(error).__name__}: {error}"[:2000])
