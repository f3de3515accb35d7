"""A listener that reports which running queries are in backlog."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryProgress,
)

from tidegauge_spark.progress_listener import ProgressListener
from tidegauge_spark.source.planning.sealed_offset import without_progress


class BacklogChange(NamedTuple):
    """A source has entered backlog or left it.

    query_id: the id of the query, the same after a restart. query_name: None if it has none. source: the
    identity of the source. batch_id: the micro-batch at whose end the change was reported. backlog: whether
    the source is in backlog from now on.
    """

    query_id: str
    query_name: str | None
    source: str
    batch_id: int
    backlog: bool


class _Known(NamedTuple):
    """A query: its name, and the backlog flag of each source that has reported one."""

    name: str | None
    sources: Mapping[str, bool]


class BacklogListener(ProgressListener):
    """Reports which sources of running queries are in backlog:
    `spark.streams.addListener(BacklogListener())`.

    A source is in backlog while one of its subtasks is (BACKLOG-8). Its offset says so if
    `spark.tidegauge.backlog.watermarkLagThreshold` was set before `register(spark)` was called. Sources are
    listed by identity, which stays the same over restarts; it is the value of the column source of a source
    without sourceName. Sources of other formats are ignored. The answers are as of the end of the last
    micro-batch that Spark has reported. Queries that have ended are forgotten.
    """

    def __init__(self, on_change: Callable[[BacklogChange], None] | None = None) -> None:
        """on_change: called when a source enters or leaves backlog, and at first if it is in backlog.

        It is called in a thread of Spark, one change at a time. If it raises, Spark logs the error and
        continues.
        """
        self._on_change = on_change
        self._lock = threading.Lock()
        self._queries: dict[str, _Known] = {}

    def in_backlog(self, query: str) -> bool | None:
        """Return whether a source of the query is in backlog, None if no source has reported it.

        query: its name or its id.
        """
        sources = self.sources_in_backlog(query)
        return any(sources.values()) if sources else None

    def sources_in_backlog(self, query: str) -> dict[str, bool]:
        """Return which sources of the query are in backlog, by identity; sources that have not reported it
        are omitted.

        query: its name or its id.
        """
        with self._lock:
            for query_id, known in self._queries.items():
                if query in (query_id, known.name):
                    return dict(known.sources)
        return {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Start without knowledge of the query."""
        with self._lock:
            self._queries[str(event.id)] = _Known(event.name, {})

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Take the backlog flags of the sources of a query at the end of a micro-batch."""
        self.progressed(event.progress)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Forget a query that has ended."""
        with self._lock:
            self._queries.pop(str(event.id), None)

    def progressed(self, progress: StreamingQueryProgress) -> None:
        """Take the progress of a query, such as `StreamingQuery.lastProgress` where there are no events."""
        query_id = str(progress.id)
        said = dict(each for source in progress.sources for each in _said(source.endOffset))
        with self._lock:
            before = self._queries.get(query_id, _Known(progress.name, {})).sources
            self._queries[query_id] = _Known(progress.name, {**before, **said})
        if self._on_change is None:
            return
        for source, backlog in said.items():
            if backlog != before.get(source, False):
                self._on_change(BacklogChange(query_id, progress.name, source, progress.batchId, backlog))


def _said(offset: Any) -> list[tuple[str, bool]]:
    """Return identity and flag of the source that has written an offset; empty if the source has another
    format, or none of its subtasks has reported a flag."""
    try:
        stored = json.loads(offset) if isinstance(offset, str) else offset
        stored = without_progress(stored)
        source, flags = stored["source"], stored["signals"]["state"]["backlog"]
        told = [flag for flag in flags if isinstance(flag, bool)]
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        return []
    return [(source, any(told))] if isinstance(source, str) and told else []
