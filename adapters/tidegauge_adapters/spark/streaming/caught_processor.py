"""A stateful processor that survives its exceptions, to find out whose key it was that ended a query.

Python workers of Spark import this module: it knows nothing of the kit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import StringType, StructField, StructType

from ...required_pyspark import to_arrow_in_utc

RAISED = "raised"
MISFIT = "misfit"

CAUGHT = "_caught"
"""The additional column of its outputs: `RAISED` or `MISFIT` if they are none, but what went wrong."""

ERROR = "_error"
"""The exception in words."""


def caught_schema(output_schema: StructType) -> StructType:
    """The schema of a processor with outputs of this one that is caught."""
    columns = [StructField(field.name, field.dataType) for field in output_schema]
    return StructType([*columns, StructField(CAUGHT, StringType()), StructField(ERROR, StringType())])


class CaughtProcessor(StatefulProcessor):
    """Does what `processor` does, but answers a batch in which it raises by one row that is `RAISED`, and one
    with rows that do not fit `output_schema` by one that is a `MISFIT`: with the key in the column `key`, and
    with the first `sequence` of the batch. That of a timer has none."""

    def __init__(self, processor: StatefulProcessor, key: str, output_schema: StructType) -> None:
        self._processor = processor
        self._key = key
        self._output_schema = output_schema

    def init(self, handle: StatefulProcessorHandle) -> None:
        """As the processor does."""
        self._processor.init(handle)

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,
    ) -> Iterator[Row]:
        """The processor's rows, or the one that says what went wrong."""
        steps = list(rows)
        sequence = min(step.sequence for step in steps)
        return self._answers(
            key, sequence, lambda: self._processor.handleInputRows(key, iter(steps), timerValues)
        )

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Row]:
        """The processor's rows, or the one that says what went wrong."""
        return self._answers(
            key,
            None,
            lambda: self._processor.handleExpiredTimer(
                key=key, timerValues=timerValues, expiredTimerInfo=expiredTimerInfo
            ),
        )

    def close(self) -> None:
        """As the processor does."""
        self._processor.close()

    def _answers(self, key: Any, sequence: int | None, handle: Callable[[], Iterator[Row]]) -> Iterator[Row]:
        try:
            answers = list(handle())
        except (Exception, SystemExit) as error:  # that of a processor ends the query, too
            return iter([self._caught(RAISED, key, sequence, error)])
        try:  # as Spark's Python worker does it
            named = [answer.asDict(True) for answer in answers]
            pa.RecordBatch.from_pylist(named, schema=to_arrow_in_utc(self._output_schema))
        except Exception as error:
            return iter([self._caught(MISFIT, key, sequence, error)])
        return (Row(**answer, **{CAUGHT: None, ERROR: None}) for answer in named)

    def _caught(self, kind: str, key: Any, sequence: int | None, error: BaseException) -> Row:
        columns = dict.fromkeys(self._output_schema.names)
        columns[self._key] = key[0]
        columns["sequence"] = sequence
        return Row(**columns, **{CAUGHT: kind, ERROR: f"{type(error).__name__}: {error}"[:2000]})
