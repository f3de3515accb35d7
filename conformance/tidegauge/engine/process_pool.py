"""A pool of processes that ends in order with its block, and at once where a signal stops the command."""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal

from .process_tree import kill_tree


@contextmanager
def process_pool(
    processes: int,
    start: Literal["fork", "spawn"],
    initializer: Callable[..., object],
    initargs: tuple[Any, ...] = (),
) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool. When the block ends, what has begun is done to its end and the rest is left out. At a
    signal, and where the block is in a generator that is closed, the processes end at once.

    Args:
        processes: the number of processes.
        start: how they start.
        initializer: what each of them does first.
        initargs: the arguments of the initializer.
    """
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context(start), initializer, initargs)
    try:
        yield pool
    except (KeyboardInterrupt, GeneratorExit):
        for child in multiprocessing.active_children():
            if child not in others and child.pid is not None:
                kill_tree(child.pid)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
