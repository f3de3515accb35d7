"""Which records came in time, by the definition: the smallest watermark over all partitions before their batch.

The offsets in the checkpoint say which records a batch has. All else is worked out from the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tidegauge_spark.source.planning.sealed_offset import without_progress
from whole_jobs.places import Place
from whole_jobs.records import ExactJob, Record, Written


def in_time(
    job: ExactJob, place: Place, written: Written, checkpoint: Path
) -> dict[str, dict[int, list[Record]]]:
    """Return the records that have been read and were not late when their batch began."""
    read = {(log, partition): 0 for log, partitions in written.items() for partition in partitions}
    timely: dict[str, dict[int, list[Record]]] = {log: {each: [] for each in written[log]} for log in written}
    watermark = None
    for positions in planned_batches(job, place, checkpoint):
        for (log, partition), before in read.items():
            until = max(before, positions.get((log, partition), 0))
            timely[log][partition] += [
                record
                for record in written[log][partition][before:until]
                if watermark is None or job.deadline(record.at) > watermark
            ]
            read[log, partition] = until
        watermark = smallest_watermark(job, written, read)
    return timely


def smallest_watermark(job: ExactJob, written: Written, read: Mapping[tuple[str, int], int]) -> int | None:
    """Return the smallest watermark over all partitions (ms) if so many records are read; None while there is a
    partition of which nothing is read."""
    if not all(read.values()):
        return None
    furthest = [
        max(record.at for record in written[log][partition][:until])
        for (log, partition), until in read.items()
    ]
    return min(furthest) - job.disorder - 1


def planned_batches(job: ExactJob, place: Place, checkpoint: Path) -> Iterator[dict[tuple[str, int], int]]:
    """Yield how many records of each partition are planned up to each micro-batch."""
    partitions_by_split = {
        place.split(log, each): (log, each) for log, count in job.logs.items() for each in range(count)
    }
    files = sorted((checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
    assert files
    assert files[0].name == "0", "Spark has removed the first offsets: the job has too many batches"
    for file in files:
        positions: dict[tuple[str, int], int] = {}
        for line in file.read_text().splitlines()[2:]:
            splits: dict[str, Any] = {} if line == "-" else without_progress(json.loads(line))["splits"]
            for split, position in splits.items():
                positions[partitions_by_split[split]] = position[place.planned_at]
        yield positions
