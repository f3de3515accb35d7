"""Which calls of an engine a run begins, when, and what a process that dies in one of them costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from conftest import Command
from msgspec.structs import replace

from tidegauge import Scenario, Transcript
from tidegauge.engine.ahead import AnswersAhead
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.call_ahead import CallAhead, scenarios_sent
from tidegauge.run.items import examine, scenarios_of
from tidegauge.run.plan import plan
from tidegauge.run.request import Request
from tidegauge.wire.scenario import component_of
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE


class Recorded(ReferenceAdapter):
    """The reference, noting what it is given."""

    def __init__(self) -> None:
        super().__init__({})
        self.given: list[Scenario] = []

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        several = list(scenarios)
        self.given += several
        return super().run(several)


@pytest.mark.parametrize(
    ("component", "items"), [("valve", slice(None)), ("generator", slice(None)), ("job", slice(2, 3))]
)
def test_what_is_given_ahead_is_what_the_items_ask_for(component: str, items: slice) -> None:
    adapter = Recorded()
    request = Request(adapter="x:Y", components=(component,), budget="smoke", seed=3)
    implementation = replace(adapter.describe(), layer="streaming", at_most={"properties": 40, "restores": 2})
    examiner = Examiner(adapter, implementation, CORE)
    planned = [item for item in plan(request, implementation, CORE) if item.component == component][items]
    assert {item.suite for item in planned} >= ({"jobs"} if component == "job" else {"vectors", "properties"})
    for item in planned:
        adapter.given.clear()
        scenarios = () if item.suite == "jobs" else scenarios_of(item, request, CORE)
        examine(item, request, scenarios, examiner, ItemReport(item.id, component))
        assert adapter.given == scenarios_sent(item, request, examiner)


class Started:
    """In place of the engine: the components whose calls were begun."""

    def __init__(self) -> None:
        self.components: list[str] = []

    def start(self, scenarios: Iterable[Scenario]) -> None:
        (component,) = {component_of(one) for one in scenarios}
        self.components.append(component)


def test_jobs_are_begun_at_once_and_other_components_one_ahead() -> None:
    adapter = Recorded()
    request = Request(
        adapter="x:Y", components=("clock", "idleness", "splits", "backlog", "job"), budget="smoke"
    )
    implementation = replace(adapter.describe(), layer="streaming", layers={"clock": "in-process"})
    started = Started()
    planned = plan(request, implementation, CORE)
    in_order = ["clock", "idleness", "splits", "backlog", "job"]
    assert list(dict.fromkeys(item.component for item in planned)) == in_order
    examiner = Examiner(adapter, implementation, CORE)
    ahead = CallAhead(planned, request, examiner, cast(AnswersAhead, started))
    ahead.reach("clock")
    assert started.components == ["job", "idleness"]
    ahead.reach("idleness")
    assert started.components == ["job", "idleness", "splits"]
    ahead.reach("splits")
    ahead.reach("backlog")
    ahead.reach("job")
    assert started.components == ["job", "idleness", "splits", "backlog"]


BULK = """
import os
from pathlib import Path
from msgspec.structs import replace
from tidegauge_adapters.reference import ReferenceAdapter

class Bulk(ReferenceAdapter):
    ahead = True
    def describe(self):
        return replace(super().describe(), one_process=True, layer="streaming")
    def run(self, scenarios):
        several = list(scenarios)
        with Path("calls").open("a") as file:
            print(len(several), file=file)
        if os.environ.get("DIES") and len(several) > 2000:
            os._exit(3)
        return super().run(several)
    def progress(self):
        return 0
"""

ARGUMENTS = ("--adapter", "bulk:Bulk", "--budget", "smoke", "--component", "idleness")


@pytest.mark.slower
def test_a_component_is_one_call(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("bulk", BULK)
    ran = tidegauge("run", *ARGUMENTS)
    assert ran.returncode == 0, ran.stdout
    results = json.loads((tmp_path / "tidegauge-results" / "results.json").read_bytes())
    (given,) = map(int, (tmp_path / "calls").read_text().split())
    assert given > 1000
    assert results["counts"]["scenarios"] > 1000


@pytest.mark.slower
def test_a_process_that_dies_in_a_call_ahead_costs_one_item(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("bulk", BULK)
    ran = tidegauge("run", *ARGUMENTS, environment={"DIES": "1"})
    assert ran.returncode == 1, ran.stdout
    results = json.loads((tmp_path / "tidegauge-results" / "results.json").read_bytes())
    outcomes = [item["outcome"] for item in results["items"]]
    assert len(outcomes) > 5
    assert outcomes.count("crashed") == 1
    assert outcomes.count("judged") == len(outcomes) - 1
