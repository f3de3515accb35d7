"""A low-watermark service that keeps its state in the tables of a database, and decides by queries."""

from __future__ import annotations

import sqlite3
import weakref
from contextlib import closing
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1

TABLES = """
CREATE TABLE vertex (
    name TEXT PRIMARY KEY, source INTEGER, cooperates INTEGER, listens INTEGER,
    next_task INTEGER, last_result INTEGER, round INTEGER
) WITHOUT ROWID;
CREATE TABLE task (
    vertex TEXT, number INTEGER, partitions INTEGER, watermark INTEGER, told INTEGER,
    PRIMARY KEY (vertex, number)
) WITHOUT ROWID;
CREATE TABLE query (
    vertex TEXT, task INTEGER, awaited INTEGER, reply INTEGER,
    PRIMARY KEY (vertex, task)
) WITHOUT ROWID;
"""
"""Watermarks, results and the timestamp of a round in ms, NULL where there is none. `query` has a row for each
task that was queried in the open round of its vertex: awaited until the task has replied or left."""


def _empty() -> bytes:
    """A database without a row, from which each service starts."""
    with closing(sqlite3.connect(":memory:")) as tables:
        tables.executescript(TABLES)
        return tables.serialize()


EMPTY = _empty()

ROUND_IS_OVER = """
SELECT round, last_result, (
    SELECT min(reply) FROM query WHERE vertex = name AND reply > last_result AND reply < :end
) FROM vertex
WHERE name = :vertex AND round IS NOT NULL
AND NOT EXISTS (SELECT * FROM query WHERE vertex = name AND awaited)
"""

TO_EMIT = """
SELECT told FROM task JOIN vertex ON name = vertex
WHERE vertex = ? AND number = ? AND cooperates AND listens AND partitions = 0 AND told > watermark AND told < ?
"""


class LowWatermarkTables:
    """The service of a job: both halves, coordinators and tasks, share the database but no row of it."""

    def __init__(self) -> None:
        self._tables = sqlite3.connect(":memory:", isolation_level=None)
        weakref.finalize(self, self._tables.close)  # Python 3.13 warns of a connection that was not closed
        self.restore(EMPTY)

    def add(
        self, vertex: str, source: bool, cooperating: bool, listening: bool, tasks: int, having: int
    ) -> None:
        """One more vertex. Its tasks with a number below `having` have a partition."""
        row = (vertex, source, cooperating, listening, tasks, MIN)
        self._tables.execute("INSERT INTO vertex VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
        started = [(vertex, number, int(number < having), MIN, MIN) for number in range(tasks)]
        self._tables.executemany("INSERT INTO task VALUES (?, ?, ?, ?, ?)", started)

    def trigger(self, timestamp: int) -> list[tuple[Any, ...]]:
        """Opens a round of each vertex; what was open is forgotten."""
        self._tables.execute("DELETE FROM query")
        self._tables.execute("UPDATE vertex SET round = ?", (timestamp,))
        self._tables.execute(
            "INSERT INTO query SELECT vertex, number, 1, NULL "
            "FROM task JOIN vertex ON name = vertex WHERE source AND cooperates"
        )
        asked = self._tables.execute("SELECT vertex, task FROM query")
        return [("retrieve-low-watermark", timestamp, f"{vertex}/{task}") for vertex, task in asked]

    def join(self, vertex: str) -> None:
        """A task starts, without partitions."""
        started = self._tables.execute(
            "INSERT INTO task SELECT name, next_task, 0, ?, ? FROM vertex WHERE name = ?", (MIN, MIN, vertex)
        )
        if not started.rowcount:
            raise ValueError(f"there is no vertex {vertex!r}")
        self._tables.execute("UPDATE vertex SET next_task = next_task + 1 WHERE name = ?", (vertex,))

    def leave(self, vertex: str, task: int) -> list[tuple[Any, ...]]:
        """A task is gone, and not awaited any more; what it has replied stays."""
        self._change_task("DELETE FROM task", (), vertex, task)
        missing = self._tables.execute(
            "DELETE FROM query WHERE vertex = ? AND task = ? AND awaited", (vertex, task)
        )
        return self._ended(vertex) if missing.rowcount else []

    def watermark(self, vertex: str, task: int, timestamp: int) -> None:
        """The task's source has emitted a watermark (ms)."""
        self._change_task("UPDATE task SET watermark = max(watermark, ?)", (timestamp,), vertex, task)

    def partitions(self, vertex: str, task: int, count: int) -> list[tuple[Any, ...]]:
        """The task has so many partitions now."""
        self._change_task("UPDATE task SET partitions = ?", (count,), vertex, task)
        return self._emitted(vertex, task)

    def retrieve(self, vertex: str, task: int, timestamp: int) -> list[tuple[Any, ...]]:
        """A query arrives at a task."""
        found = self._tables.execute(
            "SELECT cooperates, watermark FROM task JOIN vertex ON name = vertex WHERE vertex = ? AND number = ?",
            (vertex, task),
        ).fetchone()
        if found is None:
            raise ValueError(f"there is no task {vertex}/{task}")
        cooperates, watermark = found
        return [("reply-low-watermark", f"{vertex}/{task}", watermark)] if cooperates else []

    def reply(self, vertex: str, task: int, low_watermark: int) -> list[tuple[Any, ...]]:
        """A reply arrives; it counts if the task was queried in the open round, and not before it left."""
        counted = self._tables.execute(
            "UPDATE query SET awaited = 0, reply = ? WHERE vertex = ? AND task = ?",
            (low_watermark, vertex, task),
        )
        if counted.rowcount:
            return self._ended(vertex)
        if self._tables.execute("SELECT 1 FROM vertex WHERE name = ?", (vertex,)).fetchone() is None:
            raise ValueError(f"there is no vertex {vertex!r}")
        return []

    def notify(self, vertex: str, task: int, low_watermark: int, timestamp: int) -> list[tuple[Any, ...]]:
        """A notification arrives at a task that cooperates, which keeps the newest."""
        self._change_task("UPDATE task SET told = ?", (low_watermark,), vertex, task)
        return self._emitted(vertex, task)

    def _ended(self, vertex: str) -> list[tuple[Any, ...]]:
        """What goes to the tasks if the round of the vertex is over."""
        over = self._tables.execute(ROUND_IS_OVER, {"vertex": vertex, "end": MAX}).fetchone()
        if over is None:
            return []
        timestamp, last, result = over
        self._tables.execute("DELETE FROM query WHERE vertex = ?", (vertex,))
        self._tables.execute(
            "UPDATE vertex SET round = NULL, last_result = ? WHERE name = ?",
            (last if result is None else result, vertex),
        )
        if result is None:
            return []
        present = self._tables.execute("SELECT number FROM task WHERE vertex = ?", (vertex,))
        return [("notify-new-low-watermark", result, timestamp, f"{vertex}/{task}") for (task,) in present]

    def _emitted(self, vertex: str, task: int) -> list[tuple[Any, ...]]:
        """The watermark that the task emits if it is empty and was told a larger one."""
        found = self._tables.execute(TO_EMIT, (vertex, task, MAX)).fetchone()
        if found is None:
            return []
        self.watermark(vertex, task, *found)
        return [("low-watermark", *found, f"downstream of {vertex}/{task}")]

    def _change_task(self, change: str, values: tuple[Any, ...], vertex: str, task: int) -> None:
        """Changes the row of a task, which has to be there."""
        changed = self._tables.execute(f"{change} WHERE vertex = ? AND number = ?", (*values, vertex, task))
        if not changed.rowcount:
            raise ValueError(f"there is no task {vertex}/{task}")

    def snapshot(self) -> Any:
        """The whole database, as bytes."""
        self._tables.commit()
        saved = self._tables.serialize()
        self._tables.execute("BEGIN")
        return saved

    def restore(self, saved: Any) -> None:
        """Go on from there, in one transaction until the next snapshot."""
        self._tables.commit()
        self._tables.deserialize(saved)
        self._tables.execute("PRAGMA journal_mode = OFF")
        self._tables.execute("BEGIN")
