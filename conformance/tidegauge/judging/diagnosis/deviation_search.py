"""Which policy value or wrong engine describes how an engine deviates, if any does."""

from collections.abc import Iterator, Sequence

import msgspec

from tidegauge_reference import Policies
from tidegauge_spec import load_registry, read_policies

from ...components.registry import COMPONENTS, load_mutants
from ...drawing.histories import draw_history
from ...engine.adapter import Adapter
from ...engine.runner import run
from ...wire.implementation import Implementation
from ...wire.results import RuleResult
from ...wire.scenario import BadInput, Scenario, component_of
from ...wire.steps.job import JobScenario
from ...wire.transcript import Observation, Transcript
from ..items.judge import judge
from ..reference.deviating_reference import Semantics, with_deviations
from ..reference.deviations import Deviation
from ..reference.oracle import expect

_HISTORIES = 300


_Answers = Sequence[tuple[Scenario, Transcript | None]]


def find_deviations(
    failing: Sequence[RuleResult],
    known: Sequence[Deviation],
    adapter: Adapter,
    implementation: Implementation,
    policies: Policies,
    seed: int,
) -> list[Deviation]:
    """Deviations, without reason and link, that besides those `known` reproduce the counterexamples of the
    `failing` rules, each making more of 300 random histories agree. Whole jobs are not searched."""
    found: list[Deviation] = []
    for rule in failing:
        if rule.counterexample is None or not rule.counterexample.deterministic:
            continue
        shown: Scenario = msgspec.convert(rule.counterexample.scenario, type=Scenario)
        if isinstance(shown, JobScenario):
            continue
        component = COMPONENTS[component_of(shown)]
        drawn = [draw_history(component, seed, index, policies) for index in range(_HISTORIES)]
        claimed = [one for one in drawn if set(one.needs) <= set(implementation.capabilities)]
        expressible = [one for one in claimed if adapter.inexpressible(one) is None]
        scenarios = [shown, *expressible[: implementation.at_most.get("random-histories")]]
        answers = list(zip(scenarios, run(adapter, scenarios), strict=True))
        best = _best(rule.id, component.name, answers, [*known, *found], implementation.observes, policies)
        if best is not None:
            found.append(best)
    return found


def _best(
    rule: str,
    component: str,
    answers: _Answers,
    known: Sequence[Deviation],
    observes: Observation,
    policies: Policies,
) -> Deviation | None:
    """The candidate with which most scenarios agree, the first among them and more than without it."""
    most = _agreeing(answers, with_deviations(policies, known), observes)
    best = None
    for candidate in _candidates(rule, component):
        try:
            semantics = with_deviations(policies, [*known, candidate])
        except BadInput:
            continue
        if not _agreeing(answers[:1], semantics, observes):
            continue
        agreeing = _agreeing(answers, semantics, observes)
        if agreeing > most:
            most, best = agreeing, candidate
    return best


def _agreeing(answers: _Answers, semantics: Semantics, observes: Observation) -> int:
    return sum(
        judge(scenario, transcript, expect(scenario, semantics), observes).agrees
        for scenario, transcript in answers
    )


def _candidates(rule: str, component: str) -> Iterator[Deviation]:
    """Values of the rule's policy, then the component's wrong engines, those that break the rule first."""
    policy = load_registry().rules[rule].policy
    if policy is not None:
        for value in read_policies()[policy].values:
            yield Deviation(policy=policy, value=value)
    mutants = [mutant for mutant in load_mutants().values() if mutant.component == component]
    for mutant in sorted(mutants, key=lambda mutant: rule not in mutant.rules):
        if mutant.rules:
            yield Deviation(like=f"mutant:{mutant.name}")
