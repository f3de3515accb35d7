"""Engines judged in this process, from the plan of a run to its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tidegauge import Adapter, Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.contained import ContainedAdapter
from tidegauge.engine.expressed_shape import drawn_shapes
from tidegauge.engine.runner import Marker, run
from tidegauge.judging.diagnosis.collected import evidence_of
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_evidence
from tidegauge.judging.diagnosis.evidence import Difference, Evidence
from tidegauge.judging.diagnosis.suspicion import Accusation, suspicion_of
from tidegauge.judging.items.examination import Examiner, counterexamples_kept
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.judge import Judgement
from tidegauge.judging.items.merged import merged
from tidegauge.judging.items.shrinker import Effort
from tidegauge.judging.jobs.accusations import job_accusations
from tidegauge.judging.reference.deviations import KnownDeviations
from tidegauge.judging.reference.profiles import profile_of, shapes_under
from tidegauge.judging.verdicts.judged_in import judged_by
from tidegauge.run.assembly import assemble
from tidegauge.run.item_verdict import finished
from tidegauge.run.journal import AnyEvent, Ended
from tidegauge.run.plan import PlannedItem, plan
from tidegauge.run.request import Request
from tidegauge.run.run_in_process import Run
from tidegauge.run.work import RunOpening
from tidegauge.vectors.published import every_vector
from tidegauge.wire.results import Results, RuleResult
from tidegauge.wire.scenario import component_of
from tidegauge.wire.transcript import Observation, Transcript, canonical
from tidegauge_reference import CORE, Policies
from tidegauge_spec import load_registry

EFFORT = Effort(rounds=40, steps=20_000)
"""How much work shrinking may take here: little, so that tests stay fast."""


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
    end. `profile`: a name, or the file of an own profile."""
    request = Request(
        adapter=adapter_name,
        components=tuple(components),
        rules=tuple(rules),
        budget="smoke",
        out=str(folder),
    )
    measured = profile_of(profile)
    described = adapter.describe()
    implementation = replace(described, shapes=shapes_under(measured, described.shapes))
    policies = measured.policies
    drawn = drawn_shapes(adapter, implementation)
    planned = plan(request, replace(implementation, shapes=drawn), policies)
    folder.mkdir(parents=True, exist_ok=True)
    under_way = _LittleEffort(
        opening=RunOpening(request=request, item_seconds=300.0, calls_ahead=True),
        adapter=ContainedAdapter(adapter),
        implementation=implementation,
        profile=measured,
        planned=planned,
        known=known or KnownDeviations(),
        drawn=drawn,
        marker=Marker(folder / "about-to-run"),
    )
    return [under_way.started(), *(finished(under_way, item) for item in planned if wanted(item)), Ended()]


class _LittleEffort(Run):
    """A run whose shrinking takes little work."""

    def examiner(self, item: PlannedItem) -> Examiner:
        """The judge of an item."""
        examiner = super().examiner(item)
        examiner.effort = EFFORT
        return examiner


def results_of(events: Sequence[AnyEvent], folder: Path, adapter: Adapter | None = None) -> Results:
    """Return the results of a journal. If `adapter` is given, it runs the scenarios that try models."""
    ask = answers_of(adapter) if adapter is not None else lambda scenarios: {}
    return assemble(list(events), folder, ["tidegauge", "run"], 1.0, ask=ask)


def judged(adapter: Adapter, folder: Path, **asked_for: Any) -> dict[str, RuleResult]:
    """The rules of a run in this process (see `events_of`), by their ids."""
    results = results_of(events_of(adapter, folder, **asked_for), folder, adapter)
    return {rule.id: rule for rule in results.rules}


def evidence_from(
    adapter: Adapter,
    scenarios: Iterable[Scenario],
    policies: Policies = CORE,
    made_small: bool = True,
    **known: Any,
) -> Evidence:
    """Return the evidence of comparing an engine with the reference in scenarios of one component.

    All scenarios that differ are kept. With `made_small`, a few of them are shrunk, too.
    """
    scenarios = list(scenarios)
    component = component_of(scenarios[0])
    examiner = Examiner(adapter, adapter.describe(), policies, effort=EFFORT)
    report = ItemReport("item", component)
    agreeing, differing, failing = [], [], []
    for scenario, (judgement, transcript) in zip(scenarios, examiner.judged(scenarios), strict=True):
        examiner.fails(report, scenario, judgement, transcript)
        if judgement.agrees:
            agreeing.append(scenario)
        elif judgement.diverges_at is not None and transcript is not None:
            outputs = tuple(map(canonical, transcript.outputs))
            differing.append(Difference(scenario, outputs, judgement.diverges_at))
            failing.append((scenario, judgement, transcript))
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
        smallest=list(_made_small(examiner, failing)) if made_small else (),
        claims=adapter.describe().claims(),
        **known,
    )


def _made_small(
    examiner: Examiner, failing: Sequence[tuple[Scenario, Judgement, Transcript]]
) -> Iterator[Difference]:
    """Yield a few minimal counterexamples, shrunk as the items of a run shrink them."""
    transcripts = {scenario.id: transcript for scenario, _, transcript in failing}
    for scenario, judgement in counterexamples_kept([(one, judged) for one, judged, _ in failing]):
        found = examiner.shrunk(scenario, judgement, transcripts[scenario.id])
        if found.transcript is not None:
            yield Difference(found.scenario, tuple(map(canonical, found.transcript.outputs)), 0)


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
    return judge_evidence(evidence_from(adapter, scenarios, policies), rules, ask=answers_of(adapter))


def answers_of(adapter: Adapter) -> Callable[[Sequence[Scenario]], dict[str, Transcript | None]]:
    """Return a function that runs the scenarios that try a model on the engine."""

    def ask(scenarios: Sequence[Scenario]) -> dict[str, Transcript | None]:
        expressible = [one for one in scenarios if adapter.inexpressible(one) is None]
        return {one.id: answer for one, answer in zip(expressible, run(adapter, expressible), strict=True)}

    return ask


def accusations_in(*reports: ItemReport, observes: Observation = "step") -> tuple[Accusation, ...]:
    """Return the accusations that the items of one component, or of jobs, lead to without any model."""
    component = reports[0].component
    if component == "job":
        return job_accusations(merged(reports))
    evidence = evidence_of(component, [], reports, CORE, (), observes, every_vector(), stated=None)
    rules = [rule.id for rule in load_registry().of_component(component)]
    try:
        return suspicion_of(evidence, rules, evidence.differing, evidence.violations).accusations
    finally:
        evidence.reference.close()


def accused_in(*reports: ItemReport, observes: Observation = "step") -> set[str]:
    """Return the rules in the accusations of these items."""
    return {rule for one in accusations_in(*reports, observes=observes) for rule in one.rules}


def failing_rules(adapter: Adapter, scenarios: Iterable[Scenario]) -> set[str]:
    """The rules that fail by nothing but these scenarios of one component."""
    judgement = judgement_of(adapter, scenarios)
    return {rule for rule, one in judgement.rules.items() if one.standing == "fail"}


def accused_rules(adapter: Adapter, scenarios: Iterable[Scenario]) -> set[str]:
    """Return the rules that fail or are suspects because of these scenarios of one component."""
    judgement = judgement_of(adapter, scenarios)
    return {rule for rule, one in judgement.rules.items() if one.standing in ("fail", "suspect")}
