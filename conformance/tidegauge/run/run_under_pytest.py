"""A run inside pytest: each pytest process runs items in a worker process, and the controller of the session
writes the journal."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ..engine.watch import Limits
from ..engine.worker_process import Stopped
from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .item_worker import ItemWorker, KillsOfComponents, NoWorker, ended, memory_of, program_of
from .journal import Finished, Journal
from .options import PYTEST_PREFIX, REQUEST_OPTIONS, request_of, with_whole_paths
from .own_folder import own_folder
from .plan import PlannedItem
from .request import Request
from .request_check import checked
from .run_folder import RUN
from .work import RunOpening

_USUAL_ITEM_SECONDS = 300.0
_FIRST_WORKERS = ("main", "gw0")

_FAILURES = "tidegauge_failures"
"""Under this name a worker of xdist says what its engine did outside of its items."""

EVENT = "tidegauge"
"""The user property of the pytest report that has the event of an item."""


@dataclass
class SuiteRun:
    """The planned items, and the worker of this pytest process."""

    worker: ItemWorker
    planned: list[PlannedItem]

    def finished(self, item: PlannedItem) -> Finished:
        """Run an item and return its event."""
        try:
            return self.worker.finished(item)
        except NoWorker as problem:
            return Finished(item.id, "not-run", 0.0, text=str(problem))
        except Stopped:
            return Finished(item.id, "not-run", 0.0, text="the session has ended")


def start(config: pytest.Config) -> SuiteRun:
    """Load the engine, plan the run and begin the journal. Raises `pytest.UsageError` on bad input."""
    is_worker = hasattr(config, "workerinput")
    folder = None if is_worker else _folder(config)
    limits = Limits(_item_seconds(config))
    try:
        request = checked(with_whole_paths(_request(config)))
        if not is_worker and config.getoption("--tidegauge-out"):
            own_folder(Path(request.out), RUN, remedy="choose another folder")
        opening = RunOpening(
            request=request,
            item_seconds=limits.item_seconds,
            calls_ahead=os.environ.get("PYTEST_XDIST_WORKER", "main") in _FIRST_WORKERS,
        )
        worker = ItemWorker(program_of(opening), limits=limits, kills=KillsOfComponents())
        config.add_cleanup(lambda: _ended(worker))
        begun = worker.begun()
        journal = Journal(folder) if folder is not None else None
    except (BadInput, NoWorker) as problem:
        raise pytest.UsageError(str(problem)) from None
    limits.memory_mib = memory_of(request, begun.started.implementation)
    if journal is None:
        config.pluginmanager.register(EngineCloser(worker), "tidegauge-engine-closer")
        return SuiteRun(worker, begun.planned)
    if begun.started.implementation.one_process:
        # marks for `--dist loadgroup` do not help: pytest 9.2 ignores them (pytest-xdist issue 1386)
        config.option.tx = getattr(config.option, "tx", [])[:1]
    if getattr(config.option, "tx", None):
        worker.close()  # the workers of xdist run the items
    journal.write(begun.started)
    config.pluginmanager.register(JournalWriter(journal, worker), "tidegauge-journal")
    if allure := config.getoption("allure_report_dir", None):
        from .allure_under_pytest import AllureView

        out = config.getoption("--tidegauge-out")
        examples = Path(out) if out else Path(allure) / "tidegauge"
        arguments = tuple(map(str, config.invocation_params.args))
        view = AllureView(journal.folder, Path(allure), examples, arguments)
        config.pluginmanager.register(view, "tidegauge-allure")
    return SuiteRun(worker, begun.planned)


def _item_seconds(config: pytest.Config) -> float:
    """Return the time limit (s) of an item: the timeout of pytest-timeout, or else five minutes."""
    return float(getattr(config.option, "timeout", None) or _USUAL_ITEM_SECONDS)


def _folder(config: pytest.Config) -> Path:
    """Return the folder of the journal; without `--tidegauge-out`, a folder that ends with the session."""
    if out := config.getoption("--tidegauge-out"):
        return Path(out)
    scratch = tempfile.TemporaryDirectory(prefix="tidegauge-")
    config.add_cleanup(scratch.cleanup)
    return Path(scratch.name)


def _request(config: pytest.Config) -> Request:
    given = {option.name: config.getoption(PYTEST_PREFIX + option.name) for option in REQUEST_OPTIONS}
    return request_of({**given, "out": given["out"] or ""})


class JournalWriter:
    """Writes the journal from the reports that reach the controller."""

    def __init__(self, journal: Journal, worker: ItemWorker) -> None:
        self._journal, self._worker = journal, worker
        self._problem = ""
        self._outside: list[Failure] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the event of an item that has ended."""
        event = dict(report.user_properties).get(EVENT)
        if report.when != "call" or event is None:
            return
        finished = msgspec.json.decode(str(event), type=Finished)
        if finished.outcome == "not-run":
            self._problem = self._problem or finished.text
        else:
            self._journal.write(finished)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended; it says how closing its engine failed."""
        failures = getattr(node, "workeroutput", {}).get(_FAILURES, "[]")
        self._outside += msgspec.json.decode(failures, type=list[Failure])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """The session came to its own end. What an engine does outside of its items fails the session."""
        last = ended(self._problem, [*self._outside, *_closed(self._worker)])
        self._journal.write(last)
        self._journal.close()
        if last.outside:
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


class EngineCloser:
    """Closes the engine of a worker of xdist."""

    def __init__(self, worker: ItemWorker) -> None:
        self._worker = worker

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """The worker has no more items."""
        output: dict[str, str] = session.config.workeroutput  # type: ignore[attr-defined]
        output[_FAILURES] = msgspec.json.encode(_closed(self._worker)).decode()


def _ended(worker: ItemWorker) -> None:
    """End the worker process, if it has not ended."""
    worker.stop()
    worker.close()


def _closed(worker: ItemWorker) -> list[Failure]:
    """Close the engine; return what it did outside of its items."""
    failure = worker.close()
    return [*worker.failures, *([failure] if failure is not None else [])]
