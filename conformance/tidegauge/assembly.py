"""`results.json` from the journal, whether or not the run came to its end."""

from datetime import UTC, datetime
from pathlib import Path

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, read_absent, read_policies

from . import __version__
from .components.registry import COMPONENTS
from .counterexamples import counterexample_of
from .journal import AnyEvent, Ended, Finished, Started
from .judging.examination import Counted, ItemReport
from .judging.oracle import expect
from .judging.verdicts import Blamed, Circumstances, Findings, blamed_rules, judged_by, merged, verdict
from .plan import JUDGED_IN_OTHERS
from .property_results import job_property_results, property_results
from .results import (
    SCHEMA,
    VERDICTS,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    Suspect,
    encode_results,
)
from .traceability import decided_in, shown_by


def assemble(events: list[AnyEvent], folder: Path, command: list[str], duration_s: float) -> Results:
    """The results of a journal that has started; writes the counterexamples' files into `folder`."""
    started = next(event for event in events if isinstance(event, Started))
    finished = {event.item: event for event in events if isinstance(event, Finished)}
    policies = PROFILES[started.profile]
    findings = merged([event.report for event in finished.values() if event.report is not None])
    blamed = blamed_rules(findings, COMPONENTS)
    circumstances = Circumstances(
        capabilities=frozenset(started.implementation.capabilities),
        never_output=frozenset(findings.silent),
        not_run=_not_run(started, finished, policies),
    )
    rules = [
        _rule_result(rule, findings, blamed, circumstances, started, folder, policies)
        for rule in load_registry().rules.values()
        if rule.id in blamed or _asked_for(rule, started)
    ]
    properties = property_results(started, findings, policies) + job_property_results(started, findings)
    items = [_item_result(name, finished.get(name)) for name in started.planned]
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
        exit_code=_exit_code(rules, properties, items, complete),
        command=command,
        selection={
            "components": ",".join(started.request.components),
            "rules": ",".join(started.request.rules),
        },
        counts={
            **{name: sum(rule.verdict == name for rule in rules) for name in VERDICTS},
            "scenarios": findings.scenarios,
            "steps": findings.steps,
            "failing_scenarios": findings.failing,
        },
        rules=rules,
        properties=properties,
        items=items,
        jobs=findings.pictures,
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


def _asked_for(rule: Rule, started: Started) -> bool:
    request = started.request
    about = set(rule.needs) if rule.component == JUDGED_IN_OTHERS else {rule.component}
    if request.components and not about & set(request.components):
        return False
    return not request.rules or rule.id in request.rules


def _exit_code(
    rules: list[RuleResult], properties: list[PropertyResult], items: list[ItemResult], complete: bool
) -> int:
    """0 only if something was judged and every claimed rule and property passes."""
    judged = any(rule.verdict == "pass" for rule in rules)
    rules_pass = all(rule.verdict in ("pass", "not-applicable") for rule in rules)
    properties_pass = all(property.verdict in ("pass", "not-applicable") for property in properties)
    items_judged = all(item.outcome == "judged" for item in items)
    return 0 if complete and judged and rules_pass and properties_pass and items_judged else 1


def _not_run(started: Started, finished: dict[str, Finished], policies: Policies) -> dict[str, str]:
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
    rule: Rule,
    findings: Findings,
    blamed: dict[str, Blamed],
    circumstances: Circumstances,
    started: Started,
    folder: Path,
    policies: Policies,
) -> RuleResult:
    value, reason = verdict(rule, findings, blamed, circumstances)
    if value == "not-applicable" and read_absent()[started.profile] & {rule.component, *rule.needs}:
        reason = f"the profile {started.profile} has no such thing"
    counted = findings.rules.get(rule.id, Counted())
    found = blamed.get(rule.id) if value == "fail" else None
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
        layer=started.implementation.layer,
        policy=_policy_text(rule, started.profile),
        scenarios=counted.scenarios,
        steps=counted.steps,
        suspects=[Suspect(name, score) for name, score in found.suspects] if found else [],
        counterexample=counterexample_of(rule, found.failure, started, folder, policies) if found else None,
    )


def _policy_text(rule: Rule, profile: str) -> str | None:
    """Where the profile changes the sentence: by which policy, and what `core` says."""
    if rule.policy is None:
        return None
    policy = read_policies()[rule.policy]
    here, core = policy.profiles[profile], policy.profiles["core"]
    return None if here == core else f"by policy {rule.policy} = {here}; core says {core}"


def _item_result(name: str, event: Finished | None) -> ItemResult:
    if event is None:
        return ItemResult(id=name, outcome="not-run", scenarios=0, steps=0, duration_s=0.0)
    report: ItemReport | None = event.report
    return ItemResult(
        id=name,
        outcome=event.outcome,
        scenarios=report.scenarios if report else 0,
        steps=report.steps if report else 0,
        duration_s=round(event.duration_s, 3),
        text=event.text,
    )
