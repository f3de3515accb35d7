"""`results.json` from the journal, whether or not the run came to its end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, read_absent, read_policies

from . import __version__
from .components.registry import COMPONENTS
from .counterexamples import counterexample_of
from .journal import AnyEvent, Ended, Finished, Started
from .judging.collected import Compared, evidence_of
from .judging.component_judgement import ComponentJudgement, judge_component
from .judging.evidence import Evidence
from .judging.examination import Counted, FoundFailure, ItemReport
from .judging.example import example_of
from .judging.known_deviations import as_known, deviation_results, expected, properties_as_known
from .judging.oracle import expect
from .judging.rule_verdicts import Circumstances, Ruling, ruling
from .judging.verdicts import Blamed, Findings, blamed_rules, judged_by, merged
from .plan import JUDGED_IN_OTHERS, PlannedItem, judged_in, plan
from .property_results import job_property_results, property_results
from .results import (
    SCHEMA,
    ComponentResult,
    EngineError,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    Suspect,
    Term,
    counts_of,
    encode_results,
)
from .scenario import component_of
from .traceability import decided_in, shown_by
from .vectors import every_vector, own_vectors

_DRAWN_AGAIN = ("vectors", "state-cover", "random-histories")
"""The suites whose scenarios are compared with the reference and can be drawn again by their places."""


def assemble(events: list[AnyEvent], folder: Path, command: list[str], duration_s: float) -> Results:
    """The results of a journal that has started; writes the counterexamples' files into `folder`."""
    started = next(event for event in events if isinstance(event, Started))
    finished = {event.item: event for event in events if isinstance(event, Finished)}
    policies = PROFILES[started.profile]
    judged = _judged(started, finished, policies)
    findings = judged.findings
    deviations = deviation_results(started.known, findings, whole=_whole(started))
    rules = [
        _rule_result(rule, judged, started, folder, policies)
        for rule in load_registry().rules.values()
        if _asked_for(rule, started)
    ]
    rules = as_known(rules, deviations, started.known)
    properties = _properties(started, findings, policies)
    problem = next((event.problem for event in events if isinstance(event, Ended)), "")
    items = [_item_result(name, finished.get(name), problem) for name in started.planned]
    complete = any(isinstance(event, Ended) for event in events) and all(
        i.outcome != "not-run" for i in items
    )
    succeeded = complete and not judged.errors and all(map(expected, deviations))
    return Results(
        schema=SCHEMA,
        tidegauge=__version__,
        spec=SPEC_VERSION,
        profile=started.profile,
        implementation=started.implementation,
        environment=started.environment,
        seed=started.request.seed,
        budget=started.request.budget,
        started=started.time,
        duration_s=round(duration_s, 3),
        complete=complete,
        exit_code=2 if judged.refuses_all else _exit_code(rules, properties, items, succeeded),
        command=command,
        selection={
            "components": ",".join(started.request.components),
            "rules": ",".join(started.request.rules),
        },
        counts={
            **counts_of(rules),
            "scenarios": findings.scenarios,
            "steps": findings.steps,
            "failing_scenarios": findings.failing,
            "error_scenarios": findings.unanswered,
        },
        rules=rules,
        properties=properties,
        items=items,
        jobs=findings.pictures,
        deviations=deviations,
        left_out=dict(sorted(findings.left_out.reasons.items())),
        errors=judged.errors,
        components=judged.component_results(),
    )


def write_results(results: Results, folder: Path) -> Path:
    """Write `results.json` into `folder` so that a reader never sees half of it."""
    path = folder / "results.json"
    partial = folder / "results.json.partial"
    partial.write_bytes(encode_results(results))
    partial.replace(path)
    return path


def now_text() -> str:
    """The current time for records, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _whole(started: Started) -> bool:
    request = started.request
    return not request.components and not request.rules and request.budget != "smoke"


def _asked_for(rule: Rule, started: Started) -> bool:
    request = started.request
    if request.components and rule.component not in request.components:
        return False
    return not request.rules or rule.id in request.rules


def _exit_code(
    rules: list[RuleResult], properties: list[PropertyResult], items: list[ItemResult], succeeded: bool
) -> int:
    """0 only if something was judged, and every claimed rule and property passes or fails as is known. An item
    may fail by what is known to be flaky."""
    judged = any(rule.verdict == "pass" or rule.deviation is not None for rule in rules)
    passing = ("pass", "not-applicable")
    rules_pass = all(r.verdict in passing or r.flaky is not None or r.deviation is not None for r in rules)
    properties_pass = all(p.verdict in passing or p.flaky is not None for p in properties)
    accounted_for = any(r.flaky is not None for r in rules) or any(p.flaky is not None for p in properties)
    ended = ("judged", "failed") if accounted_for else ("judged",)
    items_judged = all(item.outcome in ended for item in items)
    return 0 if succeeded and judged and rules_pass and properties_pass and items_judged else 1


@dataclass(frozen=True)
class _Judged:
    """What items found, what it proves in each component, the rules to which failing jobs are laid, what else
    bears on the verdicts, and where the engine gave no answer."""

    findings: Findings
    evidence: Mapping[str, Evidence]
    components: Mapping[str, ComponentJudgement]
    blamed: Mapping[str, Blamed]
    circumstances: Circumstances
    errors: list[EngineError]
    reports: Mapping[str, Sequence[ItemReport]]

    @property
    def refuses_all(self) -> bool:
        """Whether the engine answered nothing in the preflight of any component."""
        return bool(self.reports) and set(self.circumstances.refused) == set(self.reports)

    def component_results(self) -> list[ComponentResult]:
        """The sums of each component, and the model that behaves as the engine."""
        return [self._component_result(name, reports) for name, reports in self.reports.items()]

    def _component_result(self, name: str, reports: Sequence[ItemReport]) -> ComponentResult:
        sums = merged(reports)
        judgement = self.components.get(name)
        fit = judgement.fit if judgement is not None else None
        return ComponentResult(
            component=name,
            scenarios=sums.scenarios,
            failing=sum(one.failing for one in reports if not one.properties),
            errors=sums.unanswered,
            examined=judgement.examined if judgement is not None else 0,
            explained=len(fit.explained) if fit is not None else 0,
            model=[
                Term(
                    name=term.name,
                    kind=term.kind,
                    rules=list(term.rules),
                    ties=[one.name for one in tie[1:]],
                )
                for term, tie in zip(fit.terms, fit.ties, strict=True)
            ]
            if fit is not None
            else [],
        )


def _judged(started: Started, finished: Mapping[str, Finished], policies: Policies) -> _Judged:
    reports = [event.report for event in finished.values() if event.report is not None]
    by_component = {
        name: sorted((one for one in reports if one.component == name), key=lambda one: one.item)
        for name in COMPONENTS
        if any(one.component == name for one in reports)
    }
    findings = merged(reports)
    evidence = {
        name: _evidence(name, own, started, policies)
        for name, own in by_component.items()
        if name != "job" and not any(one.refused for one in own)
    }
    claimed = frozenset(started.implementation.capabilities)
    components = {
        name: judge_component(found, [rule.id for rule in _rules_judged_in(name, claimed)])
        for name, found in evidence.items()
    }
    jobs_only = merged(by_component.get("job", []))
    return _Judged(
        findings,
        evidence,
        components,
        blamed_rules(jobs_only, COMPONENTS),
        _circumstances(started, finished, policies),
        [*_errors(by_component), *_ended(started, finished, policies)],
        by_component,
    )


def _rules_judged_in(component: str, claimed: frozenset[str]) -> list[Rule]:
    return [rule for rule in load_registry().rules.values() if component in judged_by(rule, claimed)]


def _evidence(
    component: str, reports: Sequence[ItemReport], started: Started, policies: Policies
) -> Evidence:
    from .suites.items import scenario_at

    items = {item.id: item for item in _planned(started, policies)}
    compared = [
        Compared(one, item.suite == "vectors", partial(scenario_at, item, started.request, policies))
        for one in reports
        if (item := items[one.item]).suite in _DRAWN_AGAIN
    ]
    vectors = [*every_vector(), *own_vectors(started.request.vectors)]
    return evidence_of(
        component,
        compared,
        reports,
        policies,
        started.known.deviation,
        started.implementation.observes,
        vectors,
    )


def _planned(started: Started, policies: Policies) -> list[PlannedItem]:
    return plan(started.request, started.implementation, policies)


def _properties(started: Started, findings: Findings, policies: Policies) -> list[PropertyResult]:
    """What became of the properties."""
    found = [*property_results(started, findings, policies), *job_property_results(started, findings)]
    return properties_as_known(found, findings, started.known)


def _circumstances(started: Started, finished: Mapping[str, Finished], policies: Policies) -> Circumstances:
    planned = _planned(started, policies)
    reports = [event.report for event in finished.values() if event.report is not None]
    missing = Counter(item.component for item in planned if not _came_to_its_end(finished.get(item.id)))
    total = Counter(item.component for item in planned)
    return Circumstances(
        capabilities=frozenset(started.implementation.capabilities),
        refused={
            one.component: "the engine gave no answer in any scenario of the preflight: "
            + "; ".join(error.text.splitlines()[0] for error in list(one.errors.values())[:1])
            for one in reports
            if one.refused
        },
        ended={rule: error.text for error in _ended(started, finished, policies) for rule in error.rules},
        not_run={
            name: f"{number} of {total[name]} items of this component did not come to their end"
            for name, number in missing.items()
        },
        jobs=frozenset(item.name for item in planned if item.suite == "jobs" and item.id in finished),
    )


def _came_to_its_end(event: Finished | None) -> bool:
    """Whether an item was judged, with or without answers, or ended in a scenario that is known: then that is an
    error of its rules."""
    if event is None:
        return False
    unanswered = event.report is not None and bool(event.report.errors)
    return event.outcome in ("judged", "failed") or unanswered or bool(event.running)


def _errors(reports: Mapping[str, Sequence[ItemReport]]) -> list[EngineError]:
    """How the engine gave no answer, in each component, by what it raised."""
    found: list[EngineError] = []
    for component, own in reports.items():
        total = sum(one.scenarios for one in own)
        kinds = dict.fromkeys(key for one in own for key in one.errors)
        for key in kinds:
            seen = [one.errors[key] for one in own if key in one.errors]
            found.append(
                EngineError(
                    component=component,
                    kind=seen[0].kind,
                    text=seen[0].text,
                    scenarios=sum(one.scenarios for one in seen),
                    of=total,
                    scenario=seen[0].scenario,
                    traceback=seen[0].traceback,
                    rules=sorted({rule for one in seen for rule in one.rules}),
                )
            )
    return found


def _ended(started: Started, finished: Mapping[str, Finished], policies: Policies) -> list[EngineError]:
    """Scenarios that ended the process of the engine, or did not end."""
    from .suites.items import find_scenario

    found: list[EngineError] = []
    for event in finished.values():
        if event.outcome not in ("crashed", "timeout"):
            continue
        scenario = find_scenario(event.running, started, policies)
        rules: Iterable[str] = ()
        component = event.item.partition("-")[0]
        if scenario is not None:
            cited = expect(scenario, policies).cited
            rules = {decision.removesuffix("!") for step in cited for decision in step}
            component = component_of(scenario)
        how = "crashed" if event.outcome == "crashed" else "did not answer in time"
        found.append(
            EngineError(
                component=component,
                kind=event.outcome,
                text=f"the engine {how} in scenario {event.running or 'unknown'}",
                scenarios=1,
                of=1,
                scenario=event.running,
                rules=sorted(rules),
            )
        )
    return found


def _rule_result(
    rule: Rule, judged: _Judged, started: Started, folder: Path, policies: Policies
) -> RuleResult:
    found = ruling(rule, judged.findings, judged.components, judged.blamed, judged.circumstances)
    value, reason = found.verdict, found.reason
    if value == "not-applicable" and read_absent()[started.profile] & {rule.component, *rule.needs}:
        reason = f"the profile {started.profile} has no such thing"
    counted = judged.findings.rules.get(rule.id, Counted())
    failure = _example(rule, judged, found) if value == "fail" else None
    blamed = judged.blamed.get(rule.id)
    component = judged.components.get(rule.component)
    suspects = component.suspects if component is not None else []
    if blamed is not None:
        suspects = blamed.suspects
    judgement = found.judgement
    passing = judgement if value == "pass" else None
    return RuleResult(
        id=rule.id,
        level=rule.level,
        component=rule.component,
        title=rule.title,
        sentence=rule.sentence,
        intent=rule.intent,
        check=rule.check,
        sources=list(rule.sources),
        reference=decided_in(rule.id),
        vectors=shown_by(rule.id),
        verdict=value,
        reason=reason,
        layer=_layers(rule, started),
        policy=_policy_text(rule, started.profile),
        scenarios=counted.scenarios,
        steps=counted.steps,
        excludes=passing.excluded if passing is not None else [],
        thin=passing is not None and passing.thin,
        suspected=judgement is not None and judgement.suspected,
        stands_in_the_way=judgement.in_the_way if judgement is not None else "",
        suspects=[Suspect(name, score) for name, score in suspects[:5]] if value == "fail" else [],
        counterexample=counterexample_of(rule, failure, started, folder, policies) if failure else None,
        also_in=sorted(blamed.found_in - {rule.component}) if blamed is not None else [],
        since=rule.since,
    )


def _example(rule: Rule, judged: _Judged, found: Ruling) -> FoundFailure | None:
    """The scenario that shows how the rule is broken."""
    names = [rule.component] if rule.component != JUDGED_IN_OTHERS else sorted(judged_in(rule))
    for name in names:
        component = judged.components.get(name)
        judgement = component.rules.get(rule.id) if component is not None else None
        if component is None or judgement is None or found.judgement is not judgement:
            continue
        failures = merged(judged.reports[name]).failures
        return example_of(rule.id, judgement, failures, judged.evidence[name], component.fit.terms)
    return judged.blamed[rule.id].failure if rule.id in judged.blamed else None


def _layers(rule: Rule, started: Started) -> str:
    """Where the code ran that the rule is about; of one that decides in several components, all of that."""
    claimed = judged_in(rule) & set(started.implementation.capabilities)
    layers = {started.implementation.layer_of(name): None for name in sorted(claimed or {rule.component})}
    return ", ".join(layers)


def _policy_text(rule: Rule, profile: str) -> str | None:
    """Where the profile changes the sentence: by which policy, and what `core` says."""
    if rule.policy is None:
        return None
    policy = read_policies()[rule.policy]
    here, core = policy.profiles[profile], policy.profiles["core"]
    return None if here == core else f"by policy {rule.policy} = {here}; core says {core}"


def _item_result(name: str, event: Finished | None, problem: str) -> ItemResult:
    """`problem`: why an item that did not finish was not run, as far as that is known."""
    if event is None:
        return ItemResult(id=name, outcome="not-run", scenarios=0, steps=0, duration_s=0.0, text=problem)
    report: ItemReport | None = event.report
    return ItemResult(
        id=name,
        outcome=event.outcome,
        scenarios=report.scenarios if report else 0,
        steps=report.steps if report else 0,
        duration_s=round(event.duration_s, 3),
        text=event.text,
    )
