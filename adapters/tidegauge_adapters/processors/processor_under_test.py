"""The user describes a processor by how it is created, its rows, its key and its time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pyspark.sql.types import (
    DateType,
    IntegerType,
    LongType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from ..ddl import UnreadableSchema, schema_of

TimeMode = Literal["None", "EventTime", "ProcessingTime"]
Form = Literal["rows", "pandas", "group-state"]
LateRows = Literal["dropped", "seen"]


@dataclass(frozen=True, kw_only=True)
class ProcessorUnderTest:
    """A stateful processor of a PySpark job, tested unchanged.

    Attributes:
        make: returns the processor: its class, or a function without arguments. For `applyInPandasWithState`
            it returns the function that Spark calls.
        input_schema: the columns of the rows that the processor is given, the key among them; a `StructType`
            or DDL ("user string, at timestamp, value long").
        output_schema: the columns of the rows that the processor returns.
        key: the column by which the job groups, or several.
        time: the column of the event time: a timestamp, or a number of ms. Empty if the processor has none.
        time_mode: the time mode of `transformWithState`; default "EventTime" if `time` is set, else "None".
            For `applyInPandasWithState` the time mode of the timeout.
        form: "rows" for `transformWithState`, "pandas" for `transformWithStateInPandas`, "group-state" for
            `applyInPandasWithState`.
        state_schema: the schema of the state; required for the form "group-state", and only for it.
        late_rows: "dropped" if Spark drops rows at or before the watermark before they reach the processor,
            as with `withWatermark` on the `time` column; "seen" if the processor gets them.
        examples: input rows of the user, from which values are drawn.
        initial_schema: the columns of the initial state, including the key; None without an initial state.
        initial_rows: examples of rows of the initial state.
        keeps: names of states that may remain after all event time has passed.
        updates: True if each micro-batch returns the current value of a key, which replaces the previous
            value; or the output columns that, with the key, identify the replaced row: ("window_start",).
        without: names of checks to leave out, such as "cuts" for a processor that returns results for each
            micro-batch.
        any_order: whether results do not depend on the order of rows between two watermarks.
        any_zone: whether the time zone of the machine changes nothing. A timestamp of a row has the zone
            UTC, but states give it back without a zone, in that of the machine.
        ordered: whether the order of output rows counts.
        once: the output columns that identify a result which may occur at most once per key, such as
            ("start", "end").
        due: the output column with the time at which a result of a timer is due, such as "end". The check
            skips rows in which it is null.
        counts_once: returns whether `once` applies to an output row; by default it applies to all rows.
        batch: returns the expected results for a pandas data frame of all rows that were not late, as a data
            frame with columns of the output; None without such a function.
        arrived: the name of an additional column of the data frame for `batch`: the watermark, or the
            processing time, when the row arrived (ms).
        late: returns whether a row is late at a watermark (ms), for `batch`; by default the rows that Spark
            drops are late.
        late_output: returns whether an output row reports a late row instead of a result, for `batch`.
        name: the name of the processor in reports; by default its class.

    Raises `ValueError` for columns that are not in a schema, and for options that contradict each other.
    """

    make: Callable[[], Any]
    input_schema: StructType | str
    output_schema: StructType | str
    key: str | Sequence[str]
    time: str = ""
    time_mode: TimeMode | Literal[""] = ""
    form: Form = "rows"
    state_schema: StructType | str | None = None
    late_rows: LateRows = "dropped"
    examples: Sequence[Mapping[str, Any]] = ()
    initial_schema: StructType | str | None = None
    initial_rows: Sequence[Mapping[str, Any]] = ()
    keeps: Sequence[str] = ()
    updates: bool | Sequence[str] = False
    without: Sequence[str] = ()
    any_order: bool = False
    any_zone: bool = False
    ordered: bool = False
    once: Sequence[str] = ()
    due: str = ""
    counts_once: Callable[[Any], bool] = lambda row: True
    batch: Callable[[Any], Any] | None = None
    arrived: str = ""
    late: Callable[[Any, int], bool] | None = None
    late_output: Callable[[Any], bool] | None = None
    name: str = ""
    initial_states: StructType = field(init=False, repr=False)
    inputs: StructType = field(init=False, repr=False)
    outputs: StructType = field(init=False, repr=False)
    keys: tuple[str, ...] = field(init=False, repr=False)
    mode: TimeMode = field(init=False, repr=False)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "inputs", self._schema("input_schema"))
        empty = self.initial_schema is None
        set_field(self, "initial_states", StructType() if empty else self._schema("initial_schema"))
        set_field(self, "outputs", self._schema("output_schema"))
        set_field(self, "keys", (self.key,) if isinstance(self.key, str) else tuple(self.key))
        set_field(self, "mode", self.time_mode or ("EventTime" if self.time else "None"))
        self._check_choices()
        self._check_columns()
        self._check_time()

    @property
    def has_timestamps(self) -> bool:
        """Whether a column of its rows is a timestamp."""
        columns = (*self.inputs, *self.outputs)
        return any(isinstance(column.dataType, TimestampType) for column in columns)

    @property
    def clock(self) -> str:
        """Return the word for what makes timers expire: the watermark, or the time of the clock."""
        return "watermark" if self.mode == "EventTime" else "time"

    @property
    def start(self) -> int:
        """Return the time at which traces begin (ms): 2024-01-01 00:00:00 UTC.

        Numeric event times begin one day after Spark's first watermark, which is 1970-01-01.
        """
        return 86_400_000 if self.has_numbers_as_times else 1_704_067_200_000

    @property
    def has_numbers_as_times(self) -> bool:
        """Whether the event time is a number of ms."""
        return bool(self.time) and isinstance(self.inputs[self.time].dataType, LongType | IntegerType)

    @property
    def values(self) -> tuple[str, ...]:
        """Return the columns of an input row that are neither key nor event time."""
        return tuple(name for name in self.inputs.names if name not in (*self.keys, self.time))

    def _schema(self, name: str) -> StructType:
        try:
            return schema_of(getattr(self, name))
        except UnreadableSchema as problem:
            raise ValueError(f"{name}: {problem}") from None

    def _check_choices(self) -> None:
        choices = {"mode": TimeMode, "form": Form, "late_rows": LateRows}
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in get_args(known):
                option = "time_mode" if name == "mode" else name
                raise ValueError(f"{option}: {value!r} is unknown; known are {', '.join(get_args(known))}")
        if not callable(self.make):
            raise ValueError(f"make: {self.make!r} cannot be called; give the class of the processor")
        if (self.form == "group-state") != (self.state_schema is not None):
            raise ValueError('state_schema: it belongs to form="group-state", which needs it')

    def _check_columns(self) -> None:
        if not self.keys:
            raise ValueError("key: name the column by which the job groups")
        for name in (*self.keys, *filter(None, (self.time,))):
            if name not in self.inputs.names:
                raise ValueError(
                    f"column {name!r} is not in input_schema; it has {', '.join(self.inputs.names)}"
                )
        for option, names in (("once", self.once), ("due", filter(None, [self.due]))):
            for name in names:
                if name not in self.outputs.names:
                    columns = ", ".join(self.outputs.names)
                    raise ValueError(f"{option}: column {name!r} is not in output_schema; it has {columns}")
        for number, row in enumerate(self.examples, start=1):
            strange = set(row) - set(self.inputs.names)
            if strange:
                raise ValueError(
                    f"examples: row {number} has the column {sorted(strange)[0]!r}; input_schema has not"
                )

    def _check_time(self) -> None:
        if self.mode == "EventTime" and not self.time:
            raise ValueError("time: time_mode EventTime needs the name of the column of the event time")
        if self.time:
            kind = self.inputs[self.time].dataType
            if not isinstance(kind, LongType | IntegerType | TimestampType | TimestampNTZType | DateType):
                raise ValueError(
                    f"time: column {self.time!r} is {kind.simpleString()}; it has to be a timestamp or a long"
                )
