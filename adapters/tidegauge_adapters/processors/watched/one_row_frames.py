"""Run a processor of `transformWithStateInPandas` on rows: each row becomes a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle


class OneRowFrames(StatefulProcessor):
    """This processor passes each row to a pandas processor as a data frame and returns the output rows."""

    def __init__(self, processor: StatefulProcessor) -> None:
        self._processor = processor

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Initialise the processor."""
        self._processor.init(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Handle rows, each as one data frame."""
        frames: Any = (_frame_of(row) for row in rows)
        return _rows_of(self._processor.handleInputRows(key, frames, timerValues))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Handle a timer."""
        frames = self._processor.handleExpiredTimer(
            key=key, timerValues=timerValues, expiredTimerInfo=expiredTimerInfo
        )
        return _rows_of(frames)

    def close(self) -> None:
        """Close the processor."""
        self._processor.close()


def _frame_of(row: Row) -> pd.DataFrame:
    # In a data frame, Spark gives times in the time zone of the session, without the time zone.
    columns = {
        name: [value.replace(tzinfo=None) if isinstance(value, datetime) else value]
        for name, value in row.asDict().items()
    }
    return pd.DataFrame(columns)


def _rows_of(frames: Iterator[Any]) -> Iterator[Row]:
    for frame in frames:
        for columns in frame.to_dict("records"):
            yield Row(**{str(name): _python_value(value) for name, value in columns.items()})


def _python_value(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy, an array or a single number
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_python_value(part) for part in value]
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime() if not pd.isna(value) else None
    return None if value is pd.NaT or value is pd.NA or value != value else value
