"""A campaign on the cores of this machine, without Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from queue import Empty, SimpleQueue

from tidegauge.engine.worker_process import Stopped, WorkerProcess

from .chunks import judged_chunk
from .specification import Chunk, Specification
from .worker import worker_of


def judged_in_process(
    specification: Specification,
    chunks: Sequence[Chunk],
    folder: Path,
    done: Callable[[int], None],
    workers: int | None = None,
) -> None:
    """Judge chunks, each in one of as many engine processes as there are `workers` (default: cores; one for
    an engine that is too heavy). `done` is called with the number of scenarios judged. Raises `BadInput`."""
    remaining: SimpleQueue[Chunk] = SimpleQueue()
    for chunk in chunks:
        remaining.put(chunk)
    many = 1 if specification.implementation.one_process else workers or os.cpu_count() or 1
    engines = [worker_of(specification) for _ in range(min(many, len(chunks)))]

    def work(engine: WorkerProcess) -> None:
        try:
            while True:
                judged_chunk(remaining.get_nowait(), specification, engine, folder, done)
        except (Empty, Stopped):
            engine.close()

    with ThreadPoolExecutor(len(engines) or 1) as pool:
        futures = [pool.submit(work, engine) for engine in engines]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                if future.done():
                    future.result()
        except BaseException:
            while not remaining.empty():
                remaining.get()
            for engine in engines:
                engine.stop()
            raise
    for future in futures:
        future.result()
