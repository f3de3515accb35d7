"""Which single broken rule would explain what an engine output.

The reference is run again with one outcome of one rule's decision turned round. If it then outputs exactly
what the engine did, an engine that breaks this rule, and no other, behaves like that: a second opinion
beside the spectrum, strong where a defect of state shows late.
"""

from collections.abc import Iterable

from tidegauge_reference import Policies
from tidegauge_spec import load_registry

from ..scenario import Scenario
from ..transcript import Observation, Transcript, joined, spans
from ..vocabulary import Restore
from .judge import same_outputs
from .oracle import expect


def explaining_rules(
    scenario: Scenario,
    transcript: Transcript,
    cited: Iterable[str],
    policies: Policies,
    observes: Observation,
) -> list[str]:
    """The rules among the decisions `cited` whose turning round reproduces the whole transcript; of a
    smallest history that still restores a snapshot also those about snapshots, for without the restore it
    would not fail."""
    if transcript.failure is not None:
        return []
    restores = any(isinstance(step, Restore) for step in scenario.history)
    rules = load_registry().rules
    return sorted(
        {
            decision.removesuffix("!")
            for decision in cited
            if (restores and rules[decision.removesuffix("!")].needs == ("snapshot",))
            or _reproduces(decision, scenario, transcript, policies, observes)
        }
    )


def _reproduces(
    decision: str, scenario: Scenario, transcript: Transcript, policies: Policies, observes: Observation
) -> bool:
    try:
        turned = expect(scenario, policies, flipped=decision).outputs
    except Exception:
        return False
    spanned = joined(turned, spans(scenario, observes))
    return len(spanned) == len(transcript.outputs) and all(map(same_outputs, spanned, transcript.outputs))
