"""Idleness as a stateful operator of a Spark query: one value of the column key is one input.

It is for whoever knows of blocked times in nanoseconds and wants watermarks and statuses only. Records with
their payload, and a strategy that rows can change, are what `GeneratorProcessor` is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.activity_clock import ClockState, InputActivityClock
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.watermark_generators import GeneratorContext
from tidegauge_spark.decisions.watermark_strategy import GeneratorSupplier, no_watermarks
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness
from tidegauge_spark.operators.stepped_processor import (
    SteppedProcessor,
    answer_schema,
    given,
    run_steps,
    step_schema,
    unknown_kind,
)

IDLENESS_INPUT_SCHEMA: Final = step_schema(timestamp=LongType(), nanoseconds=LongType(), reason=StringType())
"""A row is one step of an input. Columns that its kind does not use are null.

key: the input. sequence: the order of the steps of this input. kind: "record" with its timestamp (ms, null if
it has none), "tick", which is also the probe of idleness, "advance" (so many `nanoseconds` pass), "pause" or
"resume" for a `reason`: "backpressure", "alignment", "busy-downstream" or "no-data".
"""

IDLENESS_OUTPUT_SCHEMA: Final = answer_schema(timestamp=LongType())
"""A row is one thing that goes downstream, or the refusal of a step.

key: the input. sequence: that of the step which caused it. position: its place among the outputs of that
step, from 0. kind: "watermark" with timestamp (ms), "idle", "active" or "error". error: "illegal-argument" or
"illegal-state" if the kind is "error", else null.
"""

IDLENESS_STATE_SCHEMA: Final = StructType(
    [
        StructField("activity", LongType()),
        StructField("pauses", ArrayType(LongType(), containsNull=False)),
        StructField("generator_name", StringType()),
        StructField("generator", ArrayType(LongType(), containsNull=False)),
    ]
)
"""The state of one input: the input activity clock (ns, and its pauses), whose state the numbers at the end
are, and these, as `WatermarksWithIdleness.state` returns them."""


class WatchedInput(NamedTuple):
    """An input: its clock, and its generator, which looks at it."""

    clock: InputActivityClock
    generator: WatermarksWithIdleness


class IdlenessProcessor(SteppedProcessor[WatchedInput]):
    """Inputs that say when they are idle for `transformWithState`, by the rules IDLE-1 to IDLE-7.

    timeout: ns, at least 1, on the input activity clock (rules CLOCK-1 to CLOCK-6). supplier: makes the
    generator of an input; without one there are statuses only. nanoseconds: what the clock reads at the
    start. `IllegalArgumentError` for a timeout that is none, and for `processing_time` as the supplier.

    Rows in are of `IDLENESS_INPUT_SCHEMA`, rows out of `IDLENESS_OUTPUT_SCHEMA`; see `SteppedProcessor`. A
    resumption without a pause is "illegal-state" (CLOCK-4), a negative duration "illegal-argument" (CLOCK-5).
    """

    input_schema = IDLENESS_INPUT_SCHEMA
    output_schema = IDLENESS_OUTPUT_SCHEMA
    state_name = "input"
    state_schema = IDLENESS_STATE_SCHEMA

    def __init__(
        self, timeout: int, supplier: GeneratorSupplier = no_watermarks, nanoseconds: int = 0
    ) -> None:
        self._timeout = timeout
        self._supplier = supplier
        self._nanoseconds = nanoseconds
        self.create()  # refused here, not in a worker

    def watch(self, clock: InputActivityClock) -> WatermarksWithIdleness:
        """Return a new generator for an input with this clock; a subclass may watch otherwise."""
        return WatermarksWithIdleness(self._supplier(GeneratorContext(clock)), self._timeout, clock)

    def create(self) -> WatchedInput:
        """Return an input that has just started."""
        clock = InputActivityClock(self._nanoseconds)
        return WatchedInput(clock, self.watch(clock))

    def restored(self, state: tuple[Any, ...]) -> WatchedInput:
        """Return the input that has this state (IDLE-7)."""
        activity, pauses, name, numbers = state
        clock = InputActivityClock.restored(ClockState(activity, pauses))
        generator = self.watch(clock)
        if generator.name == name:  # else the query was restarted with another one
            generator.restore(numbers)
        return WatchedInput(clock, generator)

    def saved(self, component: WatchedInput) -> tuple[Any, ...]:
        """Return the state of the input."""
        clock, generator = component
        return (*clock.state(), generator.name, list(generator.state()))

    def take(self, component: WatchedInput, step: Row) -> Sequence[tuple[Any, ...]]:
        """Take one step of the input."""
        clock, generator = component
        match step.kind:
            case "record":
                return generator.on_event(MIN if step.timestamp is None else step.timestamp)
            case "tick":
                return generator.on_periodic_emit()
            case "advance":
                clock.advance(given(step, "nanoseconds"))
            case "pause":
                clock.pause(given(step, "reason"))
            case "resume":
                clock.resume(given(step, "reason"))
            case _:
                raise unknown_kind(step)
        return ()


def run_idleness(steps: DataFrame, timeout: int, supplier: GeneratorSupplier = no_watermarks) -> DataFrame:
    """Return the watermarks and statuses of inputs.

    timeout (ns) and supplier are as of `IdlenessProcessor`. Rows in are of `IDLENESS_INPUT_SCHEMA`, rows out
    of `IDLENESS_OUTPUT_SCHEMA`. A streaming query needs the RocksDB state store provider. Raises
    `IllegalArgumentError` for bad settings, a missing column, or one of another type.
    """
    return run_steps(steps, IdlenessProcessor(timeout, supplier))
