"""What a run on a named mutant says of the rules that it breaks."""

from typing import NamedTuple

from ..judging.changes.change import change_of
from ..judging.jobs.findings import RULES_OF_JOB_PROPERTIES
from ..judging.jobs.judgement import job_kills
from ..mutants.mutant import Mutant
from .soundness import Case, outcome_of


class Verdicts(NamedTuple):
    """Of the rules that a mutant breaks those that fail, and those that pass all the same."""

    failing: tuple[str, ...]
    passing: tuple[str, ...]


def verdicts_on(mutant: Mutant) -> Verdicts:
    """These verdicts. A mutant of whole jobs is judged by the properties that it is known to violate."""
    if not mutant.rules:
        return Verdicts((), ())
    if mutant.component == "job":
        violated = {property for _, property in job_kills().get(mutant.name, ())}
        shown = {rule for property in violated for rule in RULES_OF_JOB_PROPERTIES[property]}
        failing = tuple(rule for rule in mutant.rules if rule in shown)
        return Verdicts(failing, tuple(rule for rule in mutant.rules if rule not in shown))
    case = Case(mutant.component, "single", (mutant.name,), left_out=False)
    outcome = outcome_of(case, [change_of(mutant)])
    return Verdicts((), mutant.rules) if outcome is None else Verdicts(outcome.named, outcome.false)
