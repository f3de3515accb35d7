"""`results.json` from the journal, whether or not the run came to its end."""

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, read_absent, read_policies

from . import __version__
from .components.job.properties import JOB_PROPERTIES
from .components.registry import COMPONENTS
from .journal import AnyEvent, Ended, Finished, Started
from .judging.examination import Counted, FoundFailure, ItemReport, PropertyCount
from .judging.jobs import DELAYS_ONLY, DELAYS_ONLY_SENTENCE, RULES_OF_JOB_PROPERTIES
from .judging.judge import judge
from .judging.oracle import expect
from .judging.verdicts import Blamed, Circumstances, Findings, blamed_rules, judged_by, merged, verdict
from .plan import JUDGED_IN_OTHERS
from .results import (
    SCHEMA,
    VERDICTS,
    Counterexample,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    StepRecord,
    Suspect,
    Verdict,
    encode_results,
)
from .scenario import JobScenario, Scenario, encode_scenario
from .traceability import decided_in, shown_by
from .transcript import Outputs, spans
from .wording import answer_text, failure_message, job_failure_message, outputs_text

COUNTEREXAMPLES = "counterexamples"


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
    properties = _property_results(started, findings, policies) + _job_property_results(started, findings)
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
        counterexample=_counterexample(rule, found.failure, started, folder, policies) if found else None,
    )


def _policy_text(rule: Rule, profile: str) -> str | None:
    """Where the profile changes the sentence: by which policy, and what `core` says."""
    if rule.policy is None:
        return None
    policy = read_policies()[rule.policy]
    here, core = policy.profiles[profile], policy.profiles["core"]
    return None if here == core else f"by policy {rule.policy} = {here}; core says {core}"


def _counterexample(
    rule: Rule, failure: FoundFailure, started: Started, folder: Path, policies: Policies
) -> Counterexample:
    scenario, observes = failure.scenario, started.implementation.observes
    if isinstance(scenario, JobScenario):
        return _job_counterexample(rule, scenario, failure, started, folder)
    expectation = expect(scenario, policies)
    judgement = judge(scenario, failure.transcript, expectation, observes)
    file, replay = _written(rule, scenario, started, folder)
    last_step = judgement.last_step if judgement.diverges_at is not None else len(scenario.history) - 1
    expected, got = outputs_text(judgement.expected), answer_text(judgement.got)
    if failure.property is not None:
        sentence = _property_sentence(failure.property)
        expected = f"{expected} (property {failure.property}: {sentence})"
    if not failure.deterministic:
        got += " (the answer changes from run to run)"
    return Counterexample(
        scenario=msgspec.to_builtins(scenario),
        found_as=failure.found_as,
        diverges_at=last_step,
        steps=_step_records(scenario, expectation.outputs, failure, spans(scenario, observes)),
        expected=expected,
        got=got,
        message=failure_message(rule, scenario, last_step, expected, got, replay),
        replay=replay,
        file=file,
        deterministic=failure.deterministic,
        property=failure.property,
    )


def _written(rule: Rule, scenario: Scenario, started: Started, folder: Path) -> tuple[str, str]:
    """Write the scenario of a counterexample; its file (relative), and the command that replays it."""
    file = f"{COUNTEREXAMPLES}/{rule.id}.jsonl"
    (folder / COUNTEREXAMPLES).mkdir(exist_ok=True)
    (folder / file).write_bytes(encode_scenario(scenario) + b"\n")
    return file, f"tidegauge replay {shlex.quote(str(folder / file))} {_adapter_arguments(started)}"


def _job_counterexample(
    rule: Rule, scenario: JobScenario, failure: FoundFailure, started: Started, folder: Path
) -> Counterexample:
    file, replay = _written(rule, scenario, started, folder)
    sentence = _property_sentence(failure.property or "")
    return Counterexample(
        scenario=msgspec.to_builtins(scenario),
        found_as=failure.found_as,
        diverges_at=0,
        steps=[],
        expected=sentence,
        got=failure.seen,
        message=job_failure_message(rule, scenario, sentence, failure.seen, replay),
        replay=replay,
        file=file,
        property=failure.property,
    )


def _adapter_arguments(started: Started) -> str:
    request = started.request
    options = " ".join(f"--option {shlex.quote(f'{key}={value}')}" for key, value in request.options.items())
    return f"--adapter {shlex.quote(request.adapter)} --profile {started.profile} {options}".strip()


def _property_sentence(name: str) -> str:
    """The sentence of a property of components or of jobs."""
    if name == DELAYS_ONLY:
        return DELAYS_ONLY_SENTENCE
    of_jobs = {property.name: property.sentence for property in JOB_PROPERTIES}
    of_components = {p.name: p.sentence for c in COMPONENTS.values() for p in c.properties}
    return (of_jobs | of_components)[name]


def _step_records(
    scenario: Scenario, expected: list[Outputs], failure: FoundFailure, lengths: list[int]
) -> list[StepRecord]:
    """Each step with the outputs of the observed span that ends with it."""
    outputs = failure.transcript.outputs if failure.transcript is not None else ()
    records: list[StepRecord] = []
    for number, length in enumerate(lengths):
        first = len(records)
        for index in range(first, first + length):
            step = _wire(scenario.history[index])
            if index < first + length - 1:
                records.append(StepRecord(step, None, None))
                continue
            span = [output for part in expected[first : first + length] for output in part]
            given = [_wire(output) for output in outputs[number]] if number < len(outputs) else None
            records.append(StepRecord(step, [_wire(output) for output in span], given))
    return records


def _wire(struct: Any) -> dict[str, Any]:
    return dict(msgspec.to_builtins(struct))


def _property_results(started: Started, findings: Findings, policies: Policies) -> list[PropertyResult]:
    results = []
    for name, component in COMPONENTS.items():
        if name not in started.implementation.capabilities:
            continue
        for property in component.properties:
            holds = all(getattr(policies, policy) == value for policy, value in property.holds_under.items())
            counted = findings.properties.get(property.name)
            if holds and counted is None and (started.request.components or started.request.rules):
                continue
            value, reason = _property_verdict(holds, counted)
            results.append(
                PropertyResult(
                    name=property.name,
                    component=name,
                    sentence=property.sentence,
                    rules=list(property.rules),
                    verdict=value,
                    reason=reason,
                    checked=counted.checked if counted else 0,
                    violated=counted.violated if counted else 0,
                )
            )
    return results


def _job_property_results(started: Started, findings: Findings) -> list[PropertyResult]:
    if "job" not in started.implementation.capabilities:
        return []
    results = []
    for name, rules in RULES_OF_JOB_PROPERTIES.items():
        counted = findings.properties.get(name)
        if counted is None:
            continue
        value, reason = _property_verdict(True, counted)
        results.append(
            PropertyResult(
                name=name,
                component="job",
                sentence=_property_sentence(name),
                rules=list(rules),
                verdict=value,
                reason=reason,
                checked=counted.checked,
                violated=counted.violated,
            )
        )
    return results


def _property_verdict(holds: bool, counted: PropertyCount | None) -> tuple[Verdict, str]:
    if not holds:
        return "not-applicable", "a right engine of this profile need not have it"
    if counted is None:
        return (
            "not-applicable",
            "the engine does not claim what it needs, or cannot be observed closely enough",
        )
    if counted.violated:
        return "fail", f"violated in {counted.violated} of {counted.checked} scenarios"
    if counted.vacuous:
        return "not-judged", "the job without alignment has it too, so it shows nothing"
    if not counted.checked:
        return "not-run", "inconclusive: its situation never arose"
    return "pass", f"held in {counted.checked} scenarios"


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
