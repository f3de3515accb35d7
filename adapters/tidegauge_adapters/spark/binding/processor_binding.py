"""What binds a stateful processor to a component of the kit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import StructType

from tidegauge.wire.vocabulary import AnyOutput

from .step_columns import named_output, step_columns


@dataclass(frozen=True)
class ProcessorBinding:
    """A `StatefulProcessor` for `transformWithState`, one key a scenario, in the words of a component.

    The processor is given the steps of a key as rows of `input_schema`: the key column, `sequence` (LONG, the
    order of the steps of this key inside a micro-batch) and what `row` returns. It answers by rows of
    `output_schema`: the key column, `sequence` (of the step that caused it), `position` (INT: 0, 1, 2, ...
    within the step) and what `output` reads. It is run in output mode "Append" and time mode "None".

    component: the kit's name, such as "valve". make: the processor for a setup of the kit; called in the
    driver, once for each different setup, and pickled from there, so that workers need not know the kit.
    key: the name of the key column, a string.
    row: the columns of a step of a scenario with this setup, without the key and `sequence`; those that are
    missing are null. By default `kind` and the fields of the step. Snapshot and restore are never asked for.
    output: what an output row means, `ValueError` if nothing. By default `kind` names the output, and its
    fields are read from the columns of the same names. Timestamps of the kit are numbers by
    `tidegauge.wire.timestamps.from_wire`, and numbers timestamps by `to_wire`.
    operator: a function by which users run the processor; steps in, outputs out. Only for one whose settings
    are all in the rows: used in streaming queries instead of `make`.

    Raises `ValueError` for a schema without the key column, `sequence` or `position`.
    """

    component: str
    make: Callable[[Any], StatefulProcessor]
    input_schema: StructType
    output_schema: StructType
    key: str = "key"
    row: Callable[[Any, Any], dict[str, Any]] = lambda setup, step: step_columns(step)
    output: Callable[[Mapping[str, Any]], AnyOutput] = named_output
    operator: Callable[[DataFrame], DataFrame] | None = None

    def __post_init__(self) -> None:
        needed = {"input_schema": (self.key, "sequence"), "output_schema": (self.key, "sequence", "position")}
        for schema, columns in needed.items():
            for column in columns:
                if column not in getattr(self, schema).names:
                    raise ValueError(
                        f"binding of {self.component}: {schema} has no column {column!r}; add it"
                    )

    def having(self, make: Callable[[Any], StatefulProcessor]) -> "ProcessorBinding":
        """The same for another processor with the same rows."""
        return replace(self, make=make, operator=None)
