"""A job to be killed: files and number sequences of one group in one query, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from spark_programs.driven_files import write_parquet
from spark_programs.event_logs import judged, recorded
from spark_programs.kill_points import SOURCE_POINTS
from spark_programs.queries import collected, logged_offsets, spreads

DRIFT = 2000
FILE_MILLISECONDS = 1000


class AlignedPair:
    """The job. last: the greatest event time (ms) that comes out, even."""

    points: Final = SOURCE_POINTS

    def __init__(self, last: int) -> None:
        self.last = last
        self.argument = f"pair|{last}"

    @classmethod
    def long_enough(cls, kills: int) -> AlignedPair:
        """Return a job that does not end before it is killed so often."""
        return cls(3000 * kills + 2000)

    def expected(self) -> dict[tuple[str, int], list[int]]:
        """Return the event times that come out, by source and subtask, in order."""
        every, second = list(range(self.last + 1)), list(range(0, self.last + 1, 2))
        return {("files", 0): every, ("files", 1): second, ("numbers", 0): every, ("numbers", 1): every}

    def write_log(self, folder: Path) -> None:
        """Write the files of the source "files", a split for each subtask."""
        for split, subtask in (("x", 0), ("y", 1)):
            times = self.expected()["files", subtask]
            step = FILE_MILLISECONDS // (times[1] - times[0])
            for first in range(0, len(times), step):
                chunk = times[first : first + step]
                write_parquet(folder / "log", split, f"{chunk[0]:09}", chunk, row_group=300)

    def close(self, folder: Path) -> bool:
        """Write what comes last; return whether there was something: no."""
        return False

    def frame(self, session: SparkSession, coordinator: str, folder: Path) -> DataFrame:
        """Return the rows of all sources."""
        group = {
            "numSubtasks": "2",
            "watermarkGroup": "group-1",
            "maxAllowedWatermarkDrift": f"{DRIFT} milliseconds",
            "coordinator": coordinator,
            "sourcesInQuery": "2",
            "clockStep": "1 second",
            "eventLog": str(folder / "events"),
        }
        slow = {"split": "repeat", "end": str(self.last), "recordsPerMillisecond.0": "1"}
        log = {"eventTimeColumn": "time", "progressColumn": "progress", "sourceName": "files"}
        source = session.readStream.format("tidegauge")
        numbers = source.options(**group, **slow, sourceName="numbers").load()
        source = session.readStream.format("tidegauge")
        files = source.options(**group, **log).load(str(folder / "log"))
        origin = ("progress.source", "progress.subtask")
        return numbers.union(
            files.selectExpr(*origin, "time AS number", "progress.timestamp", "progress.planned_at")
        )

    def check(self, folder: Path, batches: Sequence[tuple[int, Any]]) -> str:
        """Assert that no row is lost and none comes twice, in order and in the event log, and that alignment
        has held.

        batches: what was written (Arrow tables). Return what was found.
        """
        rows = [each for batch, table in batches for each in collected(batch, table)]
        expected = self.expected()
        for source, subtask in expected:
            mine = [each for each in rows if (each.source, each.subtask) == (source, subtask)]
            assert [number for each in mine for number in each.numbers] == expected[source, subtask]
        assert {(each.source, each.subtask) for each in rows} == expected.keys()
        for source in (0, 1):
            logged = logged_offsets(folder / "checkpoint", source)
            assert len({offset["source"] for offset in logged}) == 1
        events = folder / "events"
        assert recorded(events) == {key: len(numbers) for key, numbers in expected.items()}
        assert judged(events).overall == "pass", judged(events)
        spread = max(spreads(rows, dict.fromkeys(expected, self.last)))
        assert spread <= DRIFT
        count = sum(len(each.numbers) for each in rows)
        return f"{count} rows, none lost, none twice; the spread was {spread} ms at most, of {DRIFT}"
