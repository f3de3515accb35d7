"""A later PySpark continues a query that was killed under an earlier PySpark, in the middle of a batch.

The tests run under the earlier PySpark. `TIDEGAUGE_LATER_PYTHON` is the path of a Python with the later PySpark;
`tox -e py312-pyspark41`, for example, installs both.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from spark_programs.killed_program import Job, Planned
from spark_programs.kills import KilledJob
from spark_programs.shop import Shop
from whole_jobs.killed_job import KilledExactJob

from tidegauge_spark.spark_version import ROW_PROCESSORS

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.upgrade, pytest.mark.timeout(1800)]

BATCHES = 4
"""The approximate number of micro-batches before the kill."""


@pytest.mark.parametrize(
    ("job", "point"),
    [
        pytest.param(
            Shop.long_enough(2),
            "logged, not read",
            marks=pytest.mark.skipif(
                not ROW_PROCESSORS.exists, reason="PySpark 4.0 cannot run the whole shop"
            ),
        ),
        (KilledExactJob("gateways"), "half written"),
        (KilledExactJob("orders"), "written, not committed"),
        (KilledExactJob("changes"), "planned, not logged"),
        (KilledExactJob("sessions"), "the state of sessions is being committed"),
    ],
    ids=lambda given: given if isinstance(given, str) else given.argument.replace("|", "-").strip("-"),
)
def test_a_later_pyspark_continues_a_killed_query_exactly(job: Job, point: str, tmp_path: Path) -> None:
    """Covers Spark's windows, joins, sessions and deduplication; the shop also has the library's windows."""
    killed = KilledJob(tmp_path, job)
    times = BATCHES * job.points[point][1]
    killed.run(Planned(point, times, worker_dies="", delay=0, available_now=False))
    left = killed.progress()
    assert left.committed > 0
    killed.finish_by(os.environ["TIDEGAUGE_LATER_PYTHON"])
    assert killed.progress().logged > left.logged + 1
    print(killed.check())
