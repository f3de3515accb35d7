"""`results.json` from the journal, whether or not the run came to its end."""

from collections.abc import Sequence
from pathlib import Path

from tidegauge_reference import CORE, Policies
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, read_absent

from ..judging.diagnosis.trial import Ask
from ..judging.items.item_report import Counted, ItemReport
from ..judging.items.merged import Findings
from ..judging.reference.profiles import Profile, recorded_profile
from ..judging.traceability import decided_in, shown_by
from ..judging.verdicts.judged_in import judged_in
from ..judging.verdicts.known_deviations import as_known, deviation_results, expected, properties_as_known
from ..judging.verdicts.rule_verdicts import ruling
from ..version import __version__
from ..wire.results import (
    ACCUSED,
    FILE_NAME,
    SCHEMA,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    Suspect,
    counts_of,
    encode_results,
)
from .component_results import component_results
from .counterexamples import counterexample_of
from .endurance_results import endurance_results, unbounded
from .isolation_results import isolation_results
from .journal import AnyEvent, Ended, Finished, Started
from .judged_run import Judged, example_for, judged_run
from .outside_of_scenarios import errors_outside
from .own_folder import write_own
from .plan import PlannedItem
from .property_results import job_property_results, property_results


def assemble(
    events: list[AnyEvent],
    folder: Path,
    command: list[str],
    duration_s: float,
    planned: Sequence[PlannedItem] | None = None,
    processes: int = 1,
    ask: Ask = lambda scenarios: {},
) -> Results:
    """Make the results from a journal, and write the counterexamples into the folder.

    Args:
        events: the events of the journal; they include `Started`.
        folder: the folder for the files of the counterexamples.
        command: the command that wrote the journal, as a list of words.
        duration_s: the duration of the run in s.
        planned: the items, if they differ from the plan of the run; no property is judged then.
        processes: the number of parallel processes for judging.
        ask: runs the scenarios that test models on the engine.

    Raises:
        BadInput: if the journal names a profile that does not exist.
    """
    started = next(event for event in events if isinstance(event, Started))
    finished = {event.item: event for event in events if isinstance(event, Finished)}
    profile = recorded_profile(started.profile, started.own_profile)
    judged = judged_run(started, finished, profile.policies, planned, processes, ask)
    findings = judged.findings
    deviations = deviation_results(started.known, findings, whole=_whole(started))
    rules = [
        _rule_result(rule, judged, started, folder, profile)
        for rule in load_registry().rules.values()
        if _asked_for(rule, started)
    ]
    properties = (
        [
            *_properties(started, findings, profile.policies),
            *isolation_results(started, finished, folder),
            *endurance_results(started, finished),
        ]
        if planned is None
        else []
    )
    rules = as_known(unbounded(rules, properties), deviations, started.known)
    ended = [event for event in events if isinstance(event, Ended)][-1:]  # a resumed run may have two
    problem = next((event.problem for event in ended), "")
    items = [_item_result(name, finished.get(name), problem) for name in started.planned]
    complete = bool(ended) and all(i.outcome != "not-run" for i in items)
    errors = [
        *judged.errors,
        *(error for event in ended for error in errors_outside(event.outside)),
    ]
    succeeded = complete and not errors and all(map(expected, deviations))
    return Results(
        schema=SCHEMA,
        tidegauge=__version__,
        spec=SPEC_VERSION,
        profile=started.profile,
        own_profile=started.own_profile,
        implementation=started.implementation,
        environment=started.environment,
        seed=started.request.seed,
        budget=started.request.budget,
        started=started.time,
        duration_s=round(duration_s, 3),
        complete=complete,
        exit_code=2 if judged.refuses_all else exit_code_of(rules, properties, items, succeeded),
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
        errors=errors,
        components=component_results(judged, started, folder, profile.policies),
    )


def write_results(results: Results, folder: Path) -> Path:
    """Write `results.json` into `folder` so that a reader never sees half of it."""
    return write_own(folder, FILE_NAME, encode_results(results))


def _whole(started: Started) -> bool:
    request = started.request
    return not request.components and not request.rules and request.budget != "smoke"


def _asked_for(rule: Rule, started: Started) -> bool:
    request = started.request
    if request.components and rule.component not in request.components:
        return False
    return not request.rules or rule.id in request.rules


def exit_code_of(
    rules: list[RuleResult], properties: list[PropertyResult], items: list[ItemResult], succeeded: bool
) -> int:
    """Return the exit code of a run: 0 only if something was judged, and every claimed rule and property
    passes or is accused as is known. An item may fail by what is known to be flaky."""
    judged = any(rule.verdict == "pass" or rule.deviation is not None for rule in rules)
    passing = ("pass", "not-applicable")
    rules_pass = all(r.verdict in passing or r.flaky is not None or r.deviation is not None for r in rules)
    properties_pass = all(p.verdict in passing or p.flaky is not None for p in properties)
    accounted_for = any(r.flaky is not None for r in rules) or any(p.flaky is not None for p in properties)
    ended = ("judged", "failed") if accounted_for else ("judged",)
    items_judged = all(item.outcome in ended for item in items)
    return 0 if succeeded and judged and rules_pass and properties_pass and items_judged else 1


def _properties(started: Started, findings: Findings, policies: Policies) -> list[PropertyResult]:
    """What became of the properties."""
    found = [*property_results(started, findings, policies), *job_property_results(started, findings)]
    return properties_as_known(found, findings, started.known)


def _rule_result(rule: Rule, judged: Judged, started: Started, folder: Path, profile: Profile) -> RuleResult:
    found = ruling(rule, judged.findings, judged.components, judged.job_accusations, judged.circumstances)
    value, reason = found.verdict, found.reason
    if value == "not-applicable" and read_absent()[profile.base] & {rule.component, *rule.needs}:
        reason = f"the profile {started.profile} has no such thing"
    counted = judged.findings.rules.get(rule.id, Counted())
    failure = example_for(rule, judged, found) if value in ACCUSED else None
    judgement = found.judgement
    accusation = judgement.accusation if judgement is not None else None
    by_jobs = accusation in judged.job_accusations
    names = accusation.rules if accusation is not None else (rule.id,)
    accused = [load_registry().rules[name] for name in names]
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
        policy=_policy_text(rule, profile),
        scenarios=counted.scenarios,
        steps=counted.steps,
        excludes=passing.excluded if passing is not None else [],
        not_excluded=passing.not_excluded if passing is not None else [],
        thin=passing is not None and passing.thin,
        world=counted.world,
        suspected=value == "fail" and accusation is not None,
        stands_in_the_way=judgement.in_the_way if judgement is not None else "",
        suspects=[Suspect(*one) for one in accusation.plausibility] if accusation is not None else [],
        counterexample=counterexample_of(rule.id, accused, failure, started, folder, profile.policies)
        if failure
        else None,
        also_in=["job"] if by_jobs and rule.component != "job" else [],
        since=rule.since,
        by_adapter=started.implementation.by_adapter.get(rule.id, ""),
    )


def _layers(rule: Rule, started: Started) -> str:
    """Where the code ran that the rule is about; of one that decides in several components, all of that."""
    claimed = judged_in(rule) & set(started.implementation.capabilities)
    layers = {started.implementation.layer_of(name): None for name in sorted(claimed or {rule.component})}
    return ", ".join(layers)


def _policy_text(rule: Rule, profile: Profile) -> str | None:
    """Where the profile changes the sentence: by which policies, and what `core` says."""
    changed = [
        f"by policy {name} = {value}; core says {getattr(CORE, name)}"
        for name in rule.policies
        if (value := getattr(profile.policies, name)) != getattr(CORE, name)
    ]
    return "; ".join(changed) or None


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
