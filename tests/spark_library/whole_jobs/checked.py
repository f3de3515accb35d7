"""A job with its logs: the query, and the check that its results are those of pandas on what was not late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from whole_jobs.changes import Changes
from whole_jobs.gateways import Gateways
from whole_jobs.hourly import Hourly
from whole_jobs.lateness import in_time
from whole_jobs.orders import Orders
from whole_jobs.places import Place
from whole_jobs.records import CLOSING, ExactJob, Result, Written, so_far, table
from whole_jobs.sessions import Sessions

JOBS: Final[Mapping[str, type[ExactJob]]] = {
    job.name: job for job in (Gateways, Hourly, Changes, Orders, Sessions)
}

Sums = Mapping[tuple[str, int, int], Result]
"""Results by key, start, and which of the equal ones it is."""


def create_logs(job: ExactJob, place: Place) -> None:
    for log, partitions in job.logs.items():
        place.create(log, partitions)


def write_records(place: Place, written: Written) -> None:
    for log, partitions in written.items():
        for partition, records in partitions.items():
            place.write(log, partition, records)


def frame(job: ExactJob, place: Place, session: SparkSession, group: str, **more: Any) -> DataFrame:
    """Return the query of a job, whose sources are in a watermark group of their own."""
    options = {
        "watermarkGroup": group,
        "maxAllowedWatermarkDrift": f"{job.drift} milliseconds",
        "maxOutOfOrderness": f"{job.disorder} milliseconds",
        "maxRowsPerTrigger": job.batch,
        "numSubtasks": job.subtasks,
        "sourcesInQuery": len(job.logs),
        **more,
    }
    return job.results({log: place.read(session, log, options) for log in job.logs})


def check(job: ExactJob, place: Place, checkpoint: Path, rows: Iterable[Any]) -> str:
    """Assert that results are those of all records that were not late; return what was compared.

    A late record may be in a result, since Spark drops by the watermark of the batch before; but nothing else may.
    What is not read counts as late. rows: all rows of the sink, with the fields of `Result`.
    """
    written = so_far(job, job.runs + 1)
    timely = table(in_time(job, place, written, checkpoint))
    least, most = _sums(job.expected(timely)), _sums(job.expected(table(written)))
    got = [Result(*row) for row in rows if not row[0].startswith(CLOSING)]
    double = [key for key, times in Counter((each.key, each.start) for each in got).items() if times > 1]
    results = _sums(got)
    missing = sorted(least.keys() - results.keys())
    foreign = sorted(results.keys() - most.keys())
    summary = f"{job.name}: {len(results)} results for {len(least)}; "
    assert not missing, f"{summary}{len(missing)} missing, such as {missing[:3]}"
    assert not foreign, f"{summary}{len(foreign)} more, such as {foreign[:3]}; double {double[:3]}"
    wrong = [
        (result, least.get(name), most[name])
        for name, result in results.items()
        if not _between(result, least.get(name), most[name])
    ]
    assert not wrong, f"{job.name}: {len(wrong)} results differ, such as (got, in time, all) {wrong[:3]}"
    late = len(table(written)) - len(timely)
    assert late == job.late, f"{job.name}: {late} records were late or not read, {job.late} expected"
    return f"{job.name}: {len(got)} results of {len(timely)} records as pandas has them, {late} records late"


def _sums(results: Iterable[Result]) -> Sums:
    """Return results by what tells them apart; equal ones, such as changes of one key, by their sum of ids."""
    sums: dict[tuple[str, int, int], Result] = {}
    counts: Counter[tuple[str, int]] = Counter()
    for each in sorted(results):
        number = counts[each.key, each.start]
        counts[each.key, each.start] += 1
        sums[each.key, each.start, number] = each
    return sums


def _between(got: Result, least: Result | None, most: Result) -> bool:
    if least is None:
        return got.count <= most.count and got.total <= most.total
    return least.count <= got.count <= most.count and least.total <= got.total <= most.total
