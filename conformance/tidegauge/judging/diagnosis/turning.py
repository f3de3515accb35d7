"""Which rules a first difference may be a breach of: those one of whose decisions, turned the other way in
the reference, makes it output what the engine did. No mutant is needed for that."""

from collections.abc import Iterable, Sequence

from ...engine.limits import NoAnswer
from ...wire.transcript import spans
from .evidence import Difference, Evidence
from .kinds import by_kind
from .model import observed

_EACH = 4
"""So many scenarios of each kind of difference are looked at, those that differ earliest."""

_LAST = 6
"""A decision is turned at so many of the last steps at which it is made."""


def rules_explaining(evidence: Evidence, unexplained: Sequence[Difference]) -> dict[str, str]:
    """The rules one of whose decisions, turned at one step or from one step on, reproduces the first
    difference of an unexplained scenario, each with the id of that scenario."""
    found: dict[str, str] = {}
    expected = {one.scenario.id: evidence.expected(one.scenario) for one in unexplained}
    for alike in by_kind(unexplained, expected).values():
        for one in alike[:_EACH]:
            for rule in _rules(evidence, one, set(found)):
                found[rule] = one.scenario.id
    return found


def _rules(evidence: Evidence, one: Difference, known: set[str]) -> Iterable[str]:
    if one.at >= len(one.outputs):
        return set()
    lengths = spans(one.scenario, evidence.observes)
    until = sum(lengths[: one.at + 1])
    cited = evidence.reference.cited(one.scenario)[:until]
    wanted = one.outputs[: one.at + 1]
    found: set[str] = set()
    for decision in dict.fromkeys(decision for step in cited for decision in step):
        rule = decision.removesuffix("!")
        if rule in known or rule in found:
            continue
        made = [step for step, decisions in enumerate(cited) if decision in decisions][-_LAST:]
        turned = (range(step, stop) for step in made for stop in (step + 1, until))
        if any(_outputs(evidence, one, decision, steps, until) == wanted for steps in turned):
            found.add(rule)
    return found


def _outputs(evidence: Evidence, one: Difference, decision: str, steps: range, until: int) -> object:
    try:
        outputs = evidence.reference.turned(one.scenario, decision, steps, until)
    except (Exception, NoAnswer):
        return None
    return observed(one.scenario, outputs, evidence.observes)
