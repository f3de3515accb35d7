"""The triggers of queries, for the readers of a PySpark that does not pass them on (before 4.2).

A reader plans in a process of its own. There the first call looks the same under each trigger, but under
AvailableNow Spark makes that call once, and reads nothing after the offset that it returns. A listener in the
driver writes the trigger of a query to a file before Spark creates the readers of the query.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
)

from tidegauge_spark.progress_listener import ProgressListener
from tidegauge_spark.source.session_listeners import listen_once
from tidegauge_spark.source.spark_connect import require_driver
from tidegauge_spark.spark_version import PYSPARK

AVAILABLE_NOW: Final = "AvailableNowTrigger"

WRAPPER_CONF: Final = "spark.sql.streaming.triggerAvailableNowWrapper.enabled"
"""Spark then runs another batch under AvailableNow if the watermark has risen, also for a source that reads
everything in one batch. Otherwise the query ends after that batch, before any window has fired."""

ONCE: Final = "OneTimeTrigger"

_SEVERAL: Final = "several"

_folders: Final[list[Path]] = []
"""The folder for the trigger files of this process; empty until `follow_triggers` creates the folder."""


class UnknownTriggerError(RuntimeError):
    """The trigger of a query is not known to its reader."""


class TriggerListener(ProgressListener):
    """Writes the trigger of each query of a session for the sources of the query.

    Spark waits for `onQueryStarted` before it creates the sources.
    """

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark, self._folder = spark, folder
        self._runs: dict[uuid.UUID, tuple[str, set[Path]]] = {}
        # Spark reports the start of a query in the thread that starts it, and the end in another thread.
        self._writing = threading.Lock()

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Write the trigger of a query to the files of its sources."""
        query: Any = self._spark._jsparkSession.streams().get(str(event.id)).streamingQuery()
        leaves = query.analyzedPlan().collectLeaves()
        relations = (leaves.apply(place) for place in range(leaves.size()))
        files = {_file(self._folder, *named) for each in relations for named in _named_options(each)}
        trigger = query.trigger().getClass().getSimpleName().rstrip("$")
        with self._writing:
            self._runs[event.runId] = trigger, files
            self._write(files)

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Do nothing: the trigger of a query does not change."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Remove the trigger of a query that has ended."""
        with self._writing:
            _, files = self._runs.pop(event.runId, ("", set()))
            self._write(files)

    def _write(self, files: set[Path]) -> None:
        for file in files:
            triggers = {trigger for trigger, its in self._runs.values() if file in its}
            if not triggers:
                file.unlink(missing_ok=True)
                continue
            written = file.with_suffix(".new")
            written.write_text(triggers.pop() if len(triggers) == 1 else _SEVERAL, encoding="utf-8")
            written.replace(file)


def _named_options(relation: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the options of a streaming relation; nothing for other relations."""
    if relation.nodeName() == "StreamingRelationV2":
        yield str(relation.sourceName()), dict(relation.extraOptions().asCaseSensitiveMap())


def _file(folder: Path, name: str, options: Mapping[str, str]) -> Path:
    given = json.dumps([name, sorted((each.lower(), value) for each, value in options.items())])
    return folder / hashlib.sha256(given.encode()).hexdigest()


def follow_triggers(spark: SparkSession) -> Path:
    """Return the folder in which readers look up the triggers of queries; add the listener to the session.

    Raises `SparkConnectError` in a session of Spark Connect: its client cannot read the trigger of a query.
    """
    require_driver(spark, f"with PySpark {PYSPARK} the sources need", "install PySpark 4.2 or later")
    if not _folders:
        _folders.append(Path(tempfile.mkdtemp(prefix="tidegauge-triggers-")))
        atexit.register(shutil.rmtree, _folders[0], ignore_errors=True)
    spark.conf.set(WRAPPER_CONF, "true")
    listen_once(spark, TriggerListener, spark, _folders[0])
    return _folders[0]


def trigger_of(folder: Path | None, name: str, options: Mapping[str, str]) -> str:
    """Return the class of the trigger of the query that reads a source with these options.

    Raises `UnknownTriggerError` if it is not known, or if queries with the same options have different
    triggers.
    """
    try:
        trigger = None if folder is None else _file(folder, name, options).read_text(encoding="utf-8")
    except FileNotFoundError:
        trigger = None
    if trigger is None:
        raise UnknownTriggerError(
            f"the trigger of a query over {name!r} is not known, and Spark would end it early under "
            "AvailableNow: start the query in the session that was given to register()"
        )
    if trigger == _SEVERAL:
        raise UnknownTriggerError(
            f"queries over {name!r} with the same options run at the same time under different triggers, and "
            "this version of Spark does not tell them apart: set the option sourceName in one of them"
        )
    return trigger
