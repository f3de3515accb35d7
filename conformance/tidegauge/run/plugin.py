"""The pytest plugin: `--tidegauge-*` options, the run they describe, and the journal.

It is loaded in every pytest session of an environment that has Tidegauge installed, so it imports little
of the kit unless an adapter is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .options import PYTEST_PREFIX, REQUEST_OPTIONS

if TYPE_CHECKING:
    from .run_under_pytest import SuiteRun

RUN_KEY: pytest.StashKey[SuiteRun] = pytest.StashKey()

NEEDS_ADAPTER = "the Tidegauge suites need --tidegauge-adapter NAME; `tidegauge adapters` lists them"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the suites; the `tidegauge` command has them under short names."""
    group = parser.getgroup("tidegauge", "Tidegauge: conformance of event-time engines")
    for option in REQUEST_OPTIONS:
        told: dict[str, Any] = {"metavar": option.value, "help": option.help}
        if option.repeatable:
            told |= {"action": "append", "default": []}
        elif option.name != "out":  # without it nothing is written
            told |= {"type": option.kind, "default": option.default}
        group.addoption(PYTEST_PREFIX + option.name, **told)


def pytest_configure(config: pytest.Config) -> None:
    """Start the run if an adapter is named."""
    config.addinivalue_line("markers", "tidegauge_item(id): the planned item that a test of the suites runs")
    if config.getoption("--tidegauge-adapter"):
        from .run_under_pytest import start

        config.stash[RUN_KEY] = start(config)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where Allure writes results, ours come from the journal; by now its plugin is in place."""
    if RUN_KEY in session.config.stash and session.config.getoption("allure_report_dir", None):
        from .allure_under_pytest import share

        share(session.config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The suites without an adapter are a mistake, not a pass; a suite without items is no skipped test.
    Items run as they are planned, golden vectors first: a failure among these is the easiest to read."""
    ours = [item for item in items if item.path.parent.as_posix().endswith("run/suites")]
    if ours and not config.getoption("--tidegauge-adapter"):
        if hasattr(config, "workerinput"):
            return  # a worker of xdist cannot refuse the session; each item fails with the complaint
        raise pytest.UsageError(NEEDS_ADAPTER)
    planned = {item for item in ours if item.get_closest_marker("tidegauge_item")}
    empty = [item for item in ours if item not in planned]
    if empty:
        config.hook.pytest_deselected(items=empty)
        items[:] = [item for item in items if item not in set(empty)]
    if RUN_KEY in config.stash:
        places = {item.id: place for place, item in enumerate(config.stash[RUN_KEY].planned)}
        marks = {item: item.get_closest_marker("tidegauge_item") for item in items}
        items.sort(key=lambda item: places[mark.args[0]] if (mark := marks[item]) is not None else -1)
