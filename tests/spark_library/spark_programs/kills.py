"""Kills a driver program again and again, starts it from the checkpoint, and checks what it has written.

`python -m spark_programs.kills [--job pair|shop] [--kills N] [--seed N] [--kafka]`, in the folder tests/spark_library, is
the thorough run: it prints a line for each kill, and fails if a result is lost, comes twice or is another one, or if
alignment does not hold. --kafka: the shop reads topics of a broker, whose jars are where TIDEGAUGE_KAFKA_JARS says.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as parquet
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame

from spark_programs import killed_program
from spark_programs.aligned_pair import AlignedPair
from spark_programs.kill_points import PROCESSOR_POINTS, READING, STATE, WORKER_DIED, kill_session
from spark_programs.killed_program import Job, Planned
from spark_programs.queries import SparkQueries, spark_queries, wait_until
from spark_programs.shop import Shop
from tidegauge_spark import coordination
from tidegauge_spark.spark_version import READ_LIMITS

PATIENCE = 300
MOST_DELAY = 0.06
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a third less processor time in so short a life
INSTRUMENTS = Path(__file__).parents[2] / "instruments"


class Progress(NamedTuple):
    """How many batches are in the log of offsets, written by the sink, and in the log of commits."""

    logged: int
    written: int
    committed: int


class KilledJob:
    """The driver program and its folder, over all runs. python: the Python that runs the program."""

    def __init__(self, folder: Path, job: Job, python: str = sys.executable) -> None:
        self.folder, self.job, self.python = folder, job, python
        self._log = folder / "driver.log"
        job.write_log(folder)
        (folder / "spark").mkdir()

    def run(self, planned: Planned) -> None:
        """Run until the kill. The program must not fail, nor end before it."""
        with self.running(planned) as driver, suppress(subprocess.TimeoutExpired):
            driver.wait(PATIENCE)
        counts = self.folder / "counts"
        assert (counts / "killed").exists(), f"no {planned}: {self.log()}"
        assert (counts / WORKER_DIED).exists() or not planned.worker_dies, planned

    @contextmanager
    def running(self, planned: Planned) -> Iterator[subprocess.Popen[bytes]]:
        """The program in a process of its own, which ends with all that it has started."""
        counts = self.folder / "counts"
        shutil.rmtree(counts, ignore_errors=True)
        counts.mkdir()
        program = [self.python, "-m", "spark_programs.killed_program"]
        with self._log.open("ab") as log:
            driver = subprocess.Popen(
                [*program, str(self.folder), self.job.argument, json.dumps(planned)],
                cwd=Path(__file__).parent.parent,
                env={**os.environ, "JDK_JAVA_OPTIONS": QUICK_START, "PYSPARK_PYTHON": self.python},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield driver
        finally:
            kill_session(driver.pid)
            driver.wait()

    def log(self) -> str:
        """What the programs have said."""
        return self._log.read_text(errors="replace")

    def torn(self, draw: random.Random) -> Path:
        """Cut off the last file of a log of the checkpoint, as a crash of the machine may leave it; return it.

        It is that of the batch which is logged and not committed, if there is one, or the last commit.
        """
        progress = self.progress()
        name = "offsets" if progress.logged > progress.committed else "commits"
        last = max(_numbered(self.folder / "checkpoint" / name), key=lambda file: int(file.name))
        os.truncate(last, draw.choice([0, last.stat().st_size // 2]))
        return last

    def is_refused(self, queries: SparkQueries, torn: Path) -> str:
        """Assert that the query does not start from a checkpoint that is torn, and writes nothing; return what
        Spark says. Then remove the file, as the user has to."""
        before = self.progress().written
        try:
            self.run_to_the_end(queries)
        except StreamingQueryException as refusal:
            said = str(refusal.__cause__ or refusal)
        else:
            raise AssertionError(f"the query runs although {torn} is torn")
        assert self.progress().written == before
        torn.unlink()
        torn.with_name(f".{torn.name}.crc").unlink(missing_ok=True)
        if (torn.parent.name, torn.name) == ("offsets", "0"):
            shutil.rmtree(
                self.folder / "checkpoint" / "state", ignore_errors=True
            )  # Spark wants none at batch 0
        return next(line for line in said.splitlines() if line)

    def finish(self, queries: SparkQueries) -> None:
        """Run the job to its end in the Spark of this process, then again with its last records, if it has any."""
        self.run_to_the_end(queries)
        if self.job.close(self.folder):
            self.run_to_the_end(queries, self.is_right)

    def finish_by(self, python: str) -> None:
        """Do the same in processes of another Python, whose PySpark is 4.2 or later: AvailableNow runs all batches."""
        self.python = python
        self._run_by_itself()
        if self.job.close(self.folder):
            self._run_by_itself()

    def _run_by_itself(self) -> None:
        never = Planned("", 0, "", 0, True)
        with self.running(never) as driver:
            assert driver.wait(PATIENCE) == 0, self.log()

    def run_to_the_end(self, queries: SparkQueries, is_over: Callable[[], bool] = lambda: True) -> None:
        """Read all records that exist now, in the Spark of this process.

        is_over: the condition for stopping the query before PySpark 4.2. AvailableNow cannot be used there: it reads
        everything in one batch, and does not wait for `idleTimeout`.
        """

        def write(frame: DataFrame, batch: int) -> None:
            unfinished = self.folder / "unfinished.parquet"
            parquet.write_table(frame.toArrow(), unfinished)
            killed_program.replace_rows(self.folder, batch, unfinished)

        with coordination() as address:
            query = killed_program.start(
                self.job, queries.session, address, self.folder, write, available_now=READ_LIMITS.exists
            )
            if READ_LIMITS.exists:
                assert query.awaitTermination(PATIENCE), query.lastProgress
                return
            query.processAllAvailable()
            wait_until(is_over, query)
            query.stop()

    def progress(self) -> Progress:
        """Return the progress of the job, as its folder shows it."""
        logged, committed = (
            len(_numbered(self.folder / "checkpoint" / name)) for name in ("offsets", "commits")
        )
        return Progress(logged, len(self._batches()), committed)

    def check(self) -> str:
        """Assert that the written results are correct; return the findings."""
        return self.job.check(self.folder, self._batches())

    def is_right(self) -> bool:
        """Return whether the written results are correct, and thus complete."""
        with suppress(AssertionError):
            self.check()
            return True
        return False

    def _batches(self) -> list[tuple[int, Any]]:
        files = sorted((self.folder / "rows").glob("*.parquet"), key=lambda file: int(file.stem))
        return [(int(file.stem), parquet.read_table(file)) for file in files]


def _numbered(log: Path) -> list[Path]:
    return list(log.glob("[0-9]*"))


def draw_kill(
    draw: random.Random,
    points: Mapping[str, tuple[str, int]],
    point: str,
    worker_dies: str = "",
    available_now: bool | None = None,
    batches: int = 2,
) -> Planned:
    """Return a kill at a point, in one of so many batches after the start, or after a worker has died; under either
    trigger, if it is not given."""
    _, in_a_batch = points[point]
    now = draw.random() < 0.5 if available_now is None else available_now
    now = now and READ_LIMITS.exists
    return Planned(
        point, draw.randint(1, batches * in_a_batch), worker_dies, draw.uniform(0, MOST_DELAY), now
    )


TEARS_EVERY, WORKER_DIES_EVERY = 6, 5
"""In the thorough run a file is torn after each sixth kill, and after the first that leaves a commit as the last file;
before each fifth kill a worker dies."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill at all points in a random order, print where, and check what has come out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", choices=["pair", "shop"], default="pair")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--kafka", action="store_true")
    given = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kind = AlignedPair if given.job == "pair" else Shop
        kills = 2 * len(kind.points) if given.kills is None else given.kills
        print(f"--job {given.job} --kills {kills} --seed {given.seed}{' --kafka' * given.kafka}", flush=True)
        broker = stack.enter_context(kafka_broker_in(folder)) if given.kafka else ""
        job = KilledJob(folder, kind.long_enough(kills, broker) if broker else kind.long_enough(kills))
        queries = stack.enter_context(spark_queries())
        _kill(job, kills, random.Random(given.seed), queries)


def _kill(job: KilledJob, kills: int, draw: random.Random, queries: SparkQueries) -> None:
    points = job.job.points
    rounds = -(-kills // len(points))
    order = [point for _ in range(rounds) for point in draw.sample(list(points), len(points))][:kills]
    has_processors = PROCESSOR_POINTS.keys() <= points.keys()
    print(f"{'kill':>4}  {'stage':12}{'point':52}{'pass':>5}{'s':>6}  logged, written, committed", flush=True)
    torn = died = 0
    commit_torn = False
    for number, point in enumerate(order, 1):
        dies = ""
        if number % WORKER_DIES_EVERY == 0:
            dies, died = draw.choice([READING, STATE] if has_processors else [READING]), died + 1
        began, planned = time.monotonic(), draw_kill(draw, points, point, dies)
        job.run(planned)
        seconds, progress = time.monotonic() - began, ", ".join(map(str, job.progress()))
        trigger = "AvailableNow" if planned.available_now else "continuous"
        note = f"  {trigger}{', a worker died in ' * bool(dies)}{dies}"
        print(
            f"{number:4}  {points[point][0]:12}{point:52}{planned.at:5}{seconds:6.1f}  {progress}{note}",
            flush=True,
        )
        commit_is_last = job.progress().logged == job.progress().committed
        if min(job.progress()) > 0 and (number % TEARS_EVERY == 0 or (commit_is_last and not commit_torn)):
            file = job.torn(draw)
            commit_torn = commit_torn or commit_is_last
            size = file.stat().st_size
            said = job.is_refused(queries, file).rpartition(" terminated with exception: ")[2]
            torn += 1
            print(f"      {file.parent.name}/{file.name} torn to {size} bytes: {said[:150]}", flush=True)
    began = time.monotonic()
    job.finish(queries)
    stages = ", ".join(
        f"{count} in {stage}" for stage, count in Counter(points[each][0] for each in order).items()
    )
    print(f"the rest took {time.monotonic() - began:.0f} s, {job.progress().logged} batches in all")
    print(f"killed {kills} times ({stages}), {died} workers died, {torn} files torn: {job.check()}")


@contextmanager
def kafka_broker_in(folder: Path) -> Iterator[str]:
    """The address of a broker that runs meanwhile."""
    sys.path.append(str(INSTRUMENTS))
    from kafka_broker import running_broker

    data = folder / "broker"
    data.mkdir()
    with running_broker(data) as broker:
        yield broker.address


if __name__ == "__main__":
    main()
