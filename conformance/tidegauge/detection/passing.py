"""The rules that a named mutant breaks and that would pass all the same in a run on it."""

from ..judging.changes.change import change_of
from ..judging.jobs.findings import RULES_OF_JOB_PROPERTIES
from ..judging.jobs.judgement import job_kills
from ..mutants.mutant import Mutant
from .soundness import Case, outcome_of


def rules_passing(mutant: Mutant) -> tuple[str, ...]:
    """These rules. A mutant of whole jobs is judged by the properties that it is known to violate."""
    if not mutant.rules:
        return ()
    if mutant.component == "job":
        violated = {property for _, property in job_kills().get(mutant.name, ())}
        shown = {rule for property in violated for rule in RULES_OF_JOB_PROPERTIES[property]}
        return tuple(rule for rule in mutant.rules if rule not in shown)
    case = Case(mutant.component, "single", (mutant.name,), left_out=False)
    outcome = outcome_of(case, [change_of(mutant)])
    return mutant.rules if outcome is None else outcome.false
