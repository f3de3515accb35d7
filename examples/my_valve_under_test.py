"""A stateful processor of your own under test: a valve, written without Tidegauge, and the adapter for it.

    tidegauge run --adapter my_valve_under_test:MyAdapter --option engine=tester

in this folder puts it through the chapter VALVE, without a JVM; without the option in streaming queries on a
real Spark, restarted from their checkpoint. Windows, deduplication by windows, splits and the others go the
same way: `tidegauge rules` names the components, their chapters the steps and outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import ArrayType, BooleanType, LongType, StructType

from tidegauge_adapters.spark.binding.processor_binding import ProcessorBinding
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter

# What the processor is, whether or not it is ever tested: rows in, rows out, and a state.

END = 2**63 - 1

STEPS = (
    StructType()
    .add("key", "string")
    .add("sequence", "long")
    .add("kind", "string")
    .add("channel", "integer")
    .add("timestamp", "long")
)
ANSWERS = (
    StructType()
    .add("key", "string")
    .add("sequence", "long")
    .add("position", "integer")
    .add("kind", "string")
    .add("timestamp", "long")
    .add("error", "string")
)
STATE = (
    StructType()
    .add("watermarks", ArrayType(LongType()))
    .add("idle", ArrayType(BooleanType()))
    .add("behind", ArrayType(BooleanType()))
    .add("sent", "long")
    .add("silent", "boolean")
)


class MyValve(StatefulProcessor):
    """The smallest watermark of several channels, without those that are idle or behind."""

    def __init__(self, channels: int) -> None:
        self.channels = range(channels)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """One state, read and written once a batch."""
        self.state = handle.getValueState("valve", STATE)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        """What the steps of a batch send downstream."""
        no = [False for _ in self.channels]
        stored = self.state.get() or ([-(2**63) for _ in self.channels], no, no, -(2**63), False)
        self.watermarks, self.idle, self.behind = (list(column) for column in stored[:3])
        self.sent, self.silent = stored[3:]
        answers = [
            Row(
                key=key[0],
                sequence=row.sequence,
                position=position,
                kind=kind,
                timestamp=timestamp,
                error=error,
            )
            for row in sorted(rows, key=lambda row: row.sequence)
            for position, (kind, timestamp, error) in enumerate(self.step(row))
        ]
        self.state.update((self.watermarks, self.idle, self.behind, self.sent, self.silent))
        return iter(answers)

    def step(self, row: Row) -> list[tuple[str, int | None, str | None]]:
        """What one step sends downstream: kind, timestamp, error."""
        channel = row.channel
        if channel not in self.channels:
            return [("error", None, "illegal-argument")]
        if row.kind == "watermark":
            if self.idle[channel] or row.timestamp <= self.watermarks[channel]:
                return []
            self.watermarks[channel] = row.timestamp
            self.behind[channel] = self.behind[channel] and row.timestamp < self.sent
            return self.advance()
        if self.watermarks[channel] == END or self.idle[channel] == (row.kind == "idle"):
            return []
        self.idle[channel] = row.kind == "idle"
        if row.kind == "idle":
            return self.advance()
        self.behind[channel] = self.watermarks[channel] < self.sent
        woken = [("active", None, None)] if self.silent else []
        self.silent = False
        return [*woken, *self.advance()]

    def advance(self) -> list[tuple[str, int | None, str | None]]:
        """The watermark and the status that follow from the channels."""
        unfinished = [channel for channel in self.channels if self.watermarks[channel] != END]
        if not unfinished:
            return self.rise(END)
        if all(self.idle[channel] for channel in unfinished):
            self.silent = True
            return [*self.rise(max(self.watermarks[channel] for channel in unfinished)), ("idle", None, None)]
        waited_for = [one for one in unfinished if not self.idle[one] and not self.behind[one]]
        return self.rise(min(self.watermarks[one] for one in waited_for)) if waited_for else []

    def rise(self, timestamp: int) -> list[tuple[str, int | None, str | None]]:
        """A watermark, unless it is not greater than the last."""
        if timestamp <= self.sent:
            return []
        self.sent = timestamp
        return [("watermark", timestamp, None)]


# The adapter. The columns have the kit's own names, so nothing has to be translated; see `ProcessorBinding`
# for processors whose columns have other names.


class MyAdapter(ProcessorAdapter):
    """`MyValve` under the chapter VALVE."""

    name = "my valve"
    bindings = (
        ProcessorBinding(
            component="valve",
            make=lambda setup: MyValve(setup.channels),
            input_schema=STEPS,
            output_schema=ANSWERS,
        ),
    )
