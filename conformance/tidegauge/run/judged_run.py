"""What the items of a run prove: the evidence of each component and its judgement, what jobs show, errors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count

from msgspec.structs import replace

from tidegauge_reference import Policies
from tidegauge_spec import Rule, load_registry

from ..components.registry import COMPONENTS
from ..judging.diagnosis.collected import Compared, evidence_of
from ..judging.diagnosis.component_judgement import ComponentJudgement, judge_component
from ..judging.diagnosis.evidence import Evidence
from ..judging.diagnosis.example import example_of
from ..judging.diagnosis.fitting import Fit, fit
from ..judging.diagnosis.shape_rules import rules_outside
from ..judging.diagnosis.side_by_side import side_by_side
from ..judging.diagnosis.suspicion import Accusation
from ..judging.diagnosis.trial import Answers, Ask, Trial, trial_of, tried
from ..judging.items.item_report import FoundFailure, ItemReport
from ..judging.items.judge import rules_named
from ..judging.items.merged import Findings, merged
from ..judging.jobs.accusations import failure_of, job_accusations
from ..judging.reference.oracle import expect
from ..judging.reference.profiles import declared_profile
from ..judging.verdicts.judged_in import JUDGED_IN_OTHERS, judged_by, judged_in
from ..judging.verdicts.rule_verdicts import Circumstances, Ruling
from ..vectors.published import every_vector, own_vectors
from ..wire.implementation import Implementation
from ..wire.results import EngineError
from ..wire.scenario import BadInput, component_of
from ..wire.transcript import Observation, spans
from .items import find_scenario, kinds_of_scale, scenario_at, shapes_within
from .journal import Finished, Started
from .plan import PlannedItem, plan
from .progress import tell
from .rare_collections import rare_collections

_DRAWN_AGAIN = ("vectors", "state-cover", "random-histories", "scale", "exhaustive")
"""The suites whose scenarios are compared with the reference and can be drawn again by their places."""


_LEAST_DECIDED = {"smoke": 3, "default": 10, "thorough": 10}
"""The number of agreeing scenarios in which a rule must have decided to pass, for each budget."""

_ALIKE = 100
"""A differing scenario takes about as long to judge as this number of agreeing ones."""


@dataclass(frozen=True)
class Judged:
    """A judged run.

    Attributes:
        findings: the merged reports of all items.
        evidence: the evidence of each component.
        components: the judgement of each component.
        job_accusations: the accusations of the failing jobs.
        circumstances: other facts that affect the verdicts.
        errors: the errors of the engine.
        reports: the reports of the items of each component.
    """

    findings: Findings
    evidence: Mapping[str, Evidence]
    components: Mapping[str, ComponentJudgement]
    job_accusations: Sequence[Accusation]
    circumstances: Circumstances
    errors: list[EngineError]
    reports: Mapping[str, Sequence[ItemReport]]

    @property
    def refuses_all(self) -> bool:
        """Whether the engine answered nothing in the preflight of any component."""
        return bool(self.reports) and set(self.circumstances.refused) == set(self.reports)


@rare_collections()
def judged_run(
    started: Started,
    finished: Mapping[str, Finished],
    policies: Policies,
    planned: Sequence[PlannedItem] | None = None,
    processes: int = 1,
    ask: Ask = lambda scenarios: {},
) -> Judged:
    """Judge the items of a run.

    Args:
        started: the start of the run, with the request and the description of the engine.
        finished: the items that ended, by their ids.
        policies: the policies of the reference with which the engine is compared.
        planned: the items, if they differ from the plan of the run.
        processes: the number of parallel processes for judging.
        ask: runs the scenarios that test models on the engine.
    """
    if planned is None:
        drawn = replace(started.implementation, shapes=started.drawn)
        planned = plan(started.request, drawn, policies)
    reports = [event.report for event in finished.values() if event.report is not None]
    by_component = {
        name: sorted((one for one in reports if one.component == name), key=lambda one: one.item)
        for name in COMPONENTS
        if any(one.component == name for one in reports)
    }
    tell("diagnosing", 0, 2 * len(by_component.keys() - {"job"}))
    findings = merged(reports)
    evidence = {
        name: _evidence(name, own, started, policies, planned)
        for name, own in by_component.items()
        if name != "job" and not any(one.refused for one in own)
    }
    claimed = frozenset(started.implementation.capabilities)
    judged_in_component = {
        name: tuple(rule.id for rule in _rules_judged_in(name, claimed)) for name in evidence
    }
    outside = {
        name: rules_outside(own.declared or own.component, policies, own.claims, judged_in_component[name])
        for name, own in evidence.items()
    }
    rules = {
        name: [rule for rule in own if rule not in outside[name]] for name, own in judged_in_component.items()
    }
    jobs_only = merged(by_component.get("job", []))
    ended = _ended(started, finished, policies)
    return Judged(
        findings=findings,
        evidence=evidence,
        components=_judged_components(evidence, rules, started.request.diagnose_steps, processes, ask),
        job_accusations=job_accusations(jobs_only),
        circumstances=_circumstances(started, finished, planned, ended, _outside_everywhere(outside, rules)),
        errors=[*_errors(by_component), *ended],
        reports=by_component,
    )


def _outside_everywhere(
    outside: Mapping[str, Mapping[str, str]], rules: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return the rules that no component can break within its shape, each with the feature that it lacks."""
    within = set(chain.from_iterable(rules.values()))
    return {rule: lacking for own in outside.values() for rule, lacking in own.items() if rule not in within}


def _judged_components(
    evidence: Mapping[str, Evidence], rules: Mapping[str, Sequence[str]], steps: int, processes: int, ask: Ask
) -> dict[str, ComponentJudgement]:
    """Return the judgement of each component: fit a model, test it on the engine, and judge the rules by
    it."""

    def size(name: str) -> int:
        own = evidence[name]
        agreeing = len(own.agreeing) + sum(map(len, own.large.values()))
        return _ALIKE * len(own.differing) + agreeing

    numbers, total = count(1), 2 * len(evidence)

    def done() -> None:
        tell("diagnosing", next(numbers), total)

    fitted = side_by_side(
        {name: partial(_fitted, own, steps) for name, own in evidence.items()}, size, processes, done
    )
    answers = ask([scenario for _, trial in fitted.values() for scenario in trial.every])
    return side_by_side(
        {
            name: partial(_judged_component, own, *fitted[name], answers, rules[name])
            for name, own in evidence.items()
        },
        size,
        processes,
        done,
    )


def _fitted(evidence: Evidence, steps: int) -> tuple[Fit, Trial]:
    fitted = fit(evidence, steps=steps)
    return fitted, trial_of(evidence, fitted)


def _judged_component(
    evidence: Evidence, fitted: Fit, trial: Trial, answers: Answers, rules: Sequence[str]
) -> ComponentJudgement:
    try:
        return judge_component(*tried(evidence, fitted, trial, answers), rules)
    finally:
        evidence.reference.close()


def _rules_judged_in(component: str, claimed: frozenset[str]) -> list[Rule]:
    return [rule for rule in load_registry().rules.values() if component in judged_by(rule, claimed)]


def _evidence(
    component: str,
    reports: Sequence[ItemReport],
    started: Started,
    policies: Policies,
    planned: Sequence[PlannedItem],
) -> Evidence:
    items = {item.id: item for item in planned}
    compared = []
    for one in reports:
        item = items.get(one.item)
        if not _is_possible(one, item, started.implementation.observes):
            raise BadInput(f"the test item {one.item} has found what it cannot find; run it again")
        if item is None or item.suite not in _DRAWN_AGAIN:
            continue
        shapes = shapes_within(item, started.implementation.shapes, started.drawn)
        at = partial(scenario_at, item, started.request, policies, shapes)
        compared.append(Compared(one, item.suite, at, kinds_of_scale(item, started.request, shapes)))
    vectors = [*every_vector(), *own_vectors(started.request.vectors)]
    return evidence_of(
        component=component,
        compared=compared,
        reports=reports,
        policies=policies,
        deviations=started.known.deviation,
        observes=started.implementation.observes,
        vectors=vectors,
        stated=_stated_policies(started.implementation),
        claims=started.implementation.claims(),
        drawn=started.drawn,
        declared=started.implementation.shapes,
    )


def _stated_policies(implementation: Implementation) -> Policies | None:
    """Return the policies that an engine declares; None if its profile is not known here.

    The file of the profile comes with the adapter: it is missing where results are judged again on a machine
    without the adapter. The diagnosis then begins with the profile of the run.
    """
    try:
        return declared_profile(implementation).policies
    except BadInput:
        return None


def _is_possible(report: ItemReport, item: PlannedItem | None, observes: Observation) -> bool:
    """Whether an item can have found that: its report comes from a file, which may have been changed."""
    if item is not None and item.suite in _DRAWN_AGAIN:
        size = item.stop - item.start
        noted = (report.ran, report.apart, report.beyond, report.hidden)
        if not all(places.are_below(size) for places in noted):
            return False
    return all(0 <= one.at < len(spans(one.scenario, observes)) for one in report.differences)


def _circumstances(
    started: Started,
    finished: Mapping[str, Finished],
    planned: Sequence[PlannedItem],
    ended: Sequence[EngineError],
    outside: Mapping[str, str],
) -> Circumstances:
    reports = [event.report for event in finished.values() if event.report is not None]
    missing = Counter(item.component for item in planned if not _came_to_its_end(finished.get(item.id)))
    total = Counter(item.component for item in planned)
    return Circumstances(
        capabilities=started.implementation.claims(),
        refused={
            one.component: "the engine gave no answer in any scenario of the preflight: "
            + "; ".join(error.text.splitlines()[0] for error in list(one.errors.values())[:1])
            for one in reports
            if one.refused
        },
        ended={rule: error.text for error in ended for rule in error.rules},
        not_run={
            name: f"{number} of {total[name]} test items of this component were not completed"
            for name, number in missing.items()
        },
        outside=outside,
        least_decided=_LEAST_DECIDED.get(started.request.budget, 0) if _in_process(started) else 0,
        jobs=frozenset(item.name for item in planned if item.suite == "jobs" and item.id in finished),
    )


def _in_process(started: Started) -> bool:
    """Whether a scenario costs so little that rules can decide in many."""
    layers = {started.implementation.layer, *started.implementation.layers.values()}
    return layers == {"in-process"} and not started.implementation.at_most


def _came_to_its_end(event: Finished | None) -> bool:
    """Whether an item was judged, with or without answers, or ended in a scenario that is known: then that is
    an error of its rules."""
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
    found: list[EngineError] = []
    for event in finished.values():
        if event.outcome not in ("crashed", "timeout"):
            continue
        scenario = find_scenario(event.running, started, policies)
        rules: Iterable[str] = ()
        component = event.item.partition("-")[0]
        if scenario is not None:
            cited = expect(scenario, policies).cited
            rules = rules_named(chain.from_iterable(cited))
            component = component_of(scenario)
        how = event.did or ("crashed" if event.outcome == "crashed" else "did not answer in time")
        found.append(
            EngineError(
                component=component,
                kind=event.outcome,
                text=f"the engine {how} " + _where(event.running),
                scenarios=1,
                of=1,
                scenario=event.running,
                rules=sorted(rules),
            )
        )
    return found


def _where(running: str) -> str:
    return f"in scenario {running}" if running else "outside of any scenario"


def example_for(rule: Rule, judged: Judged, found: Ruling) -> FoundFailure | None:
    """Return the scenario to show for an accused rule; None if there is none."""
    names = [rule.component] if rule.component != JUDGED_IN_OTHERS else sorted(judged_in(rule))
    for name in names:
        component = judged.components.get(name)
        judgement = component.rules.get(rule.id) if component is not None else None
        if component is None or judgement is None or found.judgement is not judgement:
            continue
        failures = merged(judged.reports[name]).failures
        return example_of(rule.id, judgement, failures, judged.evidence[name], component.fit.terms)
    accusation = found.judgement.accusation if found.judgement is not None else None
    return failure_of(accusation, judged.findings) if accusation is not None else None
