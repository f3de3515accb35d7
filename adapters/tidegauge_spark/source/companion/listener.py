"""The listener that reports to companions what Spark's own source has read in completed batches."""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryProgress,
)

from tidegauge_spark.event_log.progress_times import milliseconds_of
from tidegauge_spark.progress_listener import ProgressListener
from tidegauge_spark.source.companion.follower import Ends, ReaderBatch, ReaderFollower
from tidegauge_spark.source.companion.report import ReaderReport
from tidegauge_spark.source.companion.source import REPORT
from tidegauge_spark.source.companion.watched_reader import MAXIMA, WatchedReader
from tidegauge_spark.source.planning.broken_log import first_line
from tidegauge_spark.source.planning.standing import CHECK, COMPANION, SAID_WATERMARK
from tidegauge_spark.source.session_listeners import listen_once
from tidegauge_spark.source.watermark_check import end_query

_LOG = logging.getLogger("tidegauge_spark")

_watched: Final[dict[str, WatchedReader]] = {}
"""The readers that this process watches, by the name of their observation."""


class Companion(NamedTuple):
    """A companion in the progress of a batch. offset: its offset at the end of the batch. shown: its own
    progress."""

    offset: Mapping[str, Any]
    shown: Mapping[str, Any]


class _Followed:
    """A companion in one run of a query: what its reader has read, and the lookups that are running."""

    def __init__(self, reader: WatchedReader, known: Ends) -> None:
        self.reader = reader
        self.follower = ReaderFollower(self._look_up, known)
        self._lock = threading.Lock()
        self._lookups = 0
        self._report: tuple[Path, ReaderReport] | None = None

    def report(self, file: Path, round_: int, at: int, others: int | None) -> None:
        with self._lock:
            follower, complete = self.follower, self._lookups == 0
            maxima = dict(follower.maxima)
            report = ReaderReport(
                round=round_,
                at=at,
                ends=follower.ends,
                unread=follower.unread,
                maxima=maxima,
                complete=complete,
                others=others,
            )
            self._write(file, report)

    def _write(self, file: Path, report: ReaderReport) -> None:
        report.write(file)
        self._report = file, report

    def batch(self, uses: list[ReaderBatch], maxima: Mapping[str, int]) -> None:
        with self._lock:
            self.follower.batch(uses, maxima)

    def _look_up(self, stretches: dict[str, tuple[int, int]]) -> None:
        self._lookups += 1
        threading.Thread(target=self._looked_up, args=(stretches,), daemon=True).start()

    def _looked_up(self, stretches: dict[str, tuple[int, int]]) -> None:
        found: dict[str, int] = {}
        try:
            found = self.reader.look_up(stretches)
        except Exception as error:
            _LOG.warning(
                "event times of %s could not be read again: the watermark waits for newer records (%s)",
                ", ".join(sorted(stretches)),
                first_line(error),
            )
        with self._lock:
            self._lookups -= 1
            self.follower.add(found)
            if self._report is not None:
                file, last = self._report
                self._write(
                    file, replace(last, maxima=dict(self.follower.maxima), complete=self._lookups == 0)
                )


class ReaderListener(ProgressListener):
    """Writes a report for each companion of a query after each batch."""

    def __init__(self) -> None:
        self._runs: dict[uuid.UUID, dict[str, _Followed]] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Start without knowledge of the query."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Report to the companions among the sources of a query."""
        progress = event.progress
        for source in progress.sources:
            companion = _companion(source)
            if companion is None:
                continue
            try:
                self._report_to(companion, progress)
            except Exception as error:
                end_query([Path(companion.shown[CHECK])], f"its progress cannot be read ({error!r})")

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Forget a query."""
        self._runs.pop(event.runId, None)

    def _report_to(self, companion: Companion, progress: StreamingQueryProgress) -> None:
        name = companion.shown[COMPANION]
        reader = _watched[name]
        topics = {each.rpartition("-")[0] for each in reader.partitions}
        uses = [use for use in map(_use, progress.sources) if use is not None and _topics(use.end) == topics]
        if not uses:
            return
        known = {each: int(place[0]) for each, place in companion.offset["partitions"].items()}
        followed = self._runs.setdefault(progress.runId, {}).setdefault(name, _Followed(reader, known))
        observed = progress.observedMetrics.get(name)
        times = [] if observed is None else observed[MAXIMA] or []
        followed.batch(
            uses,
            {each: time for each, time in zip(reader.partitions, times, strict=False) if time is not None},
        )
        file = Path(companion.shown[REPORT])
        if companion.offset["run"] in file.name:
            at = milliseconds_of(progress.timestamp)
            followed.report(file, int(companion.offset["round"]), at, _others(progress, name))


def _companion(source: Any) -> Companion | None:
    try:
        offset, shown = json.loads(source.endOffset), json.loads(source.latestOffset)
    except (TypeError, ValueError):
        return None
    is_one = isinstance(shown, dict) and shown.get(COMPANION) in _watched and isinstance(offset, dict)
    return Companion(offset, shown) if is_one and "partitions" in offset else None


def _use(source: Any) -> ReaderBatch | None:
    """Return the use of a Kafka source in a batch, None if it is another source."""
    if not source.description.startswith("KafkaV2["):
        return None
    start, end, latest = (
        _ends(place) for place in (source.startOffset, source.endOffset, source.latestOffset)
    )
    return None if end is None else ReaderBatch(start, end, latest)


def _ends(written: str | None) -> Ends | None:
    try:
        topics = dict(json.loads(written or ""))
    except (TypeError, ValueError):
        return None  # Spark writes "null" or "None" in its place
    return {f"{topic}-{number}": end for topic, ends in topics.items() for number, end in ends.items()}


def _topics(ends: Ends) -> set[str]:
    return {name.rpartition("-")[0] for name in ends}


def _others(progress: StreamingQueryProgress, name: str) -> int | None:
    """Return the smallest watermark (ms) of the other sources that report one and are not idle.

    None if there is no such source, or if one of them has no watermark yet.
    """
    said = []
    for source in progress.sources:
        try:
            shown = json.loads(source.latestOffset)
            if shown.get(COMPANION) != name and shown["heldBy"]:
                said.append(shown[SAID_WATERMARK])
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return None if not said or None in said else min(said)


def watch(session: SparkSession, reader: WatchedReader) -> str:
    """Return the name under which a reader has to be observed; add the listener to the session."""
    name = f"tidegauge-{uuid.uuid4()}"
    _watched[name] = reader
    listen_once(session, ReaderListener)
    return name
