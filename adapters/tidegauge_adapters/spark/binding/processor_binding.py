"""What binds a stateful processor to a component of the kit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import StructType

from tidegauge.wire.shapes import AnyShape, component_of_shape
from tidegauge.wire.vocabulary import AnyOutput

from .row_reader import EachRow, RowReader
from .step_columns import named_output, step_columns

TimeMode = Literal["None", "EventTime"]


@dataclass(frozen=True)
class ProcessorBinding:
    """A `StatefulProcessor` for `transformWithState`, one key a scenario, in the words of a component.

    The processor is given the steps of a key as rows of `input_schema`: the key column, `sequence` (LONG, the
    order of the steps of this key inside a micro-batch) and what `row` returns. It answers by rows of
    `output_schema`: the key column, `sequence` (of the step that caused it), `position` (INT: 0, 1, 2, ...
    within the step) and what `output` reads. It is run in output mode "Append".

    component: the kit's name, such as "valve". make: the processor for a setup of the kit; called in the
    driver, once for each different setup, and pickled from there, so that workers need not know the kit.
    key: the name of the key column, a string.
    row: the columns of a step of a scenario with this setup, without the key and `sequence`; those that are
    missing are null. By default `kind` and the fields of the step. Snapshot and restore are never asked for.
    output: what an output row means, `ValueError` if nothing. By default `kind` names the output, and its
    fields are read from the columns of the same names. Timestamps of the kit are numbers by
    `tidegauge.wire.timestamps.from_wire`, and numbers timestamps by `to_wire`.
    reads: makes a reader of the output rows of a scenario with this setup, instead of `output`, for rows
    whose meaning depends on the steps before, such as the count of the records of a window.
    operator: a function by which users run the processor; steps in, outputs out. Only for one whose settings
    are all in the rows: used in streaming queries instead of `make`.
    time_mode: Spark's. "None": all time is in the rows. "EventTime", for the component `window`: the
    `watermark` steps are no rows but Spark's own watermark, which rises to the timestamp + 1 ms ("all before"
    instead of "all up to"), starts in 1970 and is reported downstream by Spark. Timers that expire with it
    call `handleExpiredTimer`. The rows of that have null in `sequence` and `position`: they belong to the
    watermark, in their order. No row is dropped before the processor: it decides itself what is late. In
    streaming queries scenarios with the watermark `MAX`, or with more than 40 watermarks, are skipped.
    Rows of a timer that was set at or before the watermark are errors there, as they belong to no step; one
    that is set in `handleExpiredTimer` expires with the next micro-batch that has rows.

    shape: the features of the processor, such as `WindowShape(assigners=("tumbling",), sizes=(60_000,))`;
    scenarios are drawn within them. None: all features of the component.

    Raises `ValueError` for a schema without the key column, `sequence` or `position`, and for a time mode
    that cannot be tested.
    """

    component: str
    make: Callable[[Any], StatefulProcessor]
    input_schema: StructType
    output_schema: StructType
    key: str = "key"
    row: Callable[[Any, Any], dict[str, Any]] = lambda setup, step: step_columns(step)
    output: Callable[[Mapping[str, Any]], AnyOutput] = named_output
    reads: Callable[[Any], RowReader] | None = None
    operator: Callable[[DataFrame], DataFrame] | None = None
    time_mode: TimeMode = "None"
    shape: AnyShape | None = None

    def __post_init__(self) -> None:
        self._check_time_mode()
        if self.shape is not None and component_of_shape(self.shape) != self.component:
            raise ValueError(f"binding of {self.component}: shape is one of {component_of_shape(self.shape)}")
        needed = {"input_schema": (self.key, "sequence"), "output_schema": (self.key, "sequence", "position")}
        for schema, columns in needed.items():
            for column in columns:
                if column not in getattr(self, schema).names:
                    raise ValueError(
                        f"binding of {self.component}: {schema} has no column {column!r}; add it"
                    )

    def reader(self, setup: Any) -> RowReader:
        """Return a new reader of output rows, for one scenario."""
        return EachRow(self.output) if self.reads is None else self.reads(setup)

    @property
    def timed(self) -> bool:
        """Whether the watermark is Spark's."""
        return self.time_mode == "EventTime"

    def _check_time_mode(self) -> None:
        problem = None
        if str(self.time_mode) == "ProcessingTime":
            problem = "would be the wall clock in a query; give the processor its time in the rows"
        elif self.time_mode not in get_args(TimeMode):
            problem = f"is none of {', '.join(get_args(TimeMode))}"
        elif self.timed and self.component != "window":
            problem = "is for the component window, whose steps have one watermark; take time_mode='None'"
        elif self.timed and self.operator is not None:
            problem = "needs `make`, not an operator; leave `operator` out"
        if problem is not None:
            raise ValueError(f"binding of {self.component}: time_mode {self.time_mode!r} {problem}")

    def having(self, make: Callable[[Any], StatefulProcessor]) -> "ProcessorBinding":
        """The same for another processor with the same rows."""
        return replace(self, make=make, operator=None)
