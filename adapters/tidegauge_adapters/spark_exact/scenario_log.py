"""The log of a scenario: the feed of each micro-batch is written before the query starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import LongType, StringType, StructField, StructType

from tidegauge_spark.source.logs.split_log import RecordTimes, SplitLog, SplitRange
from tidegauge_spark.source.planning.broken_log import BrokenLogError

FORMAT: Final = "tidegauge-exact"
OPTIONS: Final = ("feeds",)
END_OF_FEEDS: Final = "the scenario has no more feeds"

EVENT_TIME: Final = "milliseconds"
COLUMNS: Final = StructType(
    [
        StructField("history", StringType()),
        StructField("record", LongType()),
        StructField(EVENT_TIME, LongType()),
        StructField("gap", LongType()),
    ]
)
_WITHOUT_TIME: Final = -(2**63)


@dataclass
class Feed:
    """The additions to the log when a micro-batch is planned.

    rows: the records by split, with the columns of `COLUMNS`. A split that is named here is listed, even
    without a record. complete: the splits that get no more records. ended: whether no other splits will come.
    """

    rows: dict[str, list[list[Any]]] = field(default_factory=dict)
    complete: list[str] = field(default_factory=list)
    ended: bool = False

    def to_json(self) -> str:
        """Return the feed as one line."""
        return json.dumps({"rows": self.rows, "complete": self.complete, "ended": self.ended})


def write_feeds(path: Path, feeds: Sequence[Feed], first: int) -> None:
    """Write feeds into the file of a log, one line each. first: the feed that the next planning finds,
    together with all before it."""
    lines = [json.dumps({"first": first}), *(feed.to_json() for feed in feeds)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class ScenarioLog(SplitLog):
    """A log that has one more feed at each planning. After the last feed it raises `BrokenLogError`, which
    ends the query."""

    schema = COLUMNS
    event_time_column = EVENT_TIME

    def __init__(self, path: str) -> None:
        """path: the file of the feeds."""
        self._path = path
        self._planned = 0
        self._feeds: list[Feed] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ScenarioLog, (self._path,)

    @property
    def identity(self) -> str:
        """Return the identity of the log: its file."""
        return f"the feeds of {self._path}"

    def splits(self) -> Mapping[str, SplitRange]:
        """Return the splits, with one more feed than before."""
        feeds = self._all()
        if self._planned >= len(feeds):
            raise BrokenLogError(END_OF_FEEDS)
        self._planned += 1
        counts: dict[str, int] = {}
        complete: set[str] = set()
        for feed in feeds[: self._planned]:
            complete.update(feed.complete)
            for split, rows in feed.rows.items():
                counts[split] = counts.get(split, 0) + len(rows)
        return {split: SplitRange(0, count, split in complete) for split, count in counts.items()}

    def ended(self) -> bool:
        """Return whether the newest feed says that no other splits will come."""
        return self._all()[self._planned - 1].ended

    def event_times(self, split: str, first: int, end: int) -> RecordTimes:
        """Return the event times of all records between two positions."""
        rows = self._rows(split, first, end)
        times = [_WITHOUT_TIME if row[2] is None else row[2] for row in rows]
        return RecordTimes(range(first, first + len(rows)), times, first + len(rows))

    def read(self, split: str, first: int, end: int) -> Iterator[Any]:
        """Yield the records between two positions."""
        columns = zip(*self._rows(split, first, end), strict=True)
        types = (pa.string(), pa.int64(), pa.int64(), pa.int64())
        arrays = [pa.array(column, type_) for column, type_ in zip(columns, types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=COLUMNS.names)

    def _rows(self, split: str, first: int, end: int) -> list[list[Any]]:
        return [row for feed in self._all() for row in feed.rows.get(split, ())][first:end]

    def _all(self) -> list[Feed]:
        if self._feeds is None:
            head, *lines = Path(self._path).read_text(encoding="utf-8").splitlines()
            self._planned = json.loads(head)["first"]
            self._feeds = [Feed(**json.loads(line)) for line in lines]
        return self._feeds


def open_log(options: Mapping[str, str]) -> SplitLog:
    """Return the log that the own options of a reader name."""
    return ScenarioLog(options["feeds"])
