"""What a user says of a processor of their own: how it is made, its rows, its key and its time."""

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
    """A stateful processor of a PySpark job, as it stands in the job.

    Attributes:
        make: returns the processor: its class, or a function without arguments. For `applyInPandasWithState`
            it returns the function that Spark calls.
        input_schema: the columns of the rows that the processor is given, the key among them; a `StructType`
            or DDL ("user string, at timestamp, value long").
        output_schema: the columns of the rows that the processor returns.
        key: the column by which the job groups, or several.
        time: the column of the event time: a timestamp, or a number of ms. Empty if the processor has none.
        time_mode: that of `transformWithState`; by default "EventTime" if there is a `time`, else "None".
            For `applyInPandasWithState` that of the timeout.
        form: "rows" for `transformWithState`, "pandas" for `transformWithStateInPandas`, "group-state" for
            `applyInPandasWithState`.
        state_schema: the schema of the state, for the form "group-state" alone.
        late_rows: "dropped" if Spark drops rows at or before the watermark in front of the processor, as it
            does where `withWatermark` is on the `time` column; "seen" if the processor gets them.
        examples: rows of the user's own, from which values are drawn.
        initial_schema: the columns of the initial state, with those of the key; None if there is none.
        initial_rows: examples of rows of the initial state.
        keeps: names of states that may remain after all event time has passed.
        updates: whether each micro-batch returns the current value of a key, which replaces the one before;
            or the output columns beside the key that identify what is replaced: ("window_start",).
        without: names of checks that are not demanded, such as "cuts" for a processor whose rows are about
            micro-batches.
        any_order: whether the order of rows between two watermarks changes nothing.
        ordered: whether the order of output rows counts.
        once: the columns that identify a result which comes at most once a key, such as ("start",
            "end").
        due: the output column with the time at which a result of a timer is due, such as "end"; null
            where a row is not due.
        counts_once: which output rows `once` is about; by default all.
        batch: the results for a pandas data frame of all rows that were not late, in one data frame with
            columns of the output; None if there is no such function.
        arrived: the name of a column that `batch` gets beside those of the input: the watermark, or the time
            of the clock, when the row arrived (ms).
        late: whether a row is late at a watermark (ms), for `batch`; by default if Spark drops it.
        late_output: whether an output row reports a late row instead of a result, for `batch`.
        name: how reports call it; by default the class of the processor.

    Raises `ValueError` for columns that are not in a schema, and for combinations that Spark refuses.
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
    def clock(self) -> str:
        """What moves its timers."""
        return "watermark" if self.mode == "EventTime" else "time"

    @property
    def start(self) -> int:
        """Where the times of traces begin (ms): at the first midnight of 2024 in UTC. Event times that are
        numbers begin one day after 1970, where Spark's first watermark is."""
        is_number = self.time and isinstance(self.inputs[self.time].dataType, LongType | IntegerType)
        return 86_400_000 if is_number else 1_704_067_200_000

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of an input row that are neither key nor event time."""
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
