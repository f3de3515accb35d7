"""The scenario that shows a term of a model beside the others."""

from collections.abc import Iterable, Sequence

from ...wire.transcript import Transcript, canonical
from ..changes.change import Change
from ..items.item_report import FoundFailure
from .evidence import Difference, Evidence, reproduces
from .model import Model, model_of


def separating(
    evidence: Evidence, terms: Sequence[Change], failures: Iterable[FoundFailure]
) -> dict[str, FoundFailure]:
    """For each term, by its name, the shortest of the failures and of the scenarios that differ which the
    model of all terms reproduces, and that of the other terms does not."""
    small = [one for one in failures if one.property is None and one.deterministic]
    shown = [*small, *map(as_seen, evidence.differing)]
    shown.sort(key=lambda one: (len(one.scenario.history), one.found_as))
    found: dict[str, FoundFailure] = {}
    with model_of(evidence.component, evidence.policies, [*evidence.known, *terms]) as whole:
        explained = [one for one in shown if whole is not None and _reproduces(whole, one, evidence)]
    for term in terms:
        others = [one for one in terms if one is not term]
        with model_of(evidence.component, evidence.policies, [*evidence.known, *others]) as without:
            telling = (
                one for one in explained if without is not None and not _reproduces(without, one, evidence)
            )
            first = next(telling, None)
        if first is not None:
            found[term.name] = first
    return found


def _reproduces(model: Model, failure: FoundFailure, evidence: Evidence) -> bool:
    if failure.transcript is None:
        return False
    seen = Difference(failure.scenario, tuple(map(canonical, failure.transcript.outputs)), 0)
    return reproduces(model.play(failure.scenario, evidence.observes), seen)


def as_seen(difference: Difference) -> FoundFailure:
    """Return a difference as a failure, without shrinking its scenario."""
    scenario = difference.scenario
    return FoundFailure(scenario, Transcript(scenario.id, difference.outputs), scenario.id, [])
