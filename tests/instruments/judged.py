"""Engines judged in this process, from the plan of a run to its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tidegauge import Adapter, Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_component
from tidegauge.judging.diagnosis.evidence import Difference, Evidence
from tidegauge.judging.diagnosis.model import canonical
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.reference.deviations import KnownDeviations
from tidegauge.judging.verdicts.judged_in import judged_by
from tidegauge.run.assembly import assemble
from tidegauge.run.journal import AnyEvent, Ended, Finished, Started
from tidegauge.run.plan import PlannedItem, plan
from tidegauge.run.request import Request
from tidegauge.run.run_under_pytest import Run
from tidegauge.run.suites import conftest
from tidegauge.wire.results import Results, RuleResult
from tidegauge.wire.scenario import component_of
from tidegauge_reference import CORE, PROFILES, Policies
from tidegauge_spec import load_registry

SHRINK_SECONDS = 0.5
"""Shrinking has no part in a verdict."""


def events_of(
    adapter: Adapter,
    folder: Path,
    *,
    adapter_name: str = "x:Y",
    components: Sequence[str] = (),
    rules: Sequence[str] = (),
    profile: str = "core",
    known: KnownDeviations | None = None,
    wanted: Callable[[PlannedItem], bool] = lambda item: True,
) -> list[AnyEvent]:
    """The journal of a run of the smoke budget in this process. Items that are not `wanted` do not come to their
    end."""
    request = Request(
        adapter=adapter_name,
        components=tuple(components),
        rules=tuple(rules),
        budget="smoke",
        out=str(folder),
    )
    implementation = adapter.describe()
    policies = PROFILES[profile]
    planned = plan(request, implementation, policies)
    run = Run(
        request,
        adapter,
        implementation,
        profile,
        policies,
        planned,
        folder,
        "main",
        known or KnownDeviations(),
    )
    started = Started(
        request=request,
        profile=profile,
        implementation=implementation,
        environment={},
        planned=tuple(item.id for item in planned),
        time="2026-01-01T00:00:00+00:00",
        known=run.known,
    )
    return [started, *(_finished(run, item) for item in planned if wanted(item)), Ended(0)]


def _finished(run: Run, item: PlannedItem) -> Finished:
    """What the item of a run does under pytest, done without it."""
    report = ItemReport(item.id, item.component)
    examiner = run.examiner(item)
    examiner.shrink_seconds = SHRINK_SECONDS
    module: Any = import_module(f"tidegauge.run.suites.test_{item.suite.replace('-', '_')}")
    try:
        with_fixtures: Any = SimpleNamespace(funcargs={"run": run, "report": report})
        conftest.pytest_pyfunc_call(with_fixtures)
        getattr(module, module.__name__.rpartition(".")[2])(item, run, examiner, report)
    except pytest.fail.Exception as failed:
        outcome = "failed" if report.failing else "error"
        return Finished(item.id, outcome, 1.0, report, str(failed))  # type: ignore[arg-type]
    return Finished(item.id, "judged", 1.0, report)


def results_of(events: Sequence[AnyEvent], folder: Path) -> Results:
    """The results of a journal."""
    return assemble(list(events), folder, ["tidegauge", "run"], 1.0)


def judged(adapter: Adapter, folder: Path, **asked_for: Any) -> dict[str, RuleResult]:
    """The rules of a run in this process (see `events_of`), by their ids."""
    results = results_of(events_of(adapter, folder, **asked_for), folder)
    return {rule.id: rule for rule in results.rules}


def evidence_from(
    adapter: Adapter, scenarios: Iterable[Scenario], policies: Policies = CORE, **known: Any
) -> Evidence:
    """The evidence of scenarios of one component in which an engine was compared with the reference; all that
    differ are kept."""
    scenarios = list(scenarios)
    component = component_of(scenarios[0])
    examiner = Examiner(adapter, adapter.describe(), policies)
    report = ItemReport("item", component)
    agreeing, differing = [], []
    for scenario, (judgement, transcript) in zip(scenarios, examiner.judged(scenarios), strict=True):
        examiner.fails(report, scenario, judgement, transcript)
        if judgement.agrees:
            agreeing.append(scenario)
        elif judgement.diverges_at is not None and transcript is not None:
            outputs = tuple(map(canonical, transcript.outputs))
            differing.append(Difference(scenario, outputs, judgement.diverges_at))
    return Evidence(
        COMPONENTS[component],
        policies,
        (),
        adapter.describe().observes,
        agreeing,
        differing,
        unanswered={
            rule: scenarios for one in report.errors.values() for rule, scenarios in one.rules.items()
        },
        decided=report.spectrum.passed,
        differ=report.failing,
        silent=bool(report.failing) and not report.outputs,
        **known,
    )


def rules_judged_in(adapter: Adapter, component: str) -> list[str]:
    """The rules that the component's scenarios judge, of those that the engine claims."""
    claimed = adapter.describe().claims()
    rules = load_registry().rules.values()
    return [
        rule.id
        for rule in rules
        if component in judged_by(rule, claimed) and (not rule.needs or claimed & set(rule.needs))
    ]


def judgement_of(
    adapter: Adapter, scenarios: Iterable[Scenario], policies: Policies = CORE
) -> ComponentJudgement:
    """The judgement of an engine by scenarios of one component."""
    scenarios = list(scenarios)
    rules = rules_judged_in(adapter, component_of(scenarios[0]))
    return judge_component(evidence_from(adapter, scenarios, policies), rules)


def failing_rules(adapter: Adapter, scenarios: Iterable[Scenario]) -> set[str]:
    """The rules that fail by nothing but these scenarios of one component."""
    judgement = judgement_of(adapter, scenarios)
    return {rule for rule, one in judgement.rules.items() if one.standing == "fail"}
