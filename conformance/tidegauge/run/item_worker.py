"""Runs items in a worker process, and starts another process if the engine ends it."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from ..engine.runner import Mark
from ..engine.watch import STOPPED, Limits
from ..engine.worker_process import WorkerLost, WorkerProcess, WorkerProgram
from ..judging.items.item_report import ItemReport
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .journal import Ended, Finished
from .plan import PlannedItem
from .request import Request
from .work import Begin, Begun, RunItem, RunOpening

_MOST_KILLED = 3
"""After this number of killed processes, the remaining items of a component are not run."""

_MOST_STARTS = 3
"""The number of processes in a row that may end before they start the requested item."""


class KillsOfComponents:
    """Counts the processes that had to be killed, for all workers of a run."""

    def __init__(self) -> None:
        self._number: Counter[str] = Counter()
        self._last: dict[str, str] = {}

    def note(self, component: str, reason: str) -> None:
        """Count a process that was killed while it ran an item of the component."""
        self._number[component] += 1
        self._last[component] = reason

    def given_up(self, component: str) -> str:
        """Return why no more items of a component are run; an empty text if they are run."""
        number = self._number[component]
        if number < _MOST_KILLED:
            return ""
        return f"{number} processes of the engine had to be killed; in the last it {self._last[component]}"


class NoWorker(Exception):
    """No process of the engine starts any more. The message is the reason, in one line."""


class ItemWorker:
    """Runs one item after the other. Only `stop` may be called from another thread."""

    def __init__(self, program: WorkerProgram, limits: Limits, kills: KillsOfComponents) -> None:
        self._process = WorkerProcess(program, limits)
        self._kills = kills
        self.failures: list[Failure] = []
        """How the process ended between two items."""

    def begun(self) -> Begun:
        """Load the engine and plan the run. Raises `BadInput`, and `NoWorker` if the process ends before it
        answers."""
        try:
            return self._process.ask(Begin(), Begun)
        except WorkerLost as lost:
            when = "" if lost.reason else " before the run began"
            raise NoWorker(f"{lost.failure.text}{when}") from None

    def finished(self, item: PlannedItem) -> Finished:
        """Run an item and return its event. Raises `NoWorker`, and `Stopped` after `stop`."""
        if why := self._kills.given_up(item.component):
            report = ItemReport(item.id, item.component)
            return Finished(item.id, "error", 0.0, report=report, text=f"not run: {why}")
        began = time.monotonic()
        return replace(self._finished(item), duration_s=time.monotonic() - began)

    def close(self) -> Failure | None:
        """Close the engine and end the process. Return the failure, or None."""
        return self._process.close()

    def mark(self) -> Mark | None:
        """Return what the process is about to run."""
        return self._process.mark()

    def stop(self) -> None:
        """Kill the process for good."""
        self._process.stop()

    def _finished(self, item: PlannedItem) -> Finished:
        problem = ""
        for _ in range(_MOST_STARTS):
            try:
                return self._process.ask(RunItem(item), Finished)
            except BadInput as refusal:
                problem = str(refusal)
            except WorkerLost as lost:
                self._process.opening = replace(self._process.opening, calls_ahead=False)
                # a SIGSTOP of the kit is detected with a delay, perhaps between two items
                if lost.item == item.id or lost.reason == STOPPED:
                    return self._lost(item, lost)
                if lost.item:
                    self.failures.append(lost.failure)
                problem = f"no process of the engine starts any more: {lost.failure.text}"
        raise NoWorker(problem)

    def _lost(self, item: PlannedItem, lost: WorkerLost) -> Finished:
        """Return the event of an item whose worker process the engine has ended."""
        if lost.reason:
            self._kills.note(item.component, lost.reason)
        while_it_ran = f"while scenario {lost.scenario} ran" if lost.scenario else "outside of any scenario"
        return Finished(
            item=item.id,
            outcome="timeout" if lost.failure.kind == "timeout" else "crashed",
            duration_s=0.0,
            text=f"the process of the engine ended {while_it_ran}",
            running=lost.scenario,
            did=lost.reason,
        )


def ended(problem: str, failures: Iterable[Failure]) -> Ended:
    """Return the last event of a run.

    Args:
        problem: why no process of the engine starts any more; an empty text if that has not happened.
        failures: how processes ended between two items, and the failures to close the engine.
    """
    each = {failure.text: failure for failure in failures}.values()
    not_closed = next((failure.text for failure in each if failure.kind == "timeout"), "")
    return Ended(problem, not_closed, tuple(failure for failure in each if failure.kind != "timeout"))


def program_of(
    opening: RunOpening, log: int | None = None, environment: Mapping[str, str] | None = None
) -> WorkerProgram:
    """Return the program of a worker process of a run; see `WorkerProgram`."""
    return WorkerProgram("tidegauge.run.host", opening, log=log, environment=environment or {})


def memory_of(request: Request, implementation: Implementation) -> int:
    """Return the memory limit of a process of the engine and its children (MiB)."""
    return request.memory or implementation.memory_mib
