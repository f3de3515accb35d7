"""The scenario that a report shows for a rule that fails or is a suspect."""

from collections.abc import Iterator, Sequence

from ..changes.change import Change
from ..items.item_report import FoundFailure
from ..items.judge import rules_named
from .component_judgement import RuleJudgement
from .evidence import Evidence
from .separating import as_seen, separating
from .suspicion import Accusation


def example_of(
    rule: str,
    judgement: RuleJudgement,
    failures: Sequence[FoundFailure],
    evidence: Evidence,
    terms: Sequence[Change],
) -> FoundFailure | None:
    """Return the scenario to show for an accused rule; None if there is none.

    If a change in the model breaks the rule, the scenario is the smallest one that needs this change to be
    reproduced. Otherwise it is the smallest counterexample of the accusation. For an engine that outputs
    nothing at all it is the smallest one in which the rule decides.
    """
    if judgement.term:
        return separating(evidence, terms, failures).get(judgement.term)
    if judgement.accusation is not None:
        return next(_of_accusation(judgement.accusation, failures), None)
    ranked = sorted(
        failures,
        key=lambda failure: (
            failure.property is not None,
            rule not in rules_named(failure.cited),
            len(failure.scenario.history),
            failure.found_as,
        ),
    )
    return next(iter(ranked), None)


def _of_accusation(accusation: Accusation, failures: Sequence[FoundFailure]) -> Iterator[FoundFailure]:
    for difference in accusation.differences:
        same = (
            failure
            for failure in failures
            if failure.scenario == difference.scenario and failure.property is None
        )
        yield next(same, as_seen(difference))
    yield from (failure for failure in failures if failure.property in accusation.properties)
