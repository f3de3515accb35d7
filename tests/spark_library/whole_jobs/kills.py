"""Kills the drivers of the whole jobs, and checks that nothing is missing, double or wrongly late.

`python -m whole_jobs.kills [--kills 30] [--seed N] [--kafka] [--jobs NAME ...]`, in the folder tests/spark_library, is
the thorough run, and prints a line for each kill. `TIDEGAUGE_KILLS` says how many kills the test makes.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from spark_programs.kill_points import COMMITTING, PLANNING, READING, STATE
from spark_programs.kills import KilledJob, draw_kill, kafka_broker_in
from spark_programs.queries import SparkQueries, spark_queries

from whole_jobs.checked import JOBS
from whole_jobs.killed_job import KilledExactJob

KILLS_VARIABLE: Final = "TIDEGAUGE_KILLS"
"""The environment variable with the number of kills of the tests."""

STAGES: Final = (PLANNING, READING, STATE, COMMITTING)


def killed_job(
    name: str, kills: int, draw: random.Random, queries: SparkQueries, folder: Path, address: str = ""
) -> str:
    """Run a job to its end with so many kills at random points, spread over its runs; return what was compared."""
    job = KilledExactJob(name, address)
    killed = KilledJob(folder, job)
    runs = job.job.runs
    for run in range(runs):
        if run:
            job.close(folder)
        for _ in range(kills * (run + 1) // runs - kills * run // runs):
            stage = draw.choice(STAGES)
            point = draw.choice([point for point, (of, _) in job.points.items() if of == stage])
            planned = draw_kill(draw, job.points, point, available_now=None)
            killed.run(planned)
            print(f"{name}, run {run + 1}: {planned}; {killed.progress()}", flush=True)
        killed.run_to_the_end(queries)
    assert job.close(folder)
    killed.run_to_the_end(queries)
    return killed.check()


def spread(kills: int, draw: random.Random) -> dict[str, int]:
    """Return how many kills each job gets; those without one are left out."""
    names = draw.sample(list(JOBS), len(JOBS))
    shares = {name: kills // len(JOBS) + (place < kills % len(JOBS)) for place, name in enumerate(names)}
    return {name: share for name, share in shares.items() if share}


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill all jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--kafka", action="store_true")
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    given = parser.parse_args(arguments)
    draw = random.Random(given.seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        print(f"--kills {given.kills} --seed {given.seed}{' --kafka' * given.kafka}", flush=True)
        broker = stack.enter_context(kafka_broker_in(folder)) if given.kafka else ""
        queries = stack.enter_context(spark_queries())
        for name, kills in spread(given.kills, draw).items():
            if name in given.jobs:
                own = folder / f"{name}-{folder.name}"
                own.mkdir()
                print(killed_job(name, kills, draw, queries, own, broker), flush=True)


if __name__ == "__main__":
    main()
