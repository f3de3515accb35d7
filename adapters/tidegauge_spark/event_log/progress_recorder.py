"""The event log of a query of Spark's own: what the progress of its micro-batches shows of event time."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pyarrow import BufferReader, concat_tables, parquet
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryProgress,
)

from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.event_log.log_files import LogRow, table_of, write_whole, writing
from tidegauge_spark.event_log.progress_times import milliseconds_of
from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, S3Settings
from tidegauge_spark.places.writable_folder import WritableFolder
from tidegauge_spark.progress_listener import ProgressListener

QUERY: Final = ""
"""What the log calls the operator that has the watermark of the query; the inputs are its channels."""

_NUMBERS: Final = b"tidegauge.rows"
_PARQUET: Final = ".parquet"


@dataclass
class _Known:
    """What is known of a query. rows: how many rows each operator has in the log. reached: the greatest event
    time of each field of each input. watermark: that of the query. batch: the last one in the log."""

    rows: Counter[str] = field(default_factory=Counter)
    reached: dict[str, dict[str, int]] = field(default_factory=dict)
    watermark: int | None = None
    batch: int | None = None
    restarted: bool = False
    seen: set[str] = field(default_factory=set)


class ProgressRecorder(ProgressListener):
    """Writes an event log of each query of a session: `spark.streams.addListener(ProgressRecorder("logs"))`.

    A row tells what one micro-batch shows, by the time at which it began. The query's watermark is that with
    which the batch ran; Spark's initial one, 1970, is none. An operator with state is logged as
    "stateStoreSave-0", say: the watermark, the rows that it dropped as late, and how many it keeps. For a
    query with one source and one such operator the event time of late rows is the smallest of the batch: all
    of them are at least as late.

    Of the inputs Spark tells nothing, unless they are observed, with whole ms:

        orders = orders.observe("orders", unix_millis(max("at")).alias("at"))
        recorder = ProgressRecorder("logs", {"orders": "10 seconds"})  # the delay of withWatermark

    Each input is then a source of its own in the log, with the greatest event time of its batch, and a
    channel of the query. A metric with several fields has a split for each: observe
    `unix_millis(max(when(col("partition") == 0, col("at"))))` and so on, to see how far each of them is.

    What happens within a micro-batch does not show, and a batch whose progress Spark does not deliver, since
    the driver was killed, is a gap in the log. Spark logs what a recorder raises, `EventLogError` say, and
    the query continues.
    """

    def __init__(
        self,
        folder: str | Path,
        inputs: Mapping[str, str] | None = None,
        s3: S3Settings = FROM_ENVIRONMENT,
    ) -> None:
        """Create a recorder.

        folder: a folder on the driver's machine, or `s3://bucket/folder`; each query gets a sub-folder.
        inputs: the delay of each input, by the name of its metric. s3: the connection settings for S3. Raises
        `ValueError` for a delay that is not a duration, and for a store that is not supported.
        """
        self._folder = WritableFolder.of(folder, s3)
        self._delays = {name: _delay(name, text) for name, text in (inputs or {}).items()}
        self._lock = threading.Lock()
        self._queries: dict[str, _Known] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Know of a query what its log says."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Write what a micro-batch shows."""
        self.progressed(event.progress)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Forget a query that has ended."""
        with self._lock:
            self._queries.pop(str(event.id), None)

    def progressed(self, progress: StreamingQueryProgress) -> None:
        """Take the progress of a query, such as `StreamingQuery.lastProgress` where there are no events.

        A batch that is in the log already is left out. Raises `EventLogError` if it cannot be written.
        """
        query = str(progress.id)
        folder = self._folder.sub_folder(f"query-{quote(query, safe='')}")
        with self._lock:
            known = self._queries.get(query)
            if known is None:
                known = self._queries[query] = _known_of(folder)
            if known.batch is not None and progress.batchId <= known.batch:
                return
            if known.batch is not None and progress.batchId > known.batch + 1:
                known.rows.update(known.rows.keys())  # a number that no row gets: batches are missing
            job, at = progress.name or query, milliseconds_of(progress.timestamp)
            by_operator = _rows_of(progress, known, self._delays)
            tables = []
            for operator, rows in by_operator.items():
                if known.restarted and operator not in known.seen and known.rows[operator]:
                    rows.insert(0, LogRow(0, "restarted"))
                known.seen.add(operator)
                tables.append(table_of(job, operator, at, rows, [known.rows[operator]]))
                known.rows[operator] += len(rows)
            known.batch = progress.batchId
            if tables:
                numbers = json.dumps(dict(known.rows)).encode()
                whole = concat_tables(tables).replace_schema_metadata({_NUMBERS: numbers})
                write_whole(folder, f"{progress.batchId:012}.parquet", whole)


def _known_of(folder: WritableFolder) -> _Known:
    """What the log of a query says when the query starts."""
    with writing(folder):
        written = [name for name in folder.names() if name.endswith(_PARQUET)]
        if not written:
            return _Known()
        metadata = parquet.read_schema(BufferReader(folder.read(written[-1]))).metadata
    batch = int(written[-1].removesuffix(_PARQUET))
    return _Known(Counter(json.loads(metadata[_NUMBERS])), batch=batch, restarted=True)


def _rows_of(
    progress: StreamingQueryProgress, known: _Known, delays: Mapping[str, int]
) -> dict[str, list[LogRow]]:
    """What a micro-batch shows, by operator; `known` is then as of its end.

    A batch runs with the watermark that the ones before it have brought about. So that comes first, then what
    is dropped by it, and then the inputs, which the next batch follows.
    """
    rows: dict[str, list[LogRow]] = {}
    watermark = _watermark(progress)
    has_risen = watermark is not None and watermark != known.watermark
    if has_risen:
        rows.setdefault(QUERY, []).append(LogRow(0, "watermark", watermark))
    known.watermark = watermark
    least = progress.eventTime.get("min")
    is_alone = len(progress.stateOperators) == len(progress.sources) == 1
    for number, operator in enumerate(progress.stateOperators):
        own = rows.setdefault(f"{operator.operatorName}-{number}", [])
        if has_risen:
            own.append(LogRow(0, "watermark", watermark))
        if operator.numRowsDroppedByWatermark:
            late = milliseconds_of(least) if is_alone and least is not None else None
            own.append(LogRow(0, "late", late, count=operator.numRowsDroppedByWatermark))
        own.append(LogRow(0, "state-size", count=operator.numRowsTotal))
    for channel, (name, delay) in enumerate(delays.items()):
        observed = progress.observedMetrics.get(name)
        times = {} if observed is None else observed.asDict()
        present = {part: time for part, time in times.items() if time is not None}
        if present:
            reached = known.reached.setdefault(name, {})
            rows[name] = list(_of_input(present, len(times) > 1, reached, delay))
            brought = LogRow(0, "watermark", max(reached.values()) - delay, channel=channel)
            rows.setdefault(QUERY, []).append(brought)
    return rows


def _of_input(
    times: Mapping[str, int], has_splits: bool, reached: dict[str, int], delay: int
) -> Iterator[LogRow]:
    """What an input shows: its records, and the watermark that Spark takes from it, which is that of the
    record that is furthest ahead, of whatever split."""
    before = max(reached.values(), default=None)
    for split, time in times.items():
        reached[split] = max(time, reached.get(split, time))
        yield LogRow(0, "record", time, split=split if has_splits else "")
        if has_splits:
            yield LogRow(0, "watermark", reached[split] - delay, split=split)
    now = max(reached.values())
    if before is None or now > before:
        yield LogRow(0, "watermark", now - delay)


def _watermark(progress: StreamingQueryProgress) -> int | None:
    """The watermark of a micro-batch (ms), None if there is none yet."""
    text = progress.eventTime.get("watermark")
    watermark = 0 if text is None else milliseconds_of(text)
    return watermark or None


def _delay(name: str, text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as problem:
        raise ValueError(f"the delay of the input {name!r}: the duration {text!r} {problem}") from None
