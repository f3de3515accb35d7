"""Whole jobs over topics of Kafka on the exact watermark: equal to pandas on all records that were not late."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka_broker import Broker
from spark_programs.exact_jobs import Job
from spark_programs.queries import SparkQueries, aligned_queries
from whole_jobs.checked import JOBS, check, create_logs, frame, write_records
from whole_jobs.kills import KILLS_VARIABLE, killed_job, spread
from whole_jobs.places import KafkaPlace

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark"), pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with aligned_queries() as queries:
        yield queries


@pytest.mark.parametrize("name", JOBS)
def test_a_job_over_topics_is_equal_to_pandas(queries: SparkQueries, broker: Broker, name: str) -> None:
    job, place = JOBS[name](), KafkaPlace(broker.address, f"jobs-{name}")
    query = Job(queries, f"kafka-job-{name}")
    create_logs(job, place)
    for run in range(job.runs + 1):
        write_records(place, job.written_before(run))
        query.run(frame(job, place, queries.session, f"kafka-job-{name}"))
    print(check(job, place, query.checkpoint, query.rows))


def test_jobs_over_topics_whose_drivers_are_killed_are_equal_to_pandas(
    queries: SparkQueries, broker: Broker, tmp_path: Path
) -> None:
    seed = time.time_ns()
    print("random.Random seed", seed)
    draw = random.Random(seed)
    for name, kills in spread(int(os.environ.get(KILLS_VARIABLE, "2")), draw).items():
        folder = tmp_path / f"{name}-{seed}"
        folder.mkdir()
        print(killed_job(name, kills, draw, queries, folder, broker.address))
