"""The Python process of an executor, which runs tasks of each micro-batch, for hours."""

from __future__ import annotations

import gc

from pyspark import TaskContext

_tasks_left = 3
"""In so many tasks more it is done: some modules are first needed when the results of a task are written,
after all that it does here. The collector could tell what is loaded, but counts all objects for it."""


def spare_collections() -> None:
    """Let the collections of garbage in this process pass over what is loaded already.

    Spark collects after each task. That takes 15 ms, about as long as decoding 250,000 rows, and nearly all
    of it goes to the modules of Spark, Arrow and this library, which live as long as the process. It is done
    in the first tasks of a process, and not outside of tasks, where the process is somebody else's.
    """
    global _tasks_left
    if _tasks_left and TaskContext.get() is not None:
        gc.freeze()
        _tasks_left -= 1
