"""All that is known about a rule, in one place: what the site and `tidegauge explain` show."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegauge.judging.traceability import broken_by, bugs_about, decided_in, status, vectors_of
from tidegauge.mutants.known_bugs import KnownBug
from tidegauge.mutants.mutant import Mutant
from tidegauge.vectors.published import Vector
from tidegauge.wire.results import RuleResult
from tidegauge.words.verdicts import Standing
from tidegauge_spec import PolicyText, Rule, read_policies

from .engines import Engine, Exercise


@dataclass(frozen=True)
class WrongEngine:
    """A named mutant, and the known bugs that it stands for."""

    mutant: Mutant
    bugs: tuple[KnownBug, ...]


@dataclass(frozen=True)
class Finding:
    """How an engine stands with a rule, and how often its run has exercised it; both last are None if it says
    nothing."""

    engine: Engine
    standing: Standing
    result: RuleResult | None
    exercise: Exercise | None


@dataclass(frozen=True)
class Dossier:
    """A rule with all that stands behind it. `status`: judged or not-testable, and how or why. `reference`
    are lines (`valve.py:63`), `other_bugs` the known bugs that no mutant of the rule stands for."""

    rule: Rule
    status: tuple[str, str]
    policies: tuple[PolicyText, ...]
    reference: tuple[str, ...]
    vectors: tuple[Vector, ...]
    wrong_engines: tuple[WrongEngine, ...]
    other_bugs: tuple[KnownBug, ...]
    findings: tuple[Finding, ...]

    @property
    def without_reference(self) -> str:
        """Why no line of the reference implements the rule; empty if some do."""
        if self.reference:
            return ""
        if self.status[0] == "not-testable":
            return f"not testable: {self.status[1]}"
        judges = "the event logs of whole jobs" if "job" in self.rule.checked_by else self.status[1]
        return f"no line of the reference implements it: it is judged by {judges}"


def dossier(rule: Rule, engines: Sequence[Engine]) -> Dossier:
    """The dossier of a rule, with what the runs of these engines say about it."""
    bugs = bugs_about(rule)
    wrong = tuple(
        WrongEngine(mutant, tuple(bug for bug in bugs if mutant.name in bug.mutants))
        for mutant in broken_by(rule.id)
    )
    shown = {bug.id for engine in wrong for bug in engine.bugs}
    return Dossier(
        rule=rule,
        status=status(rule),
        policies=tuple(read_policies()[name] for name in rule.policies),
        reference=tuple(decided_in(rule.id)),
        vectors=tuple(vectors_of(rule.id)),
        wrong_engines=wrong,
        other_bugs=tuple(bug for bug in bugs if bug.id not in shown),
        findings=tuple(
            Finding(engine, engine.standing(rule.id), engine.result(rule.id), engine.exercise(rule.id))
            for engine in engines
        ),
    )
