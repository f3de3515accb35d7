"""Allure in a plain pytest run: the results of the suites are written once, at the end, from the journal.

allure-pytest would write one for each test item; but what is of interest are the rules, and it takes items
for the same test whose parameters look alike. What it writes for the user's own tests stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import allure_commons
import pytest
from allure_commons.logger import AllureFileLogger

from ..wire.results import FILE_NAME, decode_results, encode_results
from ..wire.scenario import BadInput
from .assembly import assemble
from .counterexamples import COUNTEREXAMPLES
from .journal import Finished, JournalReader, Started
from .own_folder import is_own
from .registered_reports import find_requested
from .trial_answers import asking

REPORT = "allure"
_FAILED = pytest.ExitCode.INTERNAL_ERROR


class OthersOnly:
    """Stands where Allure's file logger stood, and passes on what is not about items of the suites."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._ours = False
        self._withheld: set[str] = set()
        self._waiting: list[Any] = []
        allure_commons.plugin_manager.unregister(logger)
        allure_commons.plugin_manager.register(self)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Whose item runs; Allure's own wrapper ends within this one."""
        self._ours = item.get_closest_marker("tidegauge_item") is not None
        try:
            return (yield)
        finally:
            self._ours = False
            for container in self._waiting:
                self._pass_on(container, without_children=False)
            self._waiting.clear()

    @allure_commons.hookimpl
    def report_result(self, result: Any) -> None:
        """The result of a test."""
        if self._ours:
            self._withheld.add(result.uuid)
        else:
            self._logger.report_result(result)

    @allure_commons.hookimpl
    def report_container(self, container: Any) -> None:
        """What fixtures did for results; those of our items are withheld only after their fixtures end."""
        if self._ours:
            self._waiting.append(container)
        else:
            self._pass_on(container, without_children=not container.children)

    def _pass_on(self, container: Any, without_children: bool) -> None:
        container.children = [child for child in container.children if child not in self._withheld]
        if container.children or without_children:
            self._logger.report_container(container)

    @allure_commons.hookimpl
    def report_attached_file(self, source: Any, file_name: str) -> None:
        """A file that a test attached."""
        if not self._ours:
            self._logger.report_attached_file(source, file_name)

    @allure_commons.hookimpl
    def report_attached_data(self, body: Any, file_name: str) -> None:
        """Data that a test attached."""
        if not self._ours:
            self._logger.report_attached_data(body, file_name)

    @allure_commons.hookimpl
    def report_globals(self, globals_item: Any) -> None:
        """What is attached to no test."""
        self._logger.report_globals(globals_item)

    def pytest_unconfigure(self) -> None:
        """Allure takes out the logger that it put in."""
        allure_commons.plugin_manager.unregister(self)
        allure_commons.plugin_manager.register(self._logger)


class AllureView:
    """Writes the results of the run into Allure's folder when the session ends. `kept`: the folder of the
    counterexamples that can be replayed."""

    def __init__(self, journal: Path, folder: Path, kept: Path, arguments: tuple[str, ...]) -> None:
        self._journal = journal
        self._folder = folder
        self._kept = kept
        self._arguments = arguments
        self._began = time.monotonic()
        self._said = ""

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """The journal is complete."""
        try:
            self._write()
        except Exception as error:
            what = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
            self._said = f"tidegauge: report {REPORT!r} failed: {' '.join(what.split())[:500]!s}"
            session.exitstatus = session.exitstatus or _FAILED

    def _write(self) -> None:
        events = JournalReader(self._journal).new_events()
        if not any(isinstance(event, Finished) for event in events):
            return
        self._kept.mkdir(parents=True, exist_ok=True)
        for path in self._kept.glob(f"{COUNTEREXAMPLES}/*.jsonl"):
            if is_own(self._kept, path.relative_to(self._kept).as_posix()):
                path.unlink()
        duration_s = time.monotonic() - self._began
        request = next(event.request for event in events if isinstance(event, Started))
        ask = asking(events, request, self._journal)
        assembled = assemble(events, self._kept, ["pytest", *self._arguments], duration_s, ask=ask)
        results = decode_results(
            encode_results(assembled), FILE_NAME
        )  # reports read nothing but the document
        (entry,) = find_requested([REPORT])
        entry.load()(results, self._folder)
        self._said = f"tidegauge: results for Allure in {self._folder}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Where the results are, or why they are not."""
        if self._said:
            terminalreporter.write_line(self._said)


def share(config: pytest.Config) -> None:
    """Let Allure's file logger know only what is not ours, in this process."""
    for plugin in allure_commons.plugin_manager.get_plugins():
        if isinstance(plugin, AllureFileLogger):
            config.pluginmanager.register(OthersOnly(plugin), "tidegauge-allure-others")
            return
