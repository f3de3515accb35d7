"""Runs the work on several components in parallel, in forks of this process. A fork inherits the evidence,
which is too large to pickle for each component."""

import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, TypeVar

from ...engine.parent_death import end_with_parent
from ...engine.process_pool import process_pool

Result = TypeVar("Result")

_WORK: dict[str, Callable[[], Any]] = {}
"""The pieces of work, by name; set in a fork only."""


def side_by_side(
    work: Mapping[str, Callable[[], Result]],
    size: Callable[[str], int],
    processes: int,
    done: Callable[[], None] = lambda: None,
) -> dict[str, Result]:
    """Return the result of each piece of work, by its name.

    The process does not fork while other threads run: a lock that another thread holds would never be
    released in the fork.

    Args:
        work: the pieces of work, by name. A fork inherits their data; only their results are pickled.
        size: the relative duration of a piece of work; the longest start first.
        processes: the largest number of forks.
        done: is called after each piece of work.
    """
    results: dict[str, Result] = {}
    if processes > 1 and len(work) > 1 and threading.active_count() == 1:
        results = _done_in_forks(work, size, processes, done)
    for name, do_it in work.items():
        if name not in results:
            results[name] = do_it()
            done()
    return {name: results[name] for name in work}


def _done_in_forks(
    work: Mapping[str, Callable[[], Result]],
    size: Callable[[str], int],
    processes: int,
    done: Callable[[], None],
) -> dict[str, Result]:
    """Return the results of the forks. Results are missing if a fork was killed."""
    results: dict[str, Result] = {}
    with (
        suppress(BrokenProcessPool),
        process_pool(min(processes, len(work)), "fork", _begin, (work,)) as pool,
    ):
        futures = {name: pool.submit(_do, name) for name in sorted(work, key=size, reverse=True)}
        for name, future in futures.items():
            results[name] = future.result()
            done()
    return results


def _begin(work: Mapping[str, Callable[[], Any]]) -> None:
    _WORK.update(work)
    end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _do(name: str) -> Any:
    return _WORK[name]()
