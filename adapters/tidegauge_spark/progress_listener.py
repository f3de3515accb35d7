"""Listeners to which Spark passes the progress of a batch in one call to the JVM.

PySpark reads each field of a progress in a call of its own. For a query with one stateful operator that took
250 to 1,100 ms a batch and a listener on a busy machine, against 4 to 14 ms for the same progress as JSON.
The thread of the listeners then falls behind a query with short batches.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pyspark import SparkContext
from pyspark.sql.streaming.listener import (
    JStreamingQueryListener,
    QueryProgressEvent,
    StreamingQueryListener,
)

_OFFSETS: Final = ("startOffset", "endOffset", "latestOffset")


class ProgressListener(StreamingQueryListener):
    """A `StreamingQueryListener` whose progress events are read as JSON.

    An observed metric is a row of the values that JSON has: a timestamp is a text. In a session of Spark
    Connect every listener gets its events so.
    """

    @property
    def _jlistener(self) -> Any:
        """Return the listener of the JVM; PySpark adds it to the session, and removes it."""
        if not hasattr(self, "_jlistenerobj"):
            jvm: Any = SparkContext._jvm
            self._jlistenerobj = jvm.PythonStreamingQueryListenerWrapper(_CalledBySpark(self))
        return self._jlistenerobj


class _CalledBySpark(JStreamingQueryListener):
    """The object that the JVM calls."""

    def onQueryProgress(self, jevent: Any) -> None:
        progress = json.loads(jevent.progress().json())
        for source in progress["sources"]:
            for offset in _OFFSETS:  # PySpark before 4.2 writes an offset in the notation of Python
                if not isinstance(source[offset], str):
                    source[offset] = json.dumps(source[offset])
        self.pylistener.onQueryProgress(QueryProgressEvent.fromJson({"progress": progress}))
