"""Stateful operators whose rows are steps: what the processors of several components have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import DataType, IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.operators.run_processor import run_processor
from tidegauge_spark.worker_process import spare_collections

ILLEGAL_ARGUMENT: Final = "illegal-argument"
ILLEGAL_STATE: Final = "illegal-state"

Component = TypeVar("Component")


def step_schema(**own: DataType) -> StructType:
    """Return the schema of rows that are steps: key, sequence, kind, and a component's own columns.

    Every column may be null: a step that lacks something is answered, it does not end the query.
    """
    common = {"key": StringType(), "sequence": LongType(), "kind": StringType()}
    return StructType([StructField(name, kind) for name, kind in {**common, **own}.items()])


def answer_schema(**own: DataType) -> StructType:
    """Return the schema of rows that are outputs: key, sequence, position, kind, own columns, error."""
    common = {"key": StringType(), "sequence": LongType(), "position": IntegerType(), "kind": StringType()}
    columns: dict[str, DataType] = {**common, **own, "error": StringType()}
    return StructType([StructField(name, kind) for name, kind in columns.items()])


class SteppedProcessor(StatefulProcessor, ABC, Generic[Component]):
    """A processor for `transformWithState` that takes the rows of a key as steps of a component.

    Group rows of `input_schema` by the column key; the result has `output_schema`. Output mode "Append", time
    mode "None": time is in the data, so there are no timers. One instance serves any number of keys.

    The rows of one batch are taken in the order of their sequence, whatever the order they come in. Across
    batches the order is that of the batches; a sequence is not compared with earlier ones.

    A step that is refused changes nothing, is answered by one row of kind "error", and the query goes on.
    Refused as "illegal-argument" are also a step without a sequence, of an unknown kind, or without a column
    that its kind needs.
    """

    input_schema: ClassVar[StructType]
    output_schema: StructType
    state_name: ClassVar[str]
    state_schema: ClassVar[StructType]
    """The state is one value: each access to a state is a round trip to the JVM."""

    _state: ValueState

    @abstractmethod
    def create(self) -> Component:
        """Return the component of a key that has no state yet."""

    @abstractmethod
    def restored(self, state: Any) -> Component:
        """Return the component of this state, a tuple of the fields of `state_schema` in their order."""

    @abstractmethod
    def saved(self, component: Component) -> tuple[Any, ...]:
        """Return the component's state, the fields of `state_schema` in their order."""

    @abstractmethod
    def take(self, component: Component, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step; return its outputs, each a kind and the own columns of `output_schema`.

        Raises `IllegalArgumentError` or `IllegalStateError`, the component being unchanged, if it is refused.
        """

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state of each key: one value."""
        spare_collections()
        self._state = handle.getValueState(self.state_name, self.state_schema)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Take the steps of one key in a batch; return its outputs in order.

        The state is read once and written once. It is written before an output is handed over, so that it
        does not depend on how far the caller reads.
        """
        steps = sorted(rows, key=_place)
        stored = self._state.get()
        component = self.create() if stored is None else self.restored(stored)
        answer_row = Row(*self.output_schema.names)
        nothing = (None,) * (len(self.output_schema) - 5)
        answers: list[Row] = []
        refused = 0
        for step in steps:
            try:
                if step.sequence is None:
                    raise IllegalArgumentError("a step has a sequence")
                outputs = self.take(component, step)
            except (IllegalArgumentError, IllegalStateError) as error:
                code = ILLEGAL_STATE if isinstance(error, IllegalStateError) else ILLEGAL_ARGUMENT
                answers.append(answer_row(key[0], step.sequence, 0, "error", *nothing, code))
                refused += 1
            else:
                answers += [
                    answer_row(key[0], step.sequence, position, *output, None)
                    for position, output in enumerate(outputs)
                ]
        if refused < len(steps):  # wrong keys must not leave state behind
            self._state.update(self.saved(component))
        return iter(answers)


def run_steps(steps: DataFrame, processor: SteppedProcessor[Any]) -> DataFrame:
    """Return what the components of all keys answer to these steps.

    Rows in are of the processor's `input_schema` (further columns are not looked at), rows out of its
    `output_schema`; those of different keys come in no particular order. A streaming query needs the RocksDB
    state store provider. Raises `IllegalArgumentError` for a column that is missing or of another type.
    """
    check_columns(steps, processor.input_schema)
    return run_processor(steps.groupBy("key"), processor, processor.output_schema)


def check_columns(steps: DataFrame, wanted: StructType) -> None:
    """Raise `IllegalArgumentError` for a column that steps do not have, or of another type."""
    columns = {field.name: field.dataType for field in steps.schema}
    for field in wanted:
        if field.name not in columns:
            raise IllegalArgumentError(
                f"the steps have no column {field.name!r} ({field.dataType.simpleString()}); "
                f"they have {', '.join(columns)}"
            )
        if columns[field.name] != field.dataType:
            raise IllegalArgumentError(
                f"the column {field.name!r} of the steps is {columns[field.name].simpleString()}; "
                f"cast it to {field.dataType.simpleString()}"
            )


def given(step: Row, column: str) -> Any:
    """Return the value of a column that the step's kind needs; `IllegalArgumentError` if it is null."""
    value = step[column]
    if value is None:
        raise IllegalArgumentError(f"a step of kind {step.kind!r} has a value in the column {column!r}")
    return value


def unknown_kind(step: Row) -> IllegalArgumentError:
    """Return the error of a step whose kind the component does not have."""
    return IllegalArgumentError(f"unknown kind of step: {step.kind!r}")


def _place(step: Row) -> tuple[bool, int]:
    """Return the place of a step in its batch: by sequence, those without one (to be refused) first."""
    return (False, 0) if step.sequence is None else (True, step.sequence)
