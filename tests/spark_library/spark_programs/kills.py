"""Kills the driver program again and again, starts it from the checkpoint, and reads what it has written.

`python -m spark_programs.kills [--kills 22] [--seed N]`, in the folder tests/spark_library, is the thorough run:
it prints a line for each kill, and fails if a row is lost or comes twice or alignment does not hold.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as parquet
from pyspark.sql import DataFrame

from spark_programs import killed_program
from spark_programs.event_logs import judged, recorded
from spark_programs.kill_points import POINTS, WORKER_DIED, kill_session
from spark_programs.queries import Collected, SparkQueries, collected, logged_offsets, spark_queries, spreads
from tidegauge_spark import coordination

PATIENCE = 300
MOST_DELAY = 0.06
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a third less processor time in so short a life


class Progress(NamedTuple):
    """How many batches are in the log of offsets, written by the sink, and in the log of commits."""

    logged: int
    written: int
    committed: int


class Planned(NamedTuple):
    """A kill to be made: where, when it is passed for which time, whether a worker dies before it, and how
    much later it is made (seconds) if it is made by the clock."""

    point: str
    at: int
    worker_dies: bool
    delay: float


class KilledJob:
    """The driver program with its folder, over as many runs as it takes."""

    def __init__(self, folder: Path, last: int) -> None:
        self.folder, self.last = folder, last
        self._log = folder / "driver.log"
        killed_program.write_log(folder / "log", last)
        (folder / "spark").mkdir()

    def run(self, planned: Planned) -> None:
        """Run until the kill. The program must not fail, nor end before it."""
        counts = self.folder / "counts"
        shutil.rmtree(counts, ignore_errors=True)
        counts.mkdir()
        program = [sys.executable, "-m", "spark_programs.killed_program", str(self.folder), str(self.last)]
        with self._log.open("ab") as log:
            driver = subprocess.Popen(
                [*program, *map(str, planned)],
                cwd=Path(__file__).parent.parent,
                env={**os.environ, "JDK_JAVA_OPTIONS": QUICK_START},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            with suppress(subprocess.TimeoutExpired):
                driver.wait(PATIENCE)
        finally:
            kill_session(driver.pid)
            driver.wait()
        assert (counts / "killed").exists(), f"no {planned}: {self._log.read_text(errors='replace')}"
        assert (counts / WORKER_DIED).exists() or not planned.worker_dies

    def finish(self, queries: SparkQueries) -> None:
        """Run the rest, in the Spark of this process."""

        def write(frame: DataFrame, batch: int) -> None:
            unfinished = self.folder / "unfinished.parquet"
            parquet.write_table(frame.toArrow(), unfinished)
            killed_program.replace_rows(self.folder, batch, unfinished)

        with coordination() as address:
            query = killed_program.start(queries.session, address, self.folder, self.last, write)
            assert query.awaitTermination(PATIENCE), query.lastProgress

    def progress(self) -> Progress:
        """Return how far the job is, as its folder tells."""
        logged, committed = (
            sum(1 for _ in (self.folder / "checkpoint" / name).glob("[0-9]*"))
            for name in ("offsets", "commits")
        )
        return Progress(logged, len(self._batches()), committed)

    def rows(self) -> list[Collected]:
        """Return what is written, by batch, source and subtask."""
        return [
            rows
            for batch in self._batches()
            for rows in collected(batch, parquet.read_table(self.folder / "rows" / f"{batch}.parquet"))
        ]

    def check(self) -> int:
        """Assert that no row is lost and none comes twice, in order and in the event log, and that alignment
        has held.

        Return the greatest spread (ms).
        """
        rows, expected = self.rows(), killed_program.expected(self.last)
        for source, subtask in expected:
            mine = [each for each in rows if (each.source, each.subtask) == (source, subtask)]
            assert [number for each in mine for number in each.numbers] == expected[source, subtask]
        assert {(each.source, each.subtask) for each in rows} == expected.keys()
        for source in (0, 1):
            logged = logged_offsets(self.folder / "checkpoint", source)
            assert len({offset["source"] for offset in logged}) == 1
        events = self.folder / "events"
        assert recorded(events) == {key: len(numbers) for key, numbers in expected.items()}
        assert judged(events).overall == "pass", judged(events)
        spread = max(spreads(rows, dict.fromkeys(expected, self.last)))
        assert spread <= killed_program.DRIFT
        return spread

    def _batches(self) -> list[int]:
        return sorted(int(file.stem) for file in (self.folder / "rows").glob("*.parquet"))


def draw_kill(draw: random.Random, point: str, worker_dies: bool = False) -> Planned:
    """Return a kill at a point, in the first or the second batch after the start.

    After a worker has died its task passes the points of reading again.
    """
    _, in_a_batch = POINTS[point]
    return Planned(point, draw.randint(1, 2 * in_a_batch), worker_dies, draw.uniform(0, MOST_DELAY))


def event_time_for(kills: int) -> int:
    """Return how much event time (ms) a job needs so as not to end before it is killed so often."""
    return 3000 * kills + 2000


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill at all points in a random order, print where, and check what has come out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=2 * len(POINTS))
    parser.add_argument("--seed", default=str(time.time_ns()))
    given = parser.parse_args(arguments)
    print(f"--kills {given.kills} --seed {given.seed}", flush=True)
    draw = random.Random(given.seed)
    rounds = -(-given.kills // len(POINTS))
    points = [point for _ in range(rounds) for point in draw.sample(list(POINTS), len(POINTS))][: given.kills]
    with tempfile.TemporaryDirectory() as folder:
        job = KilledJob(Path(folder), event_time_for(given.kills))
        print(
            f"{'kill':>4}  {'stage':12}{'point':32}{'pass':>5}{'s':>6}  logged, written, committed",
            flush=True,
        )
        for number, point in enumerate(points, 1):
            began, planned = time.monotonic(), draw_kill(draw, point)
            job.run(planned)
            seconds, progress = time.monotonic() - began, ", ".join(map(str, job.progress()))
            print(
                f"{number:4}  {POINTS[point][0]:12}{point:32}{planned.at:5}{seconds:6.1f}  {progress}",
                flush=True,
            )
        with spark_queries() as queries:
            job.finish(queries)
        spread, rows = job.check(), sum(len(each.numbers) for each in job.rows())
    stages = ", ".join(
        f"{count} in {stage}" for stage, count in Counter(POINTS[each][0] for each in points).items()
    )
    print(
        f"killed {given.kills} times ({stages}): {rows} rows, none lost, none twice; the spread was {spread} ms "
        f"at most, of {killed_program.DRIFT}"
    )


if __name__ == "__main__":
    main()
