"""Spark queries over an S3 server: results after a kill compared with pandas, and no secrets in Spark's output."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from s3_server import ACCESS_KEY, REGION, SECRET_KEY, S3Store
from spark_programs.queries import PATIENCE, SparkQueries, aligned_queries
from whole_jobs.kills import killed_job

pytestmark = [pytest.mark.stores, pytest.mark.xdist_group("spark"), pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        environment.setenv("AWS_REGION", REGION)
        with aligned_queries() as queries:
            yield queries


def test_a_job_over_s3_whose_driver_is_killed_twice_is_equal_to_pandas(
    queries: SparkQueries, store: S3Store, tmp_path: Path
) -> None:
    """Credentials and region come from the environment."""
    seed = time.time_ns()
    print("random.Random seed", seed)
    folder = tmp_path / f"sessions-{seed}"
    folder.mkdir()
    print(killed_job("sessions", 2, random.Random(seed), queries, folder, store.endpoint))


def test_no_secret_is_in_a_checkpoint_a_progress_a_plan_or_an_error(
    queries: SparkQueries, store: S3Store, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = f"{store.bucket('secrets')}/log"
    store.put_times(f"{folder}/eu/1", [1, 2, 3])
    reader = queries.session.readStream.format("tidegauge").options(**store.options)
    frame = reader.options(path=folder, eventTimeColumn="time").load()
    frame.explain(extended=True)
    checkpoint = tmp_path / "checkpoint"
    writer = frame.writeStream.format("noop").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    assert query.awaitTermination(PATIENCE)
    kept = b"".join(file.read_bytes() for file in checkpoint.rglob("*") if file.is_file())
    store.put(f"{folder}/eu/2", b"no Parquet")
    with pytest.raises(StreamingQueryException) as failure:
        writer.start().awaitTermination(PATIENCE)
    said = "".join(capfd.readouterr())
    assert "s3://secrets/log/eu/2" in str(failure.value)
    assert b"s3://secrets/log" in kept
    for secret in (SECRET_KEY, ACCESS_KEY):
        assert secret.encode() not in kept
        assert secret not in str(failure.value)
        assert secret not in str(query.recentProgress)
        assert secret not in said
