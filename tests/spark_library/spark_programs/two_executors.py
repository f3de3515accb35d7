"""Runs the job of the killed driver program, unkilled, on executors that are processes of their own.

`python -m spark_programs.two_executors [MASTER]`, in the folder tests/spark_library. MASTER is
`local-cluster[2,1,1024]` unless it is given: two executors of one core and 1024 MB. It fails if a row is lost or comes twice, if alignment does
not hold, or if all rows came from one executor.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from spark_programs.aligned_pair import AlignedPair
from spark_programs.kills import KilledJob
from spark_programs.queries import SparkQueries
from tidegauge_adapters.spark_session.session import end_spark, running_spark

MASTER = "local-cluster[2,1,1024]"


def main(master: str = MASTER) -> None:
    """Run the job once."""
    spark = running_spark(master)
    try:
        queries = SparkQueries(spark.session, spark.folder.subfolder("two-executors"))
        tasks = spark.session.sparkContext.parallelize(range(8), 8)
        workers = set(tasks.mapPartitions(_daemon).collect())
        assert len(workers) >= 2, f"all tasks ran in one executor: {workers}"
        with tempfile.TemporaryDirectory(dir=spark.folder.path) as folder:
            job = KilledJob(Path(folder), AlignedPair.long_enough(1))
            job.finish(queries)
            print(f"{master}: {len(workers)} executors, {job.check()}")
    finally:
        end_spark()


def _daemon(_: Iterable[int]) -> Iterator[int]:
    """Yield the process that starts the Python workers of an executor."""
    yield os.getppid()


if __name__ == "__main__":
    main(*sys.argv[1:])
