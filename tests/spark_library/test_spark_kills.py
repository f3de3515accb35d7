"""Drivers of streaming queries that are killed, and two of them on one checkpoint: nothing is lost or comes twice.

All points at which a driver can be killed, several times: `tox -e faults`.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from spark_programs.aligned_pair import AlignedPair
from spark_programs.kill_points import COMMITTING, PLANNING, READING, SOURCE_POINTS, STATE, STATE_POINTS
from spark_programs.killed_program import Planned
from spark_programs.kills import KilledJob, draw_kill
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries
from spark_programs.shop import Shop
from whole_jobs.kills import KILLS_VARIABLE, killed_job, spread

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slower, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def test_job_4_a_driver_that_is_killed_loses_nothing_and_repeats_nothing(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """At two random points here; at all points, several times: `tox -e faults`."""
    draw = seeded()
    first, second = COMMITTING, draw.choice([PLANNING, READING])
    job = KilledJob(tmp_path, AlignedPair.long_enough(2))
    for stage in (first, second):
        kill = draw_kill(draw, SOURCE_POINTS, a_point(draw, stage), READING if stage is first else "", True)
        job.run(kill)
        print(stage, kill, job.progress())
        assert _IN_STAGE[stage](*job.progress())
    job.finish(queries)
    job.check()


def test_windows_and_joins_whose_state_is_being_committed_when_the_driver_is_killed_are_as_pandas_has_them(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """The shop, over files. A worker dies with changed state, and the last file of each log is torn."""
    draw = seeded()
    job = KilledJob(tmp_path, Shop.long_enough(3))
    state = draw.sample(list(STATE_POINTS), 2)
    for point, dies in ((state[0], ""), (state[1], STATE), (a_point(draw, PLANNING), "")):
        kill = draw_kill(draw, Shop.points, point, dies, batches=5 if point in STATE_POINTS else 2)
        job.run(kill)
        print(kill, job.progress())
        if point != state[0]:
            torn = job.torn(draw)
            assert torn.parent.name == ("offsets" if dies else "commits")
            assert f"/checkpoint/{torn.parent.name}/{torn.name}" in job.is_refused(queries, torn)
    job.finish(queries)
    print(job.check())


def test_whole_jobs_on_the_exact_watermark_whose_drivers_are_killed_are_equal_to_pandas(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """Four kills, each in another job; `TIDEGAUGE_KILLS` says how many, and `tox -e faults` has thirty."""
    draw = seeded()
    for name, kills in spread(int(os.environ.get(KILLS_VARIABLE, "4")), draw).items():
        folder = tmp_path / name
        folder.mkdir()
        print(killed_job(name, kills, draw, queries, folder))


def seeded() -> random.Random:
    """Return a source of random kills, whose seed is printed."""
    seed = time.time_ns()
    print("random.Random seed", seed)
    return random.Random(seed)


def a_point(draw: random.Random, stage: str) -> str:
    """Return a point of a stage, of those of the sources and the sink."""
    return draw.choice([point for point, (of, _) in SOURCE_POINTS.items() if of == stage])


_IN_STAGE: dict[str, Callable[[int, int, int], bool]] = {
    PLANNING: lambda logged, written, committed: logged == written == committed,
    READING: lambda logged, written, committed: committed <= written <= logged == committed + 1,
    COMMITTING: lambda logged, written, committed: committed <= written <= logged <= committed + 1,
}
"""How many batches are logged, written and committed when a driver dies in a stage. A batch that an earlier kill
left written and not committed is read again."""


def _stop_between_two_batches(job: KilledJob, other: subprocess.Popen[bytes]) -> None:
    """Stop an application whose query has read something, and would log the next batch; it would be at its end
    before a busy machine starts the second query."""
    deadline = time.monotonic() + PATIENCE
    while True:
        assert other.poll() is None
        assert time.monotonic() < deadline
        if job.progress().written:
            os.killpg(other.pid, signal.SIGSTOP)
            progress = job.progress()
            if progress.logged == progress.committed:
                return
            os.killpg(other.pid, signal.SIGCONT)
        time.sleep(0.01)


def test_two_queries_on_one_checkpoint_are_found_out_in_one_line_and_lose_nothing(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """In two applications. In one, Spark stops the first query when the second starts. What it says in two depends
    on where the first was stopped: before it wrote the offsets of its batch, or while it did."""
    job = KilledJob(tmp_path, AlignedPair.long_enough(2))
    never = Planned("being committed", 10**6, "", 0, False)
    with job.running(never) as other:
        _stop_between_two_batches(job, other)
        job.run_to_the_end(queries)
        os.killpg(other.pid, signal.SIGCONT)
        other.wait(PATIENCE)
    said = job.log()
    before = r"\[CONCURRENT_STREAM_LOG_UPDATE\] .* Multiple streaming jobs detected for \d+"
    meanwhile = (
        r"\[STREAM_FAILED\] .* Multiple streaming queries are concurrently using \S+/checkpoint/offsets"
    )
    assert re.search(f"{before}|{meanwhile}", said), said
    job.finish(queries)
    job.check()
