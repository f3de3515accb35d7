"""The interface of a log for `register_log`, which is read under watermark alignment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pyspark.sql.types import StructType

from tidegauge_spark.source.planning.broken_log import BrokenLogError


class LostRecordsError(BrokenLogError):
    """Records have vanished from a log before they were read."""


class SplitRange(NamedTuple):
    """The positions of a split that can be read now: from `begin` to `end`, excluded.

    complete: whether the split gets no more records. A complete split that is read does not hold back the
    watermark.
    """

    begin: int
    end: int
    complete: bool = False


class RecordTimes(NamedTuple):
    """The event times of some consecutive records of a split.

    positions: the positions of the records, in ascending order. times: the event time of each record (ms
    since 1970), -2^63 for a record without one. until: the position before which these are all records;
    records from there on are not included.
    """

    positions: Sequence[int]
    times: Sequence[int]
    until: int


class SplitLog(ABC):
    """A log of several splits, each a sequence of records at positions that are whole numbers.

    Positions ascend and need not be dense. A record keeps its position and never changes: the positions in a
    checkpoint are read again after a crash. The log is pickled to the executors, which call `read`, and also
    `splits` where records were lost; it should therefore connect when it is first used. For a failure that
    the user has to fix, raise a `BrokenLogError` with one line that names the split, the problem and the
    remedy.
    """

    @property
    @abstractmethod
    def identity(self) -> str:
        """A description of the log. A checkpoint with another identity is rejected."""

    @property
    @abstractmethod
    def schema(self) -> StructType:
        """The columns of the rows."""

    @property
    @abstractmethod
    def event_time_column(self) -> str:
        """The column with the event time: a timestamp, or a whole number of milliseconds since 1970."""

    @abstractmethod
    def splits(self) -> Mapping[str, SplitRange]:
        """Return the present splits, by name. The driver calls this at each planning."""

    @abstractmethod
    def event_times(self, split: str, first: int, end: int) -> RecordTimes:
        """Return the event times of the next records from a position on, before the position `end`.

        The result may cover any number of records, such as some thousands, but `until` has to be greater than
        `first`. The driver caches the result, and requests the records after it later. Times are at least
        -2^63 and less than 2^63 - 1.
        """

    @abstractmethod
    def read(self, split: str, first: int, end: int) -> Iterator[Any]:
        """Yield all records from a position on, before the position `end`, in order.

        They are `pyarrow.RecordBatch` objects, with the columns of `schema` in Spark's Arrow types.
        """

    def starts(self) -> Mapping[str, int]:
        """Return the initial positions of a query that starts for the first time, by split.

        Splits that are not named, or appear later, are read from the begin of their range. By default that
        applies to all splits.
        """
        return {}

    def generations(self) -> Mapping[str, str]:
        """Return an identity for each part of the log, such as a topic.

        The identity changes when the part is deleted and recreated. The driver calls this at each planning.
        If a generation changes, positions refer to other records, so the query fails. Parts may be added. By
        default there are none.
        """
        return {}

    def ended(self) -> bool:
        """Return whether no other splits will come: at the end of all of them the watermark is `MAX`."""
        return False

    def seek(self, split: str, time: int) -> int | None:
        """Return the position of the first record of a split whose event time is at least `time` (ms).

        It is the end of the split if there is no such record, and None if the log has no index for this
        lookup, as by default. With an index a planning can advance far without reading all event times in
        between. The watermark then follows the last record of a batch, which may be earlier than the greatest
        event time by the out-of-orderness, and is never later.
        """
        return None

    def close(self) -> None:  # noqa: B027, a log need not do it
        """Release connections: the query has stopped."""
