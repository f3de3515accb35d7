"""The check, while a query runs, that Spark's watermark follows the watermarks of its sources.

Spark does not promise that the rows with the watermark reach it. A later optimizer may move filters past the
filter that removes these rows: then no window would ever fire, and no error would be reported.
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
)

from tidegauge_spark.event_log.progress_times import milliseconds_of
from tidegauge_spark.progress_listener import ProgressListener
from tidegauge_spark.source.planning.standing import CHECK, COMPANION, SAID_WATERMARK
from tidegauge_spark.source.session_listeners import listen_once

_LOG = logging.getLogger("tidegauge_spark")


class SourceProgress(NamedTuple):
    """A source in the progress of a query.

    said: its watermark (ms), None if it has none. moved: whether the batch has rows of it. check: the file
    through which the source is notified of a loss.
    """

    said: int | None
    moved: bool
    check: Path


@dataclass
class WatermarkFollower:
    """The watermark that one run of a query should have, computed from the watermarks of its sources.

    said: the latest watermark of each source in this run (ms), None before the first. reported: whether a
    loss was reported.
    """

    said: dict[int, int | None] = field(default_factory=dict)
    reported: bool = False

    def loss(self, watermark: int, largest: int | None, sources: list[SourceProgress]) -> str | None:
        """Take the progress of a batch; return a description of the loss, None if there is none.

        Args:
            watermark: Spark's watermark in this batch, in ms, from the watermarks of earlier batches.
            largest: the largest value that Spark found in the watermark column in this batch, in ms; None if
                there was none.
            sources: all sources of the query.
        """
        due = self._smallest(len(sources))
        for number, source in enumerate(sources):
            if source.moved and source.said is not None:
                self.said[number] = source.said
        if due is not None and watermark < due:
            return f"its sources have reported {due} ms, and the watermark of the query is {watermark} ms"
        if len(sources) > 1 or not sources[0].moved or sources[0].said is None:
            return None
        if largest is None or largest < sources[0].said:
            return f"its source has reported {sources[0].said} ms, and Spark has found {largest} ms"
        return None

    def _smallest(self, sources: int) -> int | None:
        said = [self.said.get(number) for number in range(sources)]
        return None if None in said else min((each for each in said if each is not None), default=None)


class WatermarkCheck(ProgressListener):
    """Ends a query whose watermark does not follow its sources: they fail at their next planning."""

    def __init__(self) -> None:
        self._runs: dict[uuid.UUID, WatermarkFollower] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Start without knowledge of the query."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Check a query all of whose sources report their watermark."""
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
    """Write a loss to these files, so that the sources that check them end their query with one line."""
    line = (
        f"the rows that carry the watermark do not reach it: {loss}; use the version of Spark that "
        "tidegauge_spark was tested with, and report the plan of the query"
    )
    _LOG.error("%s", line)
    for check in checks:
        with suppress(OSError):
            check.write_text(line, encoding="utf-8")


def _saying(sources: Iterable[Any]) -> list[SourceProgress]:
    """Return the sources that report their watermark; empty if other sources have a watermark of their own.

    A companion reports the watermark of the reader beside it, which shows none itself.
    """
    every = list(sources)
    known = [_source(each) for each in every]
    companions = sum(COMPANION in (each.latestOffset or "") for each in every)
    return [each for each in known if each is not None] if known.count(None) <= companions else []


def _source(progress: Any) -> SourceProgress | None:
    """Return a source from its progress, None if it reports no watermark to Spark."""
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
    """Return the file through which a source is notified that its watermark is lost; add the check to the
    session."""
    listen_once(spark, WatermarkCheck)
    return _folder.new_file()
