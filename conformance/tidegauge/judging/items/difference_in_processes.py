"""Two engines beside each other in several processes, each of which has both for itself."""

import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from multiprocessing.util import Finalize
from typing import NamedTuple

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.registry import COMPONENTS
from ...engine.loading import describe, load_adapter
from ...engine.parent_death import end_with_parent
from ...engine.process_pool import process_pool
from .difference import AT_A_TIME, Compared, Side, compared_of

_SIDES: list[Side] = []
"""In a process of the pool: its engines."""


class Written(NamedTuple):
    """An adapter by its name, with its options."""

    adapter: str
    options: Mapping[str, str]

    def side(self) -> Side:
        """The adapter, loaded. Raises `BadInput`."""
        adapter = load_adapter(self.adapter, self.options)
        return Side(adapter, describe(self.adapter, adapter))


def processes_with(
    sides: tuple[Written, Written], number: int
) -> AbstractContextManager[ProcessPoolExecutor]:
    """So many processes with these engines; they start with the first comparison."""
    return process_pool(number, "spawn", _begin, sides)


def compared_in(
    pool: ProcessPoolExecutor, component: Component, seed: int, scenarios: int, policies: Policies
) -> Iterator[Compared]:
    """As `compared` does, in the same order. Where it is left early, what has begun is done to its end."""
    starts = range(0, scenarios, AT_A_TIME)
    asked = [
        pool.submit(_compared, component.name, seed, start, min(start + AT_A_TIME, scenarios), policies)
        for start in starts
    ]
    try:
        for one in asked:
            yield one.result()
    finally:
        for one in asked:
            one.cancel()


def _begin(*written: Written) -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends its processes itself
    _SIDES.extend(one.side() for one in written)
    Finalize(None, _close, exitpriority=1)


def _close() -> None:
    for side in _SIDES:
        side.adapter.close()


def _compared(component: str, seed: int, start: int, stop: int, policies: Policies) -> Compared:
    left, right = _SIDES
    return compared_of((left, right), COMPONENTS[component], seed, range(start, stop), policies)
