"""The model that behaves as an engine: a greedy search for changes of the reference that, combined, reproduce
what it output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ...wire.transcript import Outputs
from ..changes.change import Change, named_changes, policy_changes, small_changes
from .evidence import Difference, Evidence, first_difference, reproduces
from .model import Played, model_of

MOST_TERMS = 7
"""So many policy values and named mutants are combined."""

MOST_WITH_SMALL_CHANGES = 4
"""So many terms where small changes are among them: many of these together can imitate anything."""

_PROBES = 14
"""So many scenarios a change must help in to be looked at more closely."""

_SAMPLE = 110
"""So many scenarios that differ, and as many that agree, weigh a change."""

_CHECKED = 1_500
"""So many scenarios that agree must agree with a model that is called exact."""

_PLAYS = 400_000
"""So many scenarios are played before the search gives up."""

_KINDS = {"mutant": 0, "policy": 1, "small-change": 2}


@dataclass
class Fit:
    """The `terms` found, with those that explained as much (`ties`, each begins with the term); ids of the
    scenarios that differ and that the model reproduces (`explained`), and whether it does all that the engine
    does (`exact`)."""

    terms: list[Change] = field(default_factory=list)
    ties: list[list[Change]] = field(default_factory=list)
    explained: frozenset[str] = frozenset()
    exact: bool = True

    @property
    def proves(self) -> bool:
        """Whether it does all that the engine does, by defects that are known: small changes can imitate
        others."""
        return self.exact and all(term.kind != "small-change" for term in self.terms)

    @property
    def breached(self) -> set[str]:
        """The rules of the terms."""
        return {rule for term in self.terms for rule in term.rules}

    @property
    def tied(self) -> set[str]:
        """The rules of all that explains as much; of a small change only where its place says little else."""
        return {
            rule
            for tie in self.ties
            for term in tie
            if term.kind != "small-change" or len(term.rules) <= 3
            for rule in term.rules
        }


def fit(evidence: Evidence, left_out: Collection[str] = ()) -> Fit:
    """The model. Policies and named mutants are tried first; small changes where these do not explain all.
    `left_out`: the names of changes that nobody is to know of."""
    if not evidence.differing:
        return Fit()
    name, policies = evidence.component.name, evidence.policies
    known = {change.name for change in evidence.known}
    cheap = [*named_changes(name), *policy_changes(name, policies)]
    cheap = [one for one in cheap if one.name not in left_out and one.name not in known]
    found = _Search(evidence, cheap).run()
    if found.exact:
        return found
    small = [one for one in small_changes(name) if one.name not in left_out]
    return _Search(evidence, [*cheap, *small]).run(MOST_WITH_SMALL_CHANGES)


class _Search:
    """One greedy search among candidates."""

    def __init__(self, evidence: Evidence, candidates: Sequence[Change]) -> None:
        self.evidence = evidence
        self.candidates = candidates
        self.differing = list(evidence.differing)
        agreeing = evidence.spread(_SAMPLE)
        self.agreeing = [Difference(one, evidence.expected(one), -1) for one in agreeing]
        self.alone: dict[str, dict[str, Played]] = {}
        self.plays = 0

    def run(self, most: int = MOST_TERMS) -> Fit:
        """Take the change that helps most, again and again."""
        found = Fit()
        current = {one.scenario.id: self.evidence.expected(one.scenario) for one in self._weighing()}
        while len(found.terms) < most and self.plays < _PLAYS:
            left = [one for one in self.differing if not reproduces(current[one.scenario.id], one)]
            if not left:
                break
            tie = self._best(found.terms, current, left)
            if not tie:
                break
            after = self._played([*found.terms, tie[0]], self._weighing())
            if after is None or self._reproduced(after) <= self._reproduced(current):
                break
            found.terms.append(tie[0])
            found.ties.append(tie)
            current = after
        found.explained = frozenset(
            one.scenario.id for one in self.differing if reproduces(current[one.scenario.id], one)
        )
        found.exact = len(found.explained) == len(self.differing) and self._agrees(found.terms)
        return found

    def _weighing(self) -> list[Difference]:
        return [*self.differing, *self.agreeing]

    def _best(
        self, terms: Sequence[Change], current: dict[str, Played], left: Sequence[Difference]
    ) -> list[Change]:
        """The changes that, added to the terms, bring most scenarios furthest; the first is taken."""
        front = _front(current, left)
        agreeing = [one for one in self._weighing() if reproduces(current[one.scenario.id], one)]
        test = {one.scenario.id: one for one in (*front, *_some(left), *_some(agreeing))}
        scores: dict[str, float] = {}
        by_name = {one.name: one for one in self.candidates if one not in terms}
        for change in by_name.values():
            if terms and change.kind == "small-change" and not self._shows_alone(change, front, current):
                continue
            with model_of(
                self.evidence.component, self.evidence.policies, self._with([*terms, change])
            ) as model:
                if model is None:
                    continue
                played = {one.scenario.id: model.play(one.scenario, self.evidence.observes) for one in front}
                self.plays += len(front)
                if not any(
                    first_difference(one.outputs, played[one.scenario.id])
                    > first_difference(one.outputs, current[one.scenario.id])
                    for one in front
                ):
                    continue
                for one in test.values():
                    if one.scenario.id not in played:
                        played[one.scenario.id] = model.play(one.scenario, self.evidence.observes)
                self.plays += len(test)
                scores[change.name] = sum(
                    _part(played[one.scenario.id], one) - _part(current[one.scenario.id], one)
                    for one in test.values()
                )
        best = max(scores.values(), default=0.0)
        if best <= 1e-9:
            return []
        tie = [by_name[name] for name, score in scores.items() if score >= best - 1e-9]
        return sorted(tie, key=lambda one: (_KINDS[one.kind], len(one.rules)))

    def _shows_alone(self, change: Change, front: Sequence[Difference], current: dict[str, Played]) -> bool:
        """Whether a change by itself shows in one of the scenarios no later than the engine leaves the
        model."""
        kept = self.alone.setdefault(change.name, {})
        missing = [one for one in front if one.scenario.id not in kept]
        if missing:
            played = self._played([change], missing)
            if played is None:
                return False
            kept.update(played)
        return any(
            first_difference(kept[one.scenario.id], self.evidence.expected(one.scenario))
            <= first_difference(one.outputs, current[one.scenario.id])
            for one in front
        )

    def _with(self, changes: Sequence[Change]) -> list[Change]:
        return [*self.evidence.known, *changes]

    def _played(self, changes: Sequence[Change], those: Iterable[Difference]) -> dict[str, Played] | None:
        with model_of(self.evidence.component, self.evidence.policies, self._with(changes)) as model:
            if model is None:
                return None
            played = {one.scenario.id: model.play(one.scenario, self.evidence.observes) for one in those}
        self.plays += len(played)
        return played

    def _reproduced(self, played: dict[str, Played]) -> int:
        return sum(reproduces(played[one.scenario.id], one) for one in self._weighing())

    def _agrees(self, terms: Sequence[Change]) -> bool:
        """Whether the model does nothing otherwise where the engine agrees."""
        if not terms:
            return True
        scenarios = self.evidence.spread(_CHECKED)
        with model_of(self.evidence.component, self.evidence.policies, self._with(terms)) as model:
            return model is not None and all(
                model.play(one, self.evidence.observes) == self.evidence.expected(one) for one in scenarios
            )


def _part(played: Played, wanted: Difference) -> float:
    """How far a model goes with the engine: 1 for all the way."""
    if reproduces(played, wanted):
        return 1.0
    return first_difference(wanted.outputs, played) / max(1, len(wanted.outputs))


def _front(current: dict[str, Played], left: Sequence[Difference]) -> list[Difference]:
    """The scenarios that differ earliest, some of each kind of difference."""
    kinds = by_kind(left, current)
    each = max(2, _PROBES // len(kinds)) if kinds else 0
    return [one for some in kinds.values() for one in some[:each]]


def by_kind(left: Iterable[Difference], current: dict[str, Played]) -> dict[object, list[Difference]]:
    """Differences by the kinds of step and of outputs at which they begin, the earliest first."""

    def place(one: Difference) -> int:
        return first_difference(one.outputs, current[one.scenario.id])

    kinds: dict[object, list[Difference]] = {}
    for one in sorted(left, key=lambda one: (place(one), len(one.outputs), one.scenario.id)):
        kinds.setdefault(_kind(one, current[one.scenario.id], place(one)), []).append(one)
    return kinds


def _kind(one: Difference, expected: Played, place: int) -> object:
    def types(outputs: Sequence[Outputs]) -> tuple[type, ...]:
        return tuple(map(type, outputs[place])) if place < len(outputs) else ()

    steps: Sequence[object] = one.scenario.history
    step = type(steps[place]) if len(steps) == len(expected) and place < len(steps) else None
    return step, types(expected), types(one.outputs)


def _some(those: Sequence[Difference]) -> list[Difference]:
    if len(those) <= _SAMPLE:
        return list(those)
    return [those[place * len(those) // _SAMPLE] for place in range(_SAMPLE)]
