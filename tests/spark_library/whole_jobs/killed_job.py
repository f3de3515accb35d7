"""A whole job that is killed. Its logs are in the program's folder, or in a bucket or topics named after the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from spark_programs.kill_points import EXACT_STATE_POINTS, SOURCE_POINTS

from whole_jobs import checked
from whole_jobs.places import FilesPlace, KafkaPlace, Place, S3Place
from whole_jobs.records import ExactJob


class KilledExactJob:
    """A job of `checked.JOBS`, by its name.

    address: "" for files; the address of a Kafka broker, or that of an S3 server, which begins with "http".
    """

    def __init__(self, name: str, address: str = "") -> None:
        self.job: ExactJob = checked.JOBS[name]()
        self.address = address
        self.argument = f"exact|{name}|{address}"
        self._runs = 0

    @property
    def points(self) -> Mapping[str, tuple[str, int]]:
        """Where the job can be killed; `SOURCE_POINTS` counts the passes of two sources."""
        sources = len(self.job.logs)
        points = {
            name: (stage, max(1, times * sources // 2)) for name, (stage, times) in SOURCE_POINTS.items()
        }
        return {**points, self.job.state_point: EXACT_STATE_POINTS[self.job.state_point]}

    def write_log(self, folder: Path) -> None:
        """Write what there is before the first run."""
        checked.create_logs(self.job, self._place(folder))
        self.close(folder)

    def close(self, folder: Path) -> bool:
        """Write what there is before the next run; return whether there is something."""
        if self._runs > self.job.runs:
            return False
        checked.write_records(self._place(folder), self.job.written_before(self._runs))
        self._runs += 1
        return True

    @property
    def has_closed(self) -> bool:
        """Whether the closing records are written."""
        return self._runs > self.job.runs

    def frame(self, session: SparkSession, coordinator: str, folder: Path) -> DataFrame:
        """Return the query."""
        return checked.frame(self.job, self._place(folder), session, self.job.name, coordinator=coordinator)

    def check(self, folder: Path, batches: Sequence[tuple[int, Any]]) -> str:
        """Assert that what is written (Arrow tables) is right; return what was compared."""
        rows = [tuple(row.values()) for _, written in batches for row in written.to_pylist()]
        return checked.check(self.job, self._place(folder), folder / "checkpoint", rows)

    def _place(self, folder: Path) -> Place:
        if self.address.startswith("http"):
            return S3Place(self.address, folder.name)
        return KafkaPlace(self.address, folder.name) if self.address else FilesPlace(folder / "logs")
