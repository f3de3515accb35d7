"""The user describes the windows of a processor, and the output rows that report them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args

from pyspark.sql import Row

from tidegauge.wire.steps.window import Accumulation, Trigger
from tidegauge.wire.steps.window import Session as KitSession

from ..watched.user_rows import ms_of
from .aggregates import Aggregate, check_aggregate
from .assigners import Assigner
from .durations import Duration, duration_ms

Column = str | Callable[[Row], Any]
"""The name of an output column, a field of a struct such as `window.start`, or a function of the row."""


@dataclass(frozen=True, kw_only=True)
class WindowResults:
    """The windows of a processor, and how its output rows report them.

    Attributes:
        assigner: `Tumbling("1 minute")`, `Sliding("1 minute", "10 seconds")` or `Session("30 seconds")`.
        result: the column of a result row that holds the aggregate, or a function of the row.
        aggregate: the aggregate of the values of a window: "values" (a list in any order), "count", "sum",
            "mean", "min", "max", or a function of the list of values in the order of arrival.
        value: the input column that is aggregated. Its values are drawn; empty if only records are counted.
        start, end: columns with the start and the end of the window (exclusive), in ms or as a timestamp.
            One of them is enough for windows of a fixed size.
        late: returns whether an output row reports a late record; None if late records are dropped.
        late_value: the column of a late row with the value of the record; None without such a column.
        retract: returns whether an output row retracts an earlier result.
        allowed_lateness: the duration for which a window accepts records after its end.
        trigger: "event-time" if a window fires when the watermark reaches its end, and at each record within
            the allowed lateness after that; "per-record" if it fires at each record.
        accumulation: "accumulating", "discarding" or "accumulating-and-retracting": how a later result of a
            window relates to earlier ones.
        earliest, latest: the bounds of the timestamps that are drawn (ms).

    Raises `ValueError` for invalid options, and for options that contradict each other.
    """

    assigner: Assigner
    result: Column
    aggregate: Aggregate = "values"
    value: str = ""
    start: Column | None = None
    end: Column | None = None
    late: Callable[[Row], bool] | None = None
    late_value: Column | None = None
    retract: Callable[[Row], bool] | None = None
    allowed_lateness: Duration = 0
    trigger: Trigger = "event-time"
    accumulation: Accumulation = "accumulating"
    earliest: int = -86_400_000
    latest: int = 4_102_444_800_000
    lateness_ms: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.assigner, Assigner):
            raise ValueError(
                f"assigner: {self.assigner!r} is not a kind of windows; give Tumbling('1 minute'), "
                "Sliding('1 minute', '10 seconds') or Session('30 seconds') of "
                "tidegauge_adapters.processors.windows"
            )
        lateness = duration_ms(self.allowed_lateness, "allowed_lateness")
        object.__setattr__(self, "lateness_ms", lateness)
        if lateness < 0:
            raise ValueError(f"allowed_lateness: {self.allowed_lateness!r} is negative")
        for name, known in {"trigger": get_args(Trigger), "accumulation": get_args(Accumulation)}.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: {getattr(self, name)!r} is unknown; known are {', '.join(known)}")
        check_aggregate(self.aggregate)
        if self.aggregate != "count" and not self.value:
            raise ValueError(
                "value: name the input column that is aggregated; only aggregate='count' needs none"
            )
        self._check_borders()
        if (self.accumulation == "accumulating-and-retracting") != (self.retract is not None):
            raise ValueError(
                "retract: it belongs to accumulation='accumulating-and-retracting', which needs it; give a "
                "function that returns whether an output row takes a result back"
            )
        if self.earliest > self.latest:
            raise ValueError(f"earliest: {self.earliest} is after latest, {self.latest}")

    def is_late(self, row: Row) -> bool:
        """Return whether an output row reports a late record."""
        return self.late is not None and bool(self.late(row))

    def is_retraction(self, row: Row) -> bool:
        """Return whether an output row retracts a result."""
        return self.retract is not None and bool(self.retract(row))

    def window_of(self, row: Row) -> tuple[int, int]:
        """Return the start and the end (ms) of the window that a row reports.

        Raises `ValueError` for a row without a window.
        """
        start, end = self._border(row, "start"), self._border(row, "end")
        if start is None:
            start = end - self._size  # type: ignore[operator]
        return start, start + self._size if end is None else end

    @property
    def _size(self) -> int:
        assigner = self.assigner.kit
        assert not isinstance(assigner, KitSession)
        return assigner.size

    def _border(self, row: Row, name: str) -> int | None:
        column = getattr(self, name)
        if column is None:
            return None
        value = column_of(row, column)
        if value is None:
            raise ValueError(
                f"{row!r} has no {name} of a window; if it reports a late record, say so by `late`, such as "
                "late=lambda row: row.what == 'late'"
            )
        return ms_of(value)

    def _check_borders(self) -> None:
        is_session = isinstance(self.assigner.kit, KitSession)
        if is_session and (self.start is None or self.end is None):
            raise ValueError("start, end: name both columns; a session has no size from which one follows")
        if self.start is None and self.end is None:
            raise ValueError(
                "start: name the output column with the start of the window, or `end` that of its end"
            )


def column_of(row: Row, column: Column) -> Any:
    """Return a column of a row, a field of a struct in it, or the value of a function."""
    if not isinstance(column, str):
        return column(row)
    value: Any = row
    for name in column.split("."):
        value = None if value is None else value[name]
    return value
