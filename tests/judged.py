"""An engine judged on given scenarios, from its transcripts to the verdicts of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tidegauge import Adapter, Scenario
from tidegauge.assembly import assemble
from tidegauge.journal import Ended, Finished, Started
from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.request import Request
from tidegauge.scenario import component_of
from tidegauge_reference import CORE


def failing_rules(adapter: Adapter, scenarios: Iterable[Scenario], folder: Path) -> set[str]:
    """The rules with the verdict `fail` in a run that has nothing but these scenarios of one component."""
    scenarios = list(scenarios)
    implementation = adapter.describe()
    report = ItemReport("item", component_of(scenarios[0]))
    Examiner(adapter, implementation, CORE).compare(report, scenarios)
    request = Request(adapter="x:Y", out=str(folder))
    started = Started(request, "core", implementation, {}, (report.item,), "2026-01-01T00:00:00+00:00")
    finished = Finished(report.item, "failed" if report.failing else "judged", 1.0, report)
    results = assemble([started, finished, Ended(1)], folder, [], 1.0)
    return {rule.id for rule in results.rules if rule.verdict == "fail"}
