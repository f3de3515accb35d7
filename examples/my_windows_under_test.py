"""A stateful processor with event-time timers under test: windows, without Tidegauge, and its adapter.

    tidegauge run --adapter my_windows_under_test:MyAdapter
    tidegauge run --adapter my_windows_under_test:MyAdapter --option engine=tester

in this folder puts it through the chapter WIN under the profile `spark-4`: in streaming queries on a real
Spark, or without a JVM. The watermark is Spark's own, and a window fires when its timer expires.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import ArrayType, LongType, StructType

from tidegauge_adapters.spark.binding.processor_binding import ProcessorBinding
from tidegauge_adapters.spark.processor_adapter import ProcessorAdapter

# What the processor is, whether or not it is ever tested: rows in, rows out, a state, and timers.

VALUES = ArrayType(LongType())
STEPS = (
    StructType()
    .add("key", "string")
    .add("sequence", "long")
    .add("kind", "string")
    .add("timestamp", "long")
    .add("value", "long")
)
ANSWERS = (
    StructType()
    .add("key", "string")
    .add("sequence", "long")
    .add("position", "integer")
    .add("kind", "string")
    .add("start", "long")
    .add("end", "long")
    .add("values", VALUES)
    .add("value", "long")
    .add("records", "long")
    .add("error", "string")
)
RESULT = StructType().add("start", "long").add("end", "long").add("values", VALUES)
WINDOW = (
    StructType()
    .add("start", "long")
    .add("end", "long")
    .add("values", VALUES)
    .add("results", ArrayType(RESULT))
)
STATE = StructType().add("windows", ArrayType(WINDOW))

NO_MOMENTS = (-(2**63), 2**63 - 1)

Interval = tuple[int, int]
Answer = dict[str, Any]


class MyWindows(StatefulProcessor):
    """Windows of `size` ms every `slide` ms, or sessions if there is a `gap`. A window fires when the
    watermark is at its end, and again at each record that comes within the `lateness` (ms) after it."""

    def __init__(
        self,
        size: int = 0,
        slide: int = 0,
        offset: int = 0,
        gap: int = 0,
        lateness: int = 0,
        per_record: bool = False,
        mode: str = "accumulating",
        late_output: bool = True,
    ) -> None:
        self.size, self.slide, self.offset, self.gap = size, slide, offset, gap
        self.lateness, self.per_record, self.mode, self.late_output = lateness, per_record, mode, late_output

    def init(self, handle: StatefulProcessorHandle) -> None:
        """One state, read and written once a batch and once a timer."""
        self.handle = handle
        self.state = handle.getValueState("windows", STATE)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        """What the steps of a batch send downstream."""
        self.read(timerValues)
        answers = [
            row_of(key, answer, step.sequence, position)
            for step in sorted(rows, key=lambda row: row.sequence)
            for position, answer in enumerate(self.step(step))
        ]
        self.write()
        return iter(answers)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Windows that are at their end fire, and those that take no more records go."""
        self.read(timerValues)
        now = expiredTimerInfo.getExpiryTimeInMs()
        due = [window for window in self.windows if self.fires_at(window) == now and not self.per_record]
        answers = [row_of(key, answer) for answer in self.fired(due)]
        self.drop(now)
        self.write()
        return iter(answers)

    def step(self, row: Row) -> list[Answer]:
        """What one step sends downstream."""
        if row.kind == "record":
            return self.record(row.timestamp, row.value)
        if row.kind == "expired-state":
            over = (kept for window, kept in self.windows.items() if self.is_over(window))
            return [{"kind": "state-size", "records": sum(len(values) for values, _ in over)}]
        return [{"kind": row.kind}]  # idle and active pass

    def record(self, timestamp: int, value: int) -> list[Answer]:
        """A record is added to its windows, unless they are over."""
        if timestamp in NO_MOMENTS:
            return [{"kind": "error", "error": "illegal-argument"}]
        added = [window for own in self.windows_of(timestamp) for window in self.add(own, value)]
        if added:
            fires = [one for one in added if self.per_record or self.fires_at(one) <= self.watermark]
            return self.fired(fires)
        if timestamp + self.lateness >= self.watermark:
            return []  # between two windows, but in time
        return [{"kind": "late", "value": value} if self.late_output else {"kind": "drop"}]

    def windows_of(self, timestamp: int) -> list[Interval]:
        """The windows of a record, or the session that it has alone."""
        if self.gap:
            return [(timestamp, timestamp + self.gap)]
        latest = timestamp - (timestamp - self.offset) % self.slide
        starts = range(latest, timestamp - self.size, -self.slide)
        return [(start, start + self.size) for start in starts]

    def add(self, own: Interval, value: int) -> list[Interval]:
        """The window that has the record now, or none; timers for its end and for the end of its lateness."""
        touching = [one for one in self.windows if self.gap and one[0] <= own[1] and own[0] <= one[1]]
        merged = touching if self.gap else [own] if own in self.windows else []
        parts_of = [own, *merged]
        whole = min(start for start, _ in parts_of), max(end for _, end in parts_of)
        if self.is_over(whole):
            return []
        parts = [self.windows.pop(one) for one in merged]
        values = [value, *(value for values, _ in parts for value in values)]
        results = [result for _, results in parts for result in results]
        self.windows[whole] = sorted(values), sorted(results, key=lambda result: (result[1], result[0]))
        for timer in {self.fires_at(whole), whole[1] + self.lateness}:
            if timer > self.watermark:
                self.handle.registerTimer(timer)
        return [whole]

    def fires_at(self, window: Interval) -> int:
        """The time of the timer by which a window fires: Spark's watermark t says that all before t came."""
        return window[1]

    def drop(self, now: int) -> None:
        """Forget the windows that take no more records."""
        for window in [window for window in self.windows if window[1] + self.lateness <= now]:
            del self.windows[window]

    def is_over(self, window: Interval) -> bool:
        """Whether a window takes no more records."""
        return window[1] + self.lateness <= self.watermark

    def fired(self, windows: list[Interval]) -> list[Answer]:
        """The results of windows, in the order of their ends; what they replace goes first."""
        answers: list[Answer] = []
        for window in sorted(windows, key=lambda window: (window[1], window[0])):
            values, results = self.windows[window]
            if self.mode == "accumulating-and-retracting":
                answers += [answer_of("retract", *result) for result in results]
                results = [(*window, values)]
            answers.append(answer_of("fire", *window, values))
            self.windows[window] = [] if self.mode == "discarding" else values, results
        return answers

    def read(self, timer_values: Any) -> None:
        """The windows, by start and end: the values of the next result, and the results that stand."""
        self.watermark = timer_values.getCurrentWatermarkInMs()
        (kept,) = self.state.get() or ([],)
        self.windows: dict[Interval, tuple[list[int], list[Any]]] = {
            (one.start, one.end): (
                list(one.values),
                [(*result[:2], list(result[2])) for result in one.results],
            )
            for one in kept
        }

    def write(self) -> None:
        """What `read` reads."""
        self.state.update(
            ([(*window, values, results) for window, (values, results) in self.windows.items()],)
        )


def answer_of(kind: str, start: int, end: int, values: list[int]) -> Answer:
    """A result, or that it stands no longer."""
    return {"kind": kind, "start": start, "end": end, "values": values}


def row_of(key: Any, answer: Answer, sequence: int | None = None, position: int | None = None) -> Row:
    """An answer as a row; that of a timer belongs to no step."""
    columns = {**dict.fromkeys(ANSWERS.names), **answer}
    return Row(**{**columns, "key": key[0], "sequence": sequence, "position": position})


# The adapter. With `time_mode` the watermark of a scenario is Spark's; its other steps are rows.


def my_windows(setup: Any) -> MyWindows:
    """The processor for a setup of the kit."""
    assigner = setup.assigner
    size = getattr(assigner, "size", 0)
    return MyWindows(
        size=size,
        slide=getattr(assigner, "slide", size),
        offset=getattr(assigner, "offset", 0),
        gap=getattr(assigner, "gap", 0),
        lateness=setup.allowed_lateness,
        per_record=setup.trigger == "per-record",
        mode=setup.accumulation,
        late_output=setup.late_output,
    )


class MyAdapter(ProcessorAdapter):
    """`MyWindows` under the chapter WIN."""

    name = "my windows"
    bindings = (
        ProcessorBinding(
            component="window",
            make=my_windows,
            input_schema=STEPS,
            output_schema=ANSWERS,
            time_mode="EventTime",
        ),
    )
