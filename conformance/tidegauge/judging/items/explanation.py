"""Which single broken rule would explain what an engine output.

The reference is run again with one outcome of one rule's decision turned round. If it then outputs exactly
what the engine did, an engine that breaks this rule, and no other, behaves like that: a second opinion
beside the spectrum, strong where a defect of state shows late. If none does, the decision is turned round in
the last step only: the engine may break the rule under a condition that arises there.
"""

from collections.abc import Iterable
from functools import partial

from ...components.registry import COMPONENTS
from ...wire.scenario import Scenario, component_of
from ...wire.transcript import Observation, Transcript, joined, same_outputs, spans
from ...wire.vocabulary import Restore
from ..reference.deviating_reference import Semantics
from ..reference.oracle import expect


def explaining_rules(
    scenario: Scenario,
    transcript: Transcript,
    cited: Iterable[str],
    semantics: Semantics,
    observes: Observation,
) -> list[str]:
    """The rules among the decisions `cited` whose turning round reproduces the whole transcript; of a
    smallest history that still restores a snapshot also those that the component's property about snapshots
    speaks for, as without the restore it would not fail."""
    if transcript.failure is not None:
        return []
    rules = {decision: decision.removesuffix("!") for decision in cited}

    def reproducing(since: int) -> set[str]:
        turned = partial(_reproduces, since, scenario, transcript, semantics, observes)
        return {rule for decision, rule in rules.items() if turned(decision)}

    restores = any(isinstance(step, Restore) for step in scenario.history)
    about_snapshots = _about_snapshots(scenario) & {*rules.values()} if restores else set()
    explaining = about_snapshots | reproducing(0)
    return sorted(explaining or reproducing(len(scenario.history) - 1))


def _about_snapshots(scenario: Scenario) -> set[str]:
    properties = COMPONENTS[component_of(scenario)].properties
    return {rule for property in properties if "snapshot" in property.needs for rule in property.rules}


def _reproduces(
    since: int,
    scenario: Scenario,
    transcript: Transcript,
    semantics: Semantics,
    observes: Observation,
    decision: str,
) -> bool:
    try:
        turned = expect(scenario, semantics, decision, since).outputs
    except Exception:
        return False
    spanned = joined(turned, spans(scenario, observes))
    return len(spanned) == len(transcript.outputs) and all(map(same_outputs, spanned, transcript.outputs))
