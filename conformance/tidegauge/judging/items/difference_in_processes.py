"""Compares two engines in several worker processes. Each process loads both engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from queue import SimpleQueue

from msgspec import Struct

from tidegauge_reference import Policies

from ...components.component import Component
from ...components.registry import COMPONENTS
from ...engine.adapter import ComponentAdapter
from ...engine.contained import own_adapter
from ...engine.loading import describe, load_adapter
from ...engine.runner import Marker
from ...engine.serving import serve
from ...engine.watch import Limits
from ...engine.worker_process import WorkerLost, WorkerProcess, WorkerProgram
from ...wire.scenario import BadInput
from .declared_reference import DECLARED, load_declared
from .difference import AT_A_TIME, Compared, Side, compared_of

_SCENARIO_SECONDS = 30
_SECONDS_AT_A_TIME = 600.0
"""The time limit (s) of a batch, which has `AT_A_TIME` scenarios."""


class Written(Struct, frozen=True):
    """The name of an adapter, or `declared:` and the name of an adapter, with its options."""

    adapter: str
    options: Mapping[str, str]

    def side(self) -> Side:
        """Load the adapter and return its side. Raises `BadInput`."""
        load = load_declared if self.adapter.startswith(DECLARED) else load_adapter
        adapter = load(self.adapter, self.options)
        return Side(adapter, describe(self.adapter, adapter))


class Sides(Struct, frozen=True):
    """The first message to a worker process: the engines."""

    written: tuple[Written, Written]


class Compare(Struct, frozen=True):
    """Compare both engines in the random scenarios with the indices from `start` to below `stop`; the answer
    is `Compared`."""

    component: str
    seed: int
    start: int
    stop: int
    policies: Policies


class Workers:
    """Several worker processes with the same engines."""

    def __init__(self, sides: tuple[Written, Written], number: int) -> None:
        program = WorkerProgram(__name__, Sides(sides))
        self._all = [WorkerProcess(program, Limits(_SECONDS_AT_A_TIME)) for _ in range(number)]
        self._idle: SimpleQueue[WorkerProcess] = SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)
        self._pool = ThreadPoolExecutor(number)

    def compared(
        self, component: Component, seed: int, scenarios: int, policies: Policies
    ) -> Iterator[Compared]:
        """Yield the results of `difference.compared`, in the same order. Raises `BadInput` if a process
        ends."""
        asked: list[Future[Compared]] = []
        for start in range(0, scenarios, AT_A_TIME):
            stop = min(start + AT_A_TIME, scenarios)
            work = Compare(component=component.name, seed=seed, start=start, stop=stop, policies=policies)
            asked.append(self._pool.submit(self._ask, work))
        try:
            for future in asked:
                yield future.result()
        finally:
            for future in asked:
                future.cancel()
            wait(asked)

    def end(self, at_once: bool) -> None:
        """End all processes. With `at_once`, processes that are at work are killed."""
        for worker in self._all:
            if at_once:
                worker.stop()
            else:
                worker.close()  # while its thread lives: a process ends with the thread that started it
        self._pool.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.close()

    def _ask(self, work: Compare) -> Compared:
        worker = self._idle.get()
        try:
            return worker.ask(work, Compared)
        except WorkerLost as lost:
            where = f" in scenario {lost.scenario}" if lost.scenario else ""
            raise BadInput(f"{lost.failure.text}{where}; `tidegauge run` judges each engine") from None
        finally:
            self._idle.put(worker)


@contextmanager
def workers_with(sides: tuple[Written, Written], number: int) -> Iterator[Workers]:
    """Yield `number` worker processes with these engines. The processes start with the first comparison and
    end with the block."""
    workers = Workers(sides, number)
    try:
        yield workers
    except BaseException:
        workers.end(at_once=True)
        raise
    workers.end(at_once=False)


class _Host:
    """Compares the engines in a worker process."""

    def __init__(self, opening: Sides, marker: Marker) -> None:
        left, right = opening.written
        self._sides, self._marker = (left.side(), right.side()), marker

    def answer(self, work: Compare) -> Compared:
        """Compare the engines in some scenarios."""
        one_by_one = all(isinstance(own_adapter(side.adapter), ComponentAdapter) for side in self._sides)
        seconds = _SCENARIO_SECONDS if one_by_one else 0
        item = f"{work.component}-{work.start}"
        self._marker.about_to_run(item, "")
        return compared_of(
            self._sides,
            component=COMPONENTS[work.component],
            seed=work.seed,
            indices=range(work.start, work.stop),
            policies=work.policies,
            about_to_run=lambda scenario: self._marker.about_to_run(item, scenario, seconds),
        )

    def close(self) -> None:
        """Close the engines. Failures are not reported here: the command closes its own engines and reports
        theirs."""
        with suppress(BadInput), ExitStack() as closing:
            for side in self._sides:
                closing.callback(side.adapter.close)


if __name__ == "__main__":
    serve(Sides, Compare, _Host)
