"""The check that Spark's watermark follows what the sources of a query say, while the query runs.

Nothing in Spark promises that the rows which say a watermark reach it. Its optimizer may learn to move
filters past the one that takes these rows out: then no window would ever fire, and nothing would tell.
"""

from __future__ import annotations

import atexit
import json
import logging
import shutil
import tempfile
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from tidegauge_spark.event_log.progress_times import milliseconds_of
from tidegauge_spark.source.planning.standing import CHECK, COMPANION, SAID_WATERMARK
from tidegauge_spark.source.session_listeners import listen_once

_LOG = logging.getLogger("tidegauge_spark")


class SourceProgress(NamedTuple):
    """What the progress of a query shows of a source.

    said: its watermark (ms), None if it says none. moved: whether the batch has rows of it. check: the file
    in which it is told of a loss.
    """

    said: int | None
    moved: bool
    check: Path


@dataclass
class WatermarkFollower:
    """The watermark that one run of a query has to have, from what its sources have said.

    said: the last word of each source in this run (ms), None before. reported: whether a loss was.
    """

    said: dict[int, int | None] = field(default_factory=dict)
    reported: bool = False

    def loss(self, watermark: int, largest: int | None, sources: list[SourceProgress]) -> str | None:
        """Take the progress of a batch; return what is wrong with it, None if nothing is.

        Args:
            watermark: Spark's watermark in this batch, in ms, from what was said in earlier ones.
            largest: what Spark found in this batch where a watermark stands, in ms; None if nothing.
            sources: all sources of the query.
        """
        due = self._smallest(len(sources))
        for number, source in enumerate(sources):
            if source.moved and source.said is not None:
                self.said[number] = source.said
        if due is not None and watermark < due:
            return f"its sources have said {due} ms, and the watermark of the query is {watermark} ms"
        if len(sources) > 1 or not sources[0].moved or sources[0].said is None:
            return None
        if largest is None or largest < sources[0].said:
            return f"its source has said {sources[0].said} ms, and Spark has found {largest} ms"
        return None

    def _smallest(self, sources: int) -> int | None:
        said = [self.said.get(number) for number in range(sources)]
        return None if None in said else min((each for each in said if each is not None), default=None)


class WatermarkCheck(StreamingQueryListener):
    """Ends a query whose watermark does not follow its sources: these fail at their next planning."""

    def __init__(self) -> None:
        self._runs: dict[uuid.UUID, WatermarkFollower] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Nothing is known of a query that starts."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Look at a query all of whose sources say their watermark."""
        progress = event.progress
        known = _saying(progress.sources)
        shown = progress.eventTime.get("watermark")
        if shown is None or not known:
            return
        latest = progress.eventTime.get("max")
        largest = None if latest is None else milliseconds_of(latest)
        follower = self._runs.setdefault(progress.runId, WatermarkFollower())
        loss = follower.loss(milliseconds_of(shown), largest, known)
        if loss is not None and not follower.reported:
            follower.reported = True
            end_query([source.check for source in known], loss)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Forget a query."""
        self._runs.pop(event.runId, None)


def end_query(checks: Iterable[Path], loss: str) -> None:
    """Let the sources that look for these files end their query, with one line."""
    line = (
        f"the rows that say the watermark do not reach it: {loss}; use the version of Spark that "
        "tidegauge_spark was tested with, and report the plan of the query"
    )
    _LOG.error("%s", line)
    for check in checks:
        with suppress(OSError):
            check.write_text(line, encoding="utf-8")


def _saying(sources: Iterable[Any]) -> list[SourceProgress]:
    """Return the sources that say their watermark, or none if other sources have a watermark of their own.

    A companion says the watermark of a reader beside it, which shows none itself.
    """
    every = list(sources)
    known = [_source(each) for each in every]
    companions = sum(COMPANION in (each.latestOffset or "") for each in every)
    return [each for each in known if each is not None] if known.count(None) <= companions else []


def _source(progress: Any) -> SourceProgress | None:
    """Return what a source shows, None if it says no watermark to Spark."""
    try:
        shown = json.loads(progress.latestOffset)
        said, check = shown[SAID_WATERMARK], Path(shown[CHECK])
    except (KeyError, TypeError, ValueError):
        return None
    if check.parent != _folder.path:
        return None
    return SourceProgress(said, progress.startOffset != progress.endOffset, check)


class _Folder:
    """The folder of this process in which losses are reported."""

    path: Path | None = None

    def new_file(self) -> Path:
        if self.path is None:
            self.path = Path(tempfile.mkdtemp(prefix="tidegauge-watermarks-"))
            atexit.register(shutil.rmtree, self.path, ignore_errors=True)
        return self.path / str(uuid.uuid4())


_folder = _Folder()


def checked_in(spark: SparkSession) -> Path:
    """Return a file in which a source will find that its watermark is lost. The session gets its check."""
    listen_once(spark, WatermarkCheck)
    return _folder.new_file()
