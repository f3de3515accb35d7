"""Queries of `spark` and `spark-native` write no checksum files beside those of their checkpoints."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.sql import SparkSession

_blocks = 0
_counting = threading.Lock()


@contextmanager
def without_checksums(session: SparkSession) -> Iterator[None]:
    """As long as the block runs, or another in another thread, the JVM writes no checksum files beside files
    on the machine's own disks: nobody needs them of files that live for seconds.

    A micro-batch writes some ten files, and Hadoop starts a program, `chmod`, for each file that it writes,
    also for a checksum file. All these programs took a tenth of the processor time of a run.
    """
    global _blocks
    with _counting:
        if not _blocks:
            _write_checksums(session, False)
        _blocks += 1
    try:
        yield
    finally:
        with _counting:
            _blocks -= 1
            if not _blocks:
                with suppress(Exception):  # a JVM that was killed writes nothing any more
                    _write_checksums(session, True)


def _write_checksums(session: SparkSession, wanted: bool) -> None:
    """The JVM has one such file system, which all its queries share."""
    jvm: Any = session.sparkContext._jvm
    hadoop = jvm.org.apache.hadoop
    hadoop.fs.FileSystem.getLocal(hadoop.conf.Configuration()).setWriteChecksum(wanted)
