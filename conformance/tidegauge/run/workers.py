"""The worker processes of a run, each of which runs one item after the other, and the journal of their
results."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Lock

from msgspec.structs import replace

from ..engine.process_tree import end_marked
from ..engine.runner import Mark
from ..engine.watch import Limits
from ..engine.worker_process import Stopped
from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .full_disk import check_disk
from .item_worker import ItemWorker, KillsOfComponents, NoWorker, ended, memory_of, program_of
from .journal import Journal, JournalReader, Started
from .plan import PlannedItem
from .request import Request
from .run_folder import LOG, finished_before
from .work import Begun, RunOpening

_MARK = "TIDEGAUGE_RUN"
"""The environment variable that marks worker processes and their descendants, which are found by it even
after their parents have ended."""

_SECONDS_TO_END = 3.0
"""The time (s) that the remaining processes have to end by themselves."""


@dataclass(frozen=True, kw_only=True)
class WorkersOfRun:
    """The number of workers of a run, and their limits.

    Args:
        processes: the number of workers.
        is_given: whether the user has set that number. If not, a small run has one worker.
        item_seconds: the time limit of an item (s).
        log: the file descriptor that receives the output of the engine.
        environment: the variables that are added to the environment of the worker processes.
    """

    processes: int
    is_given: bool
    item_seconds: float
    log: int
    environment: Mapping[str, str]


class RunningItems:
    """The items of a run while they run, with one thread of this process for each worker.

    Attributes:
        folder: the folder of the journal.
        begun: the plan.
        is_stopped: whether the workers were ended before their items had finished.
        left_behind: the names of the processes that outlived their worker and were killed.
    """

    def __init__(self, request: Request, folder: Path, settings: WorkersOfRun) -> None:
        self._settings = settings
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self._limits = Limits(settings.item_seconds)
        self._kills = KillsOfComponents()
        self._scratch = TemporaryDirectory(prefix="tidegauge-")
        finished = finished_before(folder)
        self._opening = RunOpening(
            request=request,
            item_seconds=settings.item_seconds,
            calls_ahead=False,
            without=finished or frozenset(),
        )
        self.folder = folder
        self._journal = Journal(folder, goes_on=finished is not None)
        self._writing = Lock()
        self._workers = [self._worker(replace(self._opening, calls_ahead=True))]
        self._items: SimpleQueue[PlannedItem] = SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None
        self._futures: list[Future[None]] = []
        self._problems: list[str] = []
        self._outside: list[Failure] = []
        self.is_stopped = False
        self.left_behind: list[str] = []
        try:
            self.begun = self._begun(folder if finished is not None else None)
        except BadInput:
            self.stop()
            check_disk(folder)  # a full disk is not an error of the engine
            raise
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start the items."""
        begun, settings = self.begun, self._settings
        for item in begun.planned:
            self._items.put(item)
        few = begun.started.implementation.one_process or (_is_small(begun) and not settings.is_given)
        number = 1 if few else max(1, min(settings.processes, len(begun.planned)))
        self._workers += [self._worker(self._opening) for _ in range(number - 1)]
        self._pool = ThreadPoolExecutor(number)
        self._futures = [self._pool.submit(self._work, worker) for worker in self._workers]

    def are_over(self, seconds: float) -> bool:
        """Wait for at most `seconds`. Return whether all items have ended."""
        return not wait(self._futures, seconds).not_done

    def marks(self) -> list[Mark]:
        """Return what the workers are about to run."""
        return [mark for worker in self._workers if (mark := worker.mark()) is not None]

    def stop(self) -> None:
        """End all workers at once, with all processes that they have started."""
        if self.is_stopped:
            return
        self.is_stopped = True
        for worker in self._workers:
            worker.stop()
        if self._pool is not None:
            self._pool.shutdown()
        for worker in self._workers:
            worker.close()
        self._end(patience=0.0)

    def finish(self) -> None:
        """Write the last event after all items have ended, and end the remaining processes."""
        assert self._pool is not None
        self._pool.shutdown()
        for future in self._futures:
            future.result()
        self._journal.write(ended(next(iter(self._problems), ""), self._outside))
        self.left_behind = self._end(patience=_SECONDS_TO_END)

    def _end(self, patience: float) -> list[str]:
        left = end_marked(_MARK, self._mark, patience)
        self._scratch.cleanup()
        self._journal.close()
        return left

    def _worker(self, opening: RunOpening) -> ItemWorker:
        environment = {
            **self._settings.environment,
            _MARK: self._mark,
            "HYPOTHESIS_STORAGE_DIRECTORY": self._scratch.name,
        }
        program = program_of(opening, log=self._settings.log, environment=environment)
        return ItemWorker(program, limits=self._limits, kills=self._kills)

    def _begun(self, resumed: Path | None) -> Begun:
        try:
            begun = self._workers[0].begun()
        except NoWorker as problem:
            raise BadInput(f"{problem}; see {self.folder.parent / LOG}") from None
        self._limits.memory_mib = memory_of(begun.started.request, begun.started.implementation)
        if resumed is None:
            self._journal.write(begun.started)
        else:
            _check_that_it_is_the_same(resumed, begun.started)
        return begun

    def _work(self, worker: ItemWorker) -> None:
        """Run items until none is left. The worker gives up if no process of the engine starts any more; the
        items that no other worker takes are then not run."""
        try:
            while True:
                event = worker.finished(self._items.get_nowait())
                with self._writing:
                    if event.outcome not in ("judged", "failed"):
                        check_disk(self._journal.folder)  # a full disk is not an error of the engine
                    self._journal.write(event)
        except Empty:
            return
        except NoWorker as problem:
            self._problems.append(str(problem))
        except Stopped:
            return
        finally:
            self._outside += worker.failures
            if failure := worker.close():
                self._outside.append(failure)


@contextmanager
def running_items(request: Request, folder: Path, settings: WorkersOfRun) -> Iterator[RunningItems]:
    """Load the engine and plan a run, whose items the block starts. The workers end with the block, and at
    once if the block is left early.

    Args:
        request: the request.
        folder: the folder of the journal.
        settings: the number of workers, and their limits.

    Raises:
        BadInput: if the request or the engine is invalid.
    """
    running = RunningItems(request, folder, settings)
    ended = False
    try:
        yield running
        if not running.is_stopped and running.are_over(0):
            running.finish()
            ended = True
    finally:
        if not ended:
            running.stop()


def _check_that_it_is_the_same(folder: Path, started: Started) -> None:
    """Raise `BadInput` if the engine, profile, seed or items of a resumed run differ from those of the run
    that was killed."""
    before = next((event for event in JournalReader(folder).new_events() if isinstance(event, Started)), None)
    if before is None:
        raise BadInput("the run that was killed had not started; leave --resume out")
    for what, then, now in (
        ("the engine", before.implementation, started.implementation),
        ("the profile", (before.profile, before.own_profile), (started.profile, started.own_profile)),
        ("the seed", before.request.seed, started.request.seed),
        ("the selection", before.planned, started.planned),
    ):
        if then != now:
            raise BadInput(f"{what} is not that of the run that was killed; leave --resume out")


def _is_small(begun: Begun) -> bool:
    """Return whether a second worker takes longer to start than it saves."""
    components = {item.component for item in begun.planned}
    return begun.started.request.budget == "smoke" and len(components) == 1
