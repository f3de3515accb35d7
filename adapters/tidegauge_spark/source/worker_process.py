"""The Python process of an executor, which reads a partition in each batch, for hours."""

from __future__ import annotations

import gc

from pyspark import TaskContext


def spare_collections() -> None:
    """Let the collections of garbage in this process pass over what is loaded already.

    Spark collects after each task. That takes 15 ms, about as long as decoding 250,000 rows, and nearly all
    of it goes to the modules of Spark, Arrow and this library, which live as long as the process. It is done
    once, and not outside of tasks, where the process is somebody else's.
    """
    if TaskContext.get() is not None and gc.get_freeze_count() == 0:
        gc.freeze()
