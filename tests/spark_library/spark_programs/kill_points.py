"""Where the driver of a streaming query can be killed, and how: with SIGKILL, and everything it has started.

A kill is planned in the process that starts the driver and carried out by the process of Spark that reaches
the point: the planning process, a worker of an executor, or the driver itself.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

from pyspark.sql import GroupedData
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import StructType

from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.spark_version import ReadLimit, SupportsTriggerAvailableNow

PLANNING: Final = "planning"
READING: Final = "reading"
STATE: Final = "state"
COMMITTING: Final = "committing"

SOURCE_POINTS: Final = {
    "planning begins": (PLANNING, 2),
    "planned, not logged": (PLANNING, 2),
    "logged, not read": (READING, 2),
    "a task begins to read": (READING, 3),
    "a task has read a part": (READING, 3),
    "read, not written": (READING, 1),
    "half written": (READING, 1),
    "written, not committed": (COMMITTING, 1),
    "being committed": (COMMITTING, 1),
    "committed, the source not told": (COMMITTING, 2),
    "committed, the source told": (COMMITTING, 2),
}
"""The points with their stage of a micro-batch, and how often a batch of two sources passes them."""

NATIVE_STATE_POINTS: Final = {
    "the state of Spark's windows is being committed": (STATE, 8),
    "the state of the join is being committed": (STATE, 16),
}
"""The state points of Spark's own operators in the shop."""

STATE_POINTS: Final = {
    **NATIVE_STATE_POINTS,
    "the state of the valve is being committed": (STATE, 8),
    "the state of own windows is being committed": (STATE, 8),
}
"""The points that `StateWatch` passes, when a new file of the state appears."""

EXACT_STATE_POINTS: Final = {
    **NATIVE_STATE_POINTS,
    "the state of sessions is being committed": (STATE, 8),
    "the state of deduplication is being committed": (STATE, 8),
}
"""The state points of Spark's own operators on the exact watermark."""

PROCESSOR_POINTS: Final = {
    "an operator begins with a key": (STATE, 4),
    "an operator has changed its state of a key": (STATE, 4),
    "an operator has given out the rows of a key": (STATE, 4),
}
"""The points of Python processors."""

OPERATOR_POINTS: Final = {**PROCESSOR_POINTS, **STATE_POINTS}
"""The points of stateful operators."""

WORKER_DIED: Final = "worker died"
"""The file in `Kill.counts` that says that a worker has died in this run."""


@dataclass(frozen=True)
class Kill:
    """Kill everything in the `session` of processes when `point` is passed for the `at`-th time.

    counts: a folder in which the passes of this run are counted, for all processes. worker_dies: the stage in which
    the Python worker of a task ends with an exit code before that: READING (having read a part), STATE (having
    changed its state of a key), or "" for none.
    """

    point: str
    at: int
    session: int
    counts: Path
    worker_dies: str

    def passes(self, point: str) -> None:
        """Say that a point is passed; does not return if this is the one."""
        if self.is_due(point):
            self.carry_out()

    def is_due(self, point: str) -> bool:
        """Say that a point is passed; return whether this is the one. What is passed before a worker has died does
        not count, if one is to die: how often a batch passes a point is known only about."""
        if point != self.point or (self.worker_dies and not (self.counts / WORKER_DIED).exists()):
            return False
        with (self.counts / "passes").open("ab") as passes:
            fcntl.flock(passes, fcntl.LOCK_EX)
            before = passes.seek(0, os.SEEK_END)  # now: others may have written since it was opened
            passes.write(b".")
            return before + 1 == self.at

    def worker_may_die(self, stage: str) -> None:
        """End this process if a worker is to die in this stage, and it is the first to come here."""
        if self.worker_dies == stage:
            with suppress(FileExistsError), (self.counts / WORKER_DIED).open("x"):
                os._exit(3)

    def carry_out(self) -> NoReturn:
        """Kill all processes of the session, and with them the one that calls this."""
        (self.counts / "killed").write_text(self.point)
        kill_session(self.session)
        raise AssertionError("this process is not of the session that it was to kill")


def kill_session(session: int) -> None:
    """Send SIGKILL to all processes of a session: a driver that we started, its JVM, the Python workers."""
    own = os.getpid()
    while others := [process for process in _processes_of(session) if process != own]:
        for process in others:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    if os.getsid(0) == session:
        os.kill(own, signal.SIGKILL)


def _processes_of(session: int) -> list[int]:
    """Return the processes of a session that are not dead yet."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, of = status.read_text().rpartition(")")[2].split()[:4]
            if int(of) == session and state not in "ZX":
                found.append(int(status.parent.name))
    return sorted(found)


class KilledProcessor(StatefulProcessor):
    """A processor of `transformWithState` that may be killed wherever Spark calls it."""

    def __init__(self, processor: StatefulProcessor, kill: Kill) -> None:
        self._processor, self._kill = processor, kill

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._processor.init(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Any]:
        self._kill.passes("an operator begins with a key")
        answers = self._processor.handleInputRows(key, rows, timerValues)
        self._kill.worker_may_die(STATE)
        self._kill.passes("an operator has changed its state of a key")
        yield from answers
        self._kill.passes("an operator has given out the rows of a key")

    def handleExpiredTimer(
        self,
        key: Any,
        timerValues: TimerValues,
        expiredTimerInfo: ExpiredTimerInfo,
    ) -> Iterator[Any]:
        return self._processor.handleExpiredTimer(key, timerValues, expiredTimerInfo)

    def close(self) -> None:
        self._processor.close()


def kill_in_operators(kill: Kill) -> None:
    """Let all processors of this process be `KilledProcessor`s, those that the library starts itself, too."""
    for name in ("transformWithState", "transformWithStateInPandas"):
        original = getattr(GroupedData, name, None)
        if original is None:
            continue  # PySpark 4.0 has only transformWithStateInPandas

        def killed(
            self: GroupedData,
            statefulProcessor: StatefulProcessor,
            *rest: Any,
            _of: Any = original,
            **named: Any,
        ) -> Any:
            return _of(self, KilledProcessor(statefulProcessor, kill), *rest, **named)

        setattr(GroupedData, name, killed)


class KilledSource(AlignedSource):
    """The aligned source, with the points that its reader passes."""

    kill: ClassVar[Kill | None] = None

    def source_coordinator(self, schema: StructType) -> Any:
        reader = super().source_coordinator(schema)
        return reader if self.kill is None else KilledReader(reader, self.kill)


class KilledReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A reader that may be killed in each call. Before PySpark 4.2 the reader that wraps it makes the calls."""

    def __init__(self, reader: Any, kill: Kill) -> None:
        self._reader, self._kill = reader, kill

    def initialOffset(self) -> dict[str, Any]:
        offset: dict[str, Any] = self._reader.initialOffset()
        return offset

    def getDefaultReadLimit(self) -> ReadLimit:
        limit: ReadLimit = self._reader.getDefaultReadLimit()
        return limit

    def prepareForTriggerAvailableNow(self) -> None:
        self._reader.prepareForTriggerAvailableNow()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        self._kill.passes("planning begins")
        planned: dict[str, Any] = self._reader.latestOffset(start, limit)
        self._kill.passes("planned, not logged")
        return planned

    def has_read_all(self, planned: dict[str, Any]) -> bool:
        read_all: bool = self._reader.has_read_all(planned)
        return read_all

    def reportLatestOffset(self) -> dict[str, Any] | None:
        reported: dict[str, Any] | None = self._reader.reportLatestOffset()
        return reported

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        partitions: list[InputPartition] = self._reader.partitions(start, end)
        self._kill.passes("logged, not read")
        return partitions

    def read(self, partition: InputPartition) -> Iterator[Any]:
        self._kill.passes("a task begins to read")
        for batch in self._reader.read(partition):
            half = batch.num_rows // 2
            yield batch.slice(0, half)
            self._kill.worker_may_die(READING)
            self._kill.passes("a task has read a part")
            yield batch.slice(half)

    def commit(self, end: dict[str, Any]) -> None:
        self._kill.passes("committed, the source not told")
        self._reader.commit(end)
        self._kill.passes("committed, the source told")

    def stop(self) -> None:
        self._reader.stop()
