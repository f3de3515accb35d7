"""Which of the small failing scenarios shows best how a rule is broken."""

from collections.abc import Sequence

from ...wire.transcript import Transcript
from ..changes.change import Change
from ..items.item_report import FoundFailure
from .component_judgement import RuleJudgement
from .evidence import Difference, Evidence, reproduces
from .model import canonical, model_of


def example_of(
    rule: str,
    judgement: RuleJudgement,
    failures: Sequence[FoundFailure],
    evidence: Evidence,
    terms: Sequence[Change],
) -> FoundFailure | None:
    """The shortest failure that the rule's term of the model explains by itself; or else that a breach of the
    rule would reproduce; or else in which the rule decides; or else any. None if there is none, not even
    unshrunk."""
    compared = [one for one in failures if one.property is None]
    if judgement.standing == "fail" and "property" in judgement.reason:
        compared = [
            one for one in failures if f"property {one.property} " in f"{judgement.reason} "
        ] or compared
    ranked = sorted(compared or failures, key=lambda one: (len(one.scenario.history), one.found_as))
    ranked = ranked or [as_seen(one) for one in _shortest(evidence.differing)]
    term = next((one for one in terms if one.name == judgement.term), None)
    if term is not None:
        with model_of(evidence.component, evidence.policies, [*evidence.known, term]) as model:
            for one in ranked:
                if (
                    model is not None
                    and one.transcript is not None
                    and reproduces(
                        model.play(one.scenario, evidence.observes),
                        Difference(one.scenario, tuple(map(canonical, one.transcript.outputs)), 0),
                    )
                ):
                    return one
    explained = [one for one in ranked if rule in one.explaining]
    decides = [one for one in ranked if rule in {decision.removesuffix("!") for decision in one.cited}]
    return next(iter(explained or decides or ranked), None)


def _shortest(differing: Sequence[Difference]) -> list[Difference]:
    return sorted(differing, key=lambda one: (len(one.scenario.history), one.scenario.id))[:1]


def as_seen(one: Difference) -> FoundFailure:
    """A difference as it was found, not made smaller."""
    return FoundFailure(one.scenario, Transcript(one.scenario.id, one.outputs), one.scenario.id, [])
