"""Runs the driver program, kills it with all its processes, and reads what it has written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as parquet

from spark_programs.queries import Collected, collected

PATIENCE = 150.0


class KilledDriver:
    """The driver program with its folder, over as many runs as it takes."""

    def __init__(self, folder: Path, last: int) -> None:
        self.folder, self.last = folder, last
        self._log = folder / "driver.log"

    def run_until(self, new_batches: int, seconds: float) -> bool:
        """Run, and send SIGKILL so long after so many new batches are written.

        Return whether it was killed: it may have ended before. It must not fail.
        """
        wanted = len(self.batch_ids()) + new_batches
        with self._log.open("ab") as log:
            driver = subprocess.Popen(
                [sys.executable, "-m", "spark_programs.aligned_driver", str(self.folder), str(self.last)],
                cwd=Path(__file__).parent.parent,
                stdout=log,
                stderr=log,
            )
        try:
            deadline = time.monotonic() + PATIENCE
            while len(self.batch_ids()) < wanted and driver.poll() is None:
                assert time.monotonic() < deadline, self._log.read_text()
                time.sleep(0.005)
            with suppress(subprocess.TimeoutExpired):
                driver.wait(seconds)
        finally:
            ended = driver.poll()
            kill_tree(driver)
        assert ended in (None, 0), self._log.read_text()
        return ended is None

    def progress(self) -> tuple[int, int, int]:
        """Return how many batches are in the log of offsets, written by the sink, and committed."""
        logged, committed = (
            len(list((self.folder / "checkpoint" / name).glob("[0-9]*"))) for name in ("offsets", "commits")
        )
        return logged, len(self.batch_ids()), committed

    def batch_ids(self) -> list[int]:
        """Return the ids of the batches that are written."""
        return sorted(int(file.stem) for file in (self.folder / "rows").glob("*.parquet"))

    def rows(self) -> list[Collected]:
        """Return what is written, by batch, source and subtask."""
        return [
            rows
            for batch in self.batch_ids()
            for rows in collected(batch, parquet.read_table(self.folder / "rows" / f"{batch}.parquet"))
        ]


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Send SIGKILL to a process that we started and to all that came of it: its JVM, the Python workers."""
    for identifier in [process.pid, *descendants(process.pid)] if process.poll() is None else []:
        with suppress(ProcessLookupError):
            os.kill(identifier, signal.SIGKILL)
    process.wait()


def descendants(ancestor: int) -> list[int]:
    """Return the ids of the processes that came of one."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        born = children.get(waiting.pop(), [])
        found += born
        waiting += born
    return found
