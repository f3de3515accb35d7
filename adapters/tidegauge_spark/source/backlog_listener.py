"""Which running queries are in backlog, for the program that has started them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)


class BacklogChange(NamedTuple):
    """A source has got into backlog, or out of it.

    query_id: of the query, the same after a restart. query_name: None if it has none. source: the identity of
    the source. batch_id: the micro-batch at the end of which it was so. backlog: what it is from now on.
    """

    query_id: str
    query_name: str | None
    source: str
    batch_id: int
    backlog: bool


class _Known(NamedTuple):
    """What is known of a query: its name, and the sources that have said whether they are in backlog."""

    name: str | None
    sources: Mapping[str, bool]


class BacklogListener(StreamingQueryListener):
    """Tells which sources of running queries are in backlog: `spark.streams.addListener(BacklogListener())`.

    A source is in backlog while one of its subtasks is (BACKLOG-8). It says so in its offset, after
    "spark.tidegauge.backlog.watermarkLagThreshold" was set and `register(spark)` called. A source is named by
    its identity, which stays the same over restarts; it is the column source of a source without sourceName.
    Sources of other formats are not looked at. What is told is as of the end of the last micro-batch that
    Spark has reported; a query that has ended is forgotten.
    """

    def __init__(self, on_change: Callable[[BacklogChange], None] | None = None) -> None:
        """on_change: called when a source gets into backlog or out of it, and at first if it is in backlog.

        It is called in a thread of Spark's, one change at a time. Spark logs what it raises, and goes on.
        """
        self._on_change = on_change
        self._lock = threading.Lock()
        self._queries: dict[str, _Known] = {}

    def in_backlog(self, query: str) -> bool | None:
        """Return whether a source of the query is in backlog, None if none of them has said anything.

        query: its name or its id.
        """
        sources = self.sources_in_backlog(query)
        return any(sources.values()) if sources else None

    def sources_in_backlog(self, query: str) -> dict[str, bool]:
        """Return which sources of the query, by identity, are in backlog; those that said nothing are not
        listed.

        query: its name or its id.
        """
        with self._lock:
            for query_id, known in self._queries.items():
                if query in (query_id, known.name):
                    return dict(known.sources)
        return {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Know nothing about a query that starts."""
        with self._lock:
            self._queries[str(event.id)] = _Known(event.name, {})

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Take what the sources of a query say at the end of a micro-batch."""
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
    """Return identity and flag of the source that has written an offset; none if it is of another format,
    or none of its subtasks has said anything."""
    try:
        stored = json.loads(offset) if isinstance(offset, str) else offset
        source, flags = stored["source"], stored["signals"]["state"]["backlog"]
        told = [flag for flag in flags if isinstance(flag, bool)]
    except (KeyError, TypeError, ValueError, IndexError):
        return []
    return [(source, any(told))] if isinstance(source, str) and told else []
