"""What a log has to say to be read under watermark alignment: the interface of `register_log`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pyspark.sql.types import StructType

from tidegauge_spark.source.planning.broken_log import BrokenLogError


class LostRecordsError(BrokenLogError):
    """Records have vanished from a log before they were read."""


class SplitRange(NamedTuple):
    """Which positions of a split can be read now: `begin`, and those after it up to `end`, which is excluded.

    complete: whether the split gets no more records. A complete split that is read does not hold back the
    watermark.
    """

    begin: int
    end: int
    complete: bool = False


class RecordTimes(NamedTuple):
    """The event times of some records of a split that follow one another.

    positions: where the records are, in ascending order. times: the event time of each (ms since 1970), -2^63
    for a record without one. until: the position up to which these are all records; those from there on are
    not in here.
    """

    positions: Sequence[int]
    times: Sequence[int]
    until: int


class SplitLog(ABC):
    """A log of several splits, each a sequence of records at positions that are whole numbers.

    Positions ascend and need not be dense. A record keeps its position and never changes: what a checkpoint
    names is read again after a crash. The log is pickled to the executors, which call `read`, and `splits`
    where records were lost; it should therefore connect to what it reads when it is first asked. A failure
    that the user has to mend is best a `BrokenLogError` with one line that names the split, what is wrong,
    and the remedy.
    """

    @property
    @abstractmethod
    def identity(self) -> str:
        """What is read, in words. A checkpoint is refused if it was made with another identity."""

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
        """Return the splits that there are now, by name. The driver asks at each planning."""

    @abstractmethod
    def event_times(self, split: str, first: int, end: int) -> RecordTimes:
        """Return the event times of the next records from a position on, before the position `end`.

        It may be any number of them, such as some thousands, but `until` has to be greater than `first`. The
        driver keeps the answer, and asks again behind it. Times are at least -2^63 and less than 2^63 - 1.
        """

    @abstractmethod
    def read(self, split: str, first: int, end: int) -> Iterator[Any]:
        """Yield all records from a position on, before the position `end`, in order.

        They come as `pyarrow.RecordBatch`, with the columns of `schema` as Spark has them in Arrow.
        """

    def starts(self) -> Mapping[str, int]:
        """Return where a query begins that starts for the first time, by split.

        Splits that are not named, or appear later, are read from the begin of their range: that is the
        default for all of them.
        """
        return {}

    def ended(self) -> bool:
        """Return whether no other splits will come: at the end of all of them the watermark is `MAX`."""
        return False

    def seek(self, split: str, time: int) -> int | None:
        """Return the position of the first record of a split whose event time is at least `time` (ms).

        It is the end of the split if there is no such record, and None if the log has no index to look this
        up, as by default. With an index a planning can go far without reading all event times in between:
        then the watermark follows the last record of a batch, which may be earlier than the greatest event
        time by the out-of-orderness, and is never later.
        """
        return None

    def close(self) -> None:  # noqa: B027, a log need not do it
        """The query has stopped: let go of connections."""
