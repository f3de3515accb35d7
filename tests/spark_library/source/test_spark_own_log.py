"""The interface for logs, with a log in memory: what a planning takes, and what a faulty log is told."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType
from spark_programs.driven_log import DrivenLog
from spark_programs.event_logs import judged, recorded

from tidegauge_spark import BrokenLogError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.logs.position import LogPosition
from tidegauge_spark.source.logs.reader import AlignedLogReader
from tidegauge_spark.source.logs.reading import KnownTimes, LogReading
from tidegauge_spark.source.logs.rows import log_schema
from tidegauge_spark.source.logs.split_log import RecordTimes, SplitLog, SplitRange
from tidegauge_spark.source.options.added_columns import AddedColumns
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.own_log import register_log
from tidegauge_spark.source.planning.future_guard import FutureGuard
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

Records = Mapping[str, Mapping[int, int]]
"""The event time of each record, by position, of each split."""

UNGUARDED = FutureGuard(None, lambda: 0)

ALIGNED = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "100ms"}


class MemoryLog(SplitLog):
    """A log in memory, of which the driver learns `window` event times at once."""

    schema = StructType([StructField("text", StringType()), StructField("at", LongType())])
    event_time_column = "at"

    def __init__(
        self, records: Records, window: int = 3, indexed: bool = False, complete: bool = True
    ) -> None:
        self.records, self.window, self.indexed, self.complete = records, window, indexed, complete
        self.begins: dict[str, int] = {}
        self.name = min(records, default="")

    @property
    def identity(self) -> str:
        return f"memory of {self.name}"

    def splits(self) -> Mapping[str, SplitRange]:
        return {
            split: SplitRange(self.begins.get(split, 0), max(records, default=-1) + 1, self.complete)
            for split, records in self.records.items()
        }

    def event_times(self, split: str, first: int, end: int) -> RecordTimes:
        positions = [position for position in sorted(self.records[split]) if first <= position < end]
        until = positions[self.window] if len(positions) > self.window else end
        found = positions[: self.window]
        return RecordTimes(found, [self.records[split][position] for position in found], until)

    def seek(self, split: str, time: int) -> int | None:
        if not self.indexed:
            return None
        later = [position for position, each in self.records[split].items() if each >= time]
        return min(later, default=max(self.records[split]) + 1)

    def read(self, split: str, first: int, end: int) -> Iterator[Any]:
        found = [position for position in sorted(self.records[split]) if first <= position < end]
        texts = [f"{split}/{position}" for position in found]
        times = [self.records[split][position] for position in found]
        yield pa.RecordBatch.from_pydict(
            {"text": pa.array(texts, pa.string()), "at": pa.array(times, pa.int64())}
        )


def driven(log: SplitLog, **options: str) -> DrivenLog:
    return DrivenLog(parse_options({"clockStep": "1ms", **options}, own=()), log)


def texts_of(records: Records) -> list[str]:
    return sorted(f"{split}/{position}" for split, found in records.items() for position in found)


@pytest.mark.parametrize("window", [1, 3, 1000])
@pytest.mark.parametrize(("indexed", "without_times"), [(False, False), (True, False), (False, True)])
def test_all_records_come_once_in_order_and_within_the_drift(
    window: int, indexed: bool, without_times: bool
) -> None:
    records = {"a": {n: n * 10 for n in range(300)}, "b": {2 * n + 5: n * 25 for n in range(100)}}
    if without_times:  # the first record of each, and others
        records["a"] |= dict.fromkeys(range(0, 300, 7), MIN)
        records["b"] |= dict.fromkeys([5, 7, 105, 107], MIN)
    query = driven(MemoryLog(records, window, indexed), maxRowsPerTrigger="70", numSubtasks="2", **ALIGNED)
    query.run(2)
    query.run()
    assert sorted(query.column("text")) == texts_of(records)
    for split in records:
        mine = [text for text in query.column("text") if text.startswith(split)]
        assert mine == sorted(mine, key=lambda text: int(text[2:]))
    apart = [max(latest.values()) - min(latest.values()) for latest in query.latest()[:-2]]
    assert max(apart) <= 100 + 25


def test_without_alignment_the_fast_split_runs_ahead() -> None:
    records = {"a": {n: n * 10 for n in range(300)}, "b": {n: n for n in range(300)}}
    query = driven(MemoryLog(records), maxRowsPerTrigger="100")
    query.run()
    assert max(max(latest.values()) - min(latest.values()) for latest in query.latest()) > 1000


def test_an_index_takes_what_is_taken_without_it() -> None:
    draw = random.Random(7)
    for _ in range(200):
        times = [n * 10 + draw.randrange(40) for n in range(80)]
        positions = sorted(draw.sample(range(200), len(times)))
        records = {"a": dict(zip(positions, times, strict=True))}
        admitted = draw.randrange(900)
        found = []
        for indexed in (False, True):
            log = MemoryLog(records, window=4, indexed=indexed)
            reading = LogReading("a", LogPosition(0, 0), log.splits()["a"], KnownTimes(log, UNGUARDED))
            reading.admitted = admitted
            reading.take(10**6)
            found.append(reading)
        scanned, jumped = found
        assert scanned.position.next == jumped.position.next
        assert scanned.position.latest - 40 <= jumped.position.latest <= scanned.position.latest
        taken = [time for position, time in records["a"].items() if position < scanned.position.next]
        assert scanned.position.latest == max(taken, default=scanned.position.latest)
        assert all(time <= admitted for time in taken)
        after = bisect_left(positions, scanned.position.next)
        assert after == len(positions) or times[after] > admitted


def test_of_a_split_that_is_held_back_nothing_is_read_not_even_records_without_an_event_time() -> None:
    records = {"a": {n: n * 10 for n in range(20)}, "b": {0: MIN, 1: MIN, 2: 1_000_000}}
    options = {"numSubtasks": "2", "splitAlignment": "false", "maxRowsPerTrigger": "10", **ALIGNED}
    query = driven(MemoryLog(records), **options)
    query.run(1)
    assert {text[0] for text in query.column("text")} == {"a"}
    query.run()
    assert sorted(query.column("text")) == texts_of(records)


def test_the_first_event_time_is_looked_for_once() -> None:
    records = {"a": {n: n if n in (12, 30) else MIN for n in range(40)}}
    log, asked = MemoryLog(records, window=1), []

    class Counted(KnownTimes):
        def _asked(self, split: str, first: int, end: int) -> RecordTimes:
            asked.append(first)
            return super()._asked(split, first, end)

    known, position = Counted(log, UNGUARDED), LogPosition(0, 0)
    for _ in range(12):
        for _ in range(3):
            assert LogReading("a", position, log.splits()["a"], known).next_time() == 12
        reading = LogReading("a", position, log.splits()["a"], known)
        reading.take(1)
        position = reading.position
    assert len(asked) == 13 + 11  # the parts up to the event time, and once more each that is read
    for _ in range(2):
        assert LogReading("a", LogPosition(0, 13), log.splits()["a"], known).next_time() == MIN
    assert LogReading("a", LogPosition(0, 14), log.splits()["a"], known).next_time() == MIN
    assert LogReading("a", LogPosition(0, 15), log.splits()["a"], known).next_time() == 30


def test_rows_are_limited_also_where_an_index_leads_further() -> None:
    log = MemoryLog({"a": {n: n for n in range(1000)}}, window=4, indexed=True)
    reading = LogReading("a", LogPosition(0, 0), log.splits()["a"], KnownTimes(log, UNGUARDED))
    assert reading.take(500) == 500
    assert (reading.position.next, reading.position.latest) == (500, 499)
    assert reading.slices == [(0, 500)]


def test_a_silent_split_that_is_idle_lets_the_others_go_on_and_the_query_end() -> None:
    records: Records = {"a": {n: n * 10 for n in range(50)}, "silent": {}}
    log = MemoryLog(records, complete=False)
    query = driven(log, idleTimeout="20ms", **ALIGNED)
    query.run()
    assert sorted(query.column("text")) == texts_of(records)


class StartingLog(MemoryLog):
    """A log in which a new query begins at the end of each split."""

    def starts(self) -> Mapping[str, int]:
        return {split: range_.end for split, range_ in self.splits().items()}


@pytest.mark.parametrize("kind", [MemoryLog, StartingLog])
def test_a_log_with_nothing_in_it_ends_with_an_idle_timeout(kind: type[MemoryLog]) -> None:
    log = kind({"a": {}}, complete=False)
    query = DrivenLog(parse_options({"idleTimeout": "20ms"}, own=()), log)  # on the wall clock
    query.run()
    assert query.column("text") == []
    assert query.offsets[-1]["signals"]["state"]["idle_splits"] == ["a"]


def test_a_query_begins_where_the_log_says_and_later_splits_from_their_beginning() -> None:
    log = StartingLog({"a": {0: 10, 1: 20}})
    query = driven(log)
    query.run()
    log.records = {"a": {0: 10, 1: 20, 2: 30}, "b": {0: 5}}
    query.run()
    assert query.column("text") == ["a/2", "b/0"]


def test_the_number_of_subtasks_may_change_over_a_restart() -> None:
    records = {"a": {n: n for n in range(50)}, "b": {n: n for n in range(50)}}
    query = driven(MemoryLog(records), maxRowsPerTrigger="30")
    query.run(2)
    query.options = parse_options({"clockStep": "1ms", "numSubtasks": "2"}, own=())
    query.run()
    assert sorted(query.column("text")) == texts_of(records)


def test_a_checkpoint_of_another_log_is_refused() -> None:
    query = driven(MemoryLog({"a": {1: 1, 2: 2}}), maxRowsPerTrigger="1")
    query.run(1)
    query.log = MemoryLog({"b": {1: 1, 2: 2}})
    with pytest.raises(IllegalOffsetError, match="is of memory of a, the options say memory of b"):
        query.run()


def test_records_that_vanish_before_they_are_read_are_an_error_unless_they_may() -> None:
    log = MemoryLog({"a": {n: n for n in range(10)}})
    query = driven(log, maxRowsPerTrigger="3")
    query.run(1)
    log.begins["a"] = 7
    with pytest.raises(BrokenLogError, match="the records 3 to 6 of the split 'a' .* have vanished"):
        query.run()
    query.options = parse_options({"failOnDataLoss": "false"}, own=())
    query.run()
    assert query.column("at") == [0, 1, 2, 7, 8, 9]


def test_a_log_that_makes_no_progress_is_told_so() -> None:
    class Stuck(MemoryLog):
        def event_times(self, split: str, first: int, end: int) -> RecordTimes:
            return RecordTimes([], [], first)

    with pytest.raises(ValueError, match=r"Stuck.event_times\('a', 0, 3\) returned 0 positions"):
        driven(Stuck({"a": {2: 2}})).run()


ONLY_THESE = (
    "there is no such option; there are numSubtasks, maxOutOfOrderness, failOnDataLoss, "
    "maxFutureEventTime, onFutureEventTime, watermarkGroup, maxAllowedWatermarkDrift, updateInterval, "
    "splitAlignment, coordinator, coordinatorTimeout, restartTimeout, sourcesInGroup, sourcesInQuery, "
    "clockStep, maxRowsPerTrigger, sourceName, progressColumn, watermarkColumn, lateColumn, "
    "watermarkCheck, eventLog, eventLogJob, fs.s3a.endpoint, fs.s3a.endpoint.region, "
    "fs.s3a.path.style.access, fs.s3a.connection.ssl.enabled, fs.s3a.aws.credentials.provider, "
    "fs.s3a.access.key, fs.s3a.secret.key, fs.s3a.session.token, fs.s3a.connection.establish.timeout, "
    "fs.s3a.connection.timeout, fs.s3a.attempts.maximum, inBandWatermarks, idleTimeout, "
    "maxRowsPerTriggerInBacklog, place"
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "/x"}, f"option path = '/x': {ONLY_THESE}"),
        ({"end": "5"}, f"option end = '5': {ONLY_THESE}"),
        ({"end.0": "5"}, f"option end.0 = '5': {ONLY_THESE}"),
        ({"topic": "x"}, f"option topic = 'x': {ONLY_THESE}"),
    ],
)
def test_options_of_other_sources_are_refused(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(IllegalOptionError) as error:
        parse_options(options, own=("place",))
    assert str(error.value) == message


@pytest.mark.parametrize("name", ["maxrowspertrigger", "numSubtasks", "watermarkLagThreshold"])
def test_an_own_option_that_the_source_has_is_refused(name: str) -> None:
    with pytest.raises(IllegalOptionError) as refusal:
        register_log(None, "letters", lambda _: None, options=("place", name))  # type: ignore[arg-type, return-value]
    assert str(refusal.value).startswith(f"own option {name!r} of the log 'letters': ")
    assert str(refusal.value).endswith(" is an option of the source; give it another name")


def test_options_of_the_log_reach_it_as_they_are_spelled() -> None:
    parsed = parse_options({"PLACE": "here", "path": "/there"}, own=("Place", "path"))
    assert parsed.log is not None
    assert parsed.log.own == {"Place": "here", "path": "/there"}


def test_a_progress_column_that_the_log_has_already_is_refused() -> None:
    with pytest.raises(
        IllegalOptionError, match="option progressColumn = 'AT': there is a column of that name"
    ):
        log_schema(MemoryLog({}), AddedColumns(progress="AT"))
    assert log_schema(MemoryLog({}), AddedColumns(progress="timestamp")).names == ["text", "at", "timestamp"]
    assert parse_options({"progressColumn": "timestamp"}, own=()).added.progress == "timestamp"


class Continuous:
    """A query that is not AvailableNow, as Spark drives it: it asks for the initial offset for each first batch."""

    def __init__(self, log: SplitLog, **options: str) -> None:
        self.reader = AlignedLogReader(parse_options({"clockStep": "1ms", **options}, own=()), log)
        self.offset = self.reader.initialOffset()
        self.is_first = True

    def batch(self) -> dict[str, Any]:
        end = self.reader.latestOffset(self.offset, self.reader.getDefaultReadLimit())
        self.reader.partitions(self.reader.initialOffset() if self.is_first else self.offset, end)
        self.is_first, self.offset = False, end
        return end


def test_a_log_that_grows_while_the_first_batch_is_planned_is_read_from_there() -> None:
    log = StartingLog({"a": {0: 10}}, complete=False)
    query = Continuous(log)
    log.records = {"a": {0: 10, 1: 20}}
    end = query.reader.latestOffset(query.offset, query.reader.getDefaultReadLimit())
    log.records = {"a": {0: 10, 1: 20, 2: 30}}
    restarted = Continuous(log)
    (partition,) = restarted.reader.partitions(restarted.reader.initialOffset(), end)
    assert [(split, tuple(part)) for split, part in partition.slices] == [("a", (1, 2))]


class EndingLog(MemoryLog):
    """A log that says whether other splits will come."""

    is_over = False

    def ended(self) -> bool:
        return self.is_over


def test_a_split_that_comes_after_all_others_are_complete_is_read() -> None:
    log = EndingLog({"mon": {0: 10}})
    query = Continuous(log, idleTimeout="1 second")
    for _ in range(3):
        query.batch()
    log.records = {"mon": {0: 10}, "tue": {0: 100, 1: 200}}
    assert list(query.batch()["slices"]) == ["tue"]
    log.is_over = True
    query.batch()
    assert query.batch()["watermarks"] == [MAX]


def test_a_split_that_vanishes_under_available_now_is_not_read_if_data_may_be_lost() -> None:
    log = MemoryLog({"a": {n: n * 10 for n in range(9)}, "b": {0: 1}}, complete=False)
    query = Continuous(log, failOnDataLoss="false", maxRowsPerTrigger="4")
    query.reader.prepareForTriggerAvailableNow()
    query.batch()
    log.records = {"b": {0: 1}}
    assert "a" not in query.batch()["slices"]


@pytest.mark.parametrize("indexed", [False, True])
def test_what_a_log_is_read_for_is_recorded(tmp_path: Path, indexed: bool) -> None:
    records = {"a": {n: n * 10 for n in range(300)}, "b": {2 * n + 5: n * 25 for n in range(100)}}
    log = MemoryLog(records, 3, indexed)
    options = {"maxRowsPerTrigger": "70", "numSubtasks": "2", "sourceName": "s", **ALIGNED}
    query = driven(log, eventLog=str(tmp_path), **options)
    query.run(2)
    query.run()
    assert judged(tmp_path).overall == "pass"
    counts = recorded(tmp_path)
    assert counts["s", 0] == 300
    assert counts["s", 1] >= 100  # with an index, positions count
