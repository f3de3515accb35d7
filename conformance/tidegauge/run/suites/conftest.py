"""Fixtures of the suites: each test runs one planned item in the worker process of the session, and fails
with the failure of the item."""

from collections.abc import Callable

import msgspec
import pytest

from tidegauge.run.journal import Finished
from tidegauge.run.plan import SUITES, PlannedItem
from tidegauge.run.plugin import NEEDS_ADAPTER, RUN_KEY
from tidegauge.run.run_under_pytest import EVENT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each planned item of the module's suite (`test_state_cover.py`: `state-cover`)."""
    suite = metafunc.module.__name__.rpartition(".test_")[2].replace("_", "-")
    if suite in SUITES and "item" in metafunc.fixturenames:
        run = metafunc.config.stash.get(RUN_KEY, None)
        if run is None:
            metafunc.parametrize("item", [pytest.param(None, id="no-adapter")])
            return
        # the watch over the worker process has the time limit of an item
        marks = pytest.mark.timeout(0), pytest.mark.tidegauge_item
        items = [
            pytest.param(item, id=item.id, marks=[marks[0], marks[1](item.id)])
            for item in run.planned
            if item.suite == suite
        ]
        metafunc.parametrize("item", items)


@pytest.fixture
def finished(
    request: pytest.FixtureRequest, item: PlannedItem, record_property: Callable[[str, object], None]
) -> Finished:
    """Run the item and return its event, which reaches the journal with the report of pytest."""
    run = request.config.stash.get(RUN_KEY, None)
    if run is None:
        pytest.fail(NEEDS_ADAPTER, pytrace=False)
    event: Finished = run.finished(item)
    record_property(EVENT, msgspec.json.encode(event).decode())
    return event


def passes(finished: Finished) -> None:
    """Fail with the failure of the item, if there is one."""
    if finished.outcome != "judged":
        why = f"{finished.text}: it {finished.did}" if finished.did else finished.text
        pytest.fail(why, pytrace=False)
