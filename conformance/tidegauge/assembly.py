"""`results.json` from the journal, whether or not the run came to its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, read_absent, read_policies

from . import __version__
from .components.registry import COMPONENTS
from .counterexamples import counterexample_of
from .journal import AnyEvent, Ended, Finished, Started
from .judging.examination import Counted, ItemReport
from .judging.known_deviations import as_known, deviation_results, expected, properties_as_known
from .judging.oracle import expect
from .judging.verdicts import Blamed, Circumstances, Findings, blamed_rules, judged_by, merged, verdict
from .plan import judged_in
from .property_results import job_property_results, property_results
from .results import (
    SCHEMA,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    Suspect,
    counts_of,
    encode_results,
)
from .traceability import decided_in, shown_by


def assemble(events: list[AnyEvent], folder: Path, command: list[str], duration_s: float) -> Results:
    """The results of a journal that has started; writes the counterexamples' files into `folder`."""
    started = next(event for event in events if isinstance(event, Started))
    finished = {event.item: event for event in events if isinstance(event, Finished)}
    policies = PROFILES[started.profile]
    judged = _judged(started, finished, policies)
    deviations = deviation_results(started.known, judged.findings, whole=_whole(started))
    rules = [
        _rule_result(rule, judged, started, folder, policies)
        for rule in load_registry().rules.values()
        if rule.id in judged.blamed or _asked_for(rule, started)
    ]
    rules = as_known(rules, deviations, started.known)
    properties = [
        *property_results(started, judged.findings, policies),
        *job_property_results(started, judged.findings),
    ]
    properties = properties_as_known(properties, judged.findings, started.known)
    problem = next((event.problem for event in events if isinstance(event, Ended)), "")
    items = [_item_result(name, finished.get(name), problem) for name in started.planned]
    complete = any(isinstance(event, Ended) for event in events) and all(
        i.outcome != "not-run" for i in items
    )
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
        exit_code=_exit_code(rules, properties, items, complete and all(map(expected, deviations))),
        command=command,
        selection={
            "components": ",".join(started.request.components),
            "rules": ",".join(started.request.rules),
        },
        counts={
            **counts_of(rules),
            "scenarios": judged.findings.scenarios,
            "steps": judged.findings.steps,
            "failing_scenarios": judged.findings.failing,
        },
        rules=rules,
        properties=properties,
        items=items,
        jobs=judged.findings.pictures,
        deviations=deviations,
        left_out=dict(sorted(judged.findings.left_out.reasons.items())),
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
    about = {rule.component, *judged_in(rule)}
    if request.components and not about & set(request.components):
        return False
    return not request.rules or rule.id in request.rules


def _exit_code(
    rules: list[RuleResult], properties: list[PropertyResult], items: list[ItemResult], complete: bool
) -> int:
    """0 only if something was judged and every claimed rule and property passes; an item may fail by what is
    known to be flaky."""
    judged = any(rule.verdict == "pass" for rule in rules)
    passing = ("pass", "not-applicable")
    rules_pass = all(r.verdict in passing or r.flaky is not None for r in rules)
    properties_pass = all(p.verdict in passing or p.flaky is not None for p in properties)
    accounted_for = "fail" in {*(rule.verdict for rule in rules), *(found.verdict for found in properties)}
    ended = ("judged", "failed") if accounted_for else ("judged",)
    items_judged = all(item.outcome in ended for item in items)
    return 0 if complete and judged and rules_pass and properties_pass and items_judged else 1


@dataclass(frozen=True)
class _Judged:
    """What items found, the rules to blame for it, and what else bears on the verdicts."""

    findings: Findings
    blamed: dict[str, Blamed]
    circumstances: Circumstances


def _judged(started: Started, finished: Mapping[str, Finished], policies: Policies) -> _Judged:
    findings = merged([event.report for event in finished.values() if event.report is not None])
    circumstances = Circumstances(
        capabilities=frozenset(started.implementation.capabilities),
        never_output=frozenset(findings.silent),
        not_run=_not_run(started, finished, policies),
    )
    return _Judged(findings, blamed_rules(findings, COMPONENTS), circumstances)


def _not_run(started: Started, finished: Mapping[str, Finished], policies: Policies) -> dict[str, str]:
    """Rules that cannot be judged: those that decide in a scenario on which the engine crashed or hung;
    those of a component none of whose items came to an end."""
    from .suites.items import find_scenario

    reasons: dict[str, str] = {}
    for event in finished.values():
        if event.outcome not in ("crashed", "timeout"):
            continue
        scenario = find_scenario(event.running, started, policies)
        if scenario is not None:
            for step in expect(scenario, policies).cited:
                for decision in step:
                    reason = f"the engine {_ENDED[event.outcome]} in scenario {event.running}"
                    reasons.setdefault(decision.removesuffix("!"), reason)
    judged = {event.report.component for event in finished.values() if event.report is not None}
    for rule in load_registry().rules.values():
        if not judged_by(rule, frozenset(started.implementation.capabilities)) & judged:
            reasons.setdefault(rule.id, "no item of this component came to its end")
    return reasons


_ENDED = {"crashed": "crashed", "timeout": "did not answer in time"}


def _rule_result(
    rule: Rule, judged: _Judged, started: Started, folder: Path, policies: Policies
) -> RuleResult:
    value, reason = verdict(rule, judged.findings, judged.blamed, judged.circumstances)
    if value == "not-applicable" and read_absent()[started.profile] & {rule.component, *rule.needs}:
        reason = f"the profile {started.profile} has no such thing"
    counted = judged.findings.rules.get(rule.id, Counted())
    found = judged.blamed.get(rule.id) if value == "fail" else None
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
        suspects=[Suspect(name, score) for name, score in found.suspects] if found else [],
        counterexample=counterexample_of(rule, found.failure, started, folder, policies) if found else None,
        also_in=sorted(found.found_in - {rule.component}) if found else [],
        since=rule.since,
    )


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
