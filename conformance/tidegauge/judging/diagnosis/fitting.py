"""The model that behaves as an engine: a greedy search for changes of the reference that, combined, reproduce
what it output."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..changes.change import Change, departures, named_changes, policy_changes, small_changes
from .evidence import Difference, Evidence, first_difference, reproduces
from .kinds import by_kind
from .model import Model, Played, model_of

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

_CHECKED_STEPS = 30_000
"""With a defect of scale scenarios of scale with so many steps must agree as well."""

_PLAYS = 400_000
"""So many scenarios are played before the search gives up."""

_FEW_RULES = 3
"""The place of a small change says something if so many rules decide there, or fewer."""

_KINDS = {"mutant": 0, "policy": 1, "small-change": 2}


_MOST_OF_THEM = 0.5
"""A model that does not explain all is told if it explains this part: known defects imitate unknown ones."""

_PAIRS = 300
"""So many pairs are tried where no change helps by itself."""

Guess = tuple[Change, ...]
"""What is added to a model at once: a change, or two that help together only."""


@dataclass
class Fit:
    """The `terms` found, with those that explained as much (`ties`, each begins with the term); ids of the
    scenarios that differ and that the model reproduces (`explained`), and whether it does all that the engine
    does (`exact`). The first `borne_out` terms do nothing otherwise where the engine agrees; alone they
    explain those in `told_explained`. `gave_up`: the search ended before it was through."""

    terms: list[Change] = field(default_factory=list)
    ties: list[list[Change]] = field(default_factory=list)
    explained: frozenset[str] = frozenset()
    exact: bool = True
    borne_out: int = 0
    told_explained: frozenset[str] = frozenset()
    gave_up: bool = False

    @property
    def told(self) -> list[Change]:
        """The terms that may be told to people: none that the engine contradicts somewhere."""
        return self.terms[: self.borne_out]

    @property
    def proves(self) -> bool:
        """Whether it does all that the engine does, by defects that are known: small changes can imitate
        others."""
        return self.exact and all(term.kind != "small-change" for term in self.terms)

    @property
    def breached(self) -> set[str]:
        """The rules of the terms; of small changes only where their place says little else."""
        return {rule for term in self.terms if _names(term) for rule in term.rules}

    @property
    def tied(self) -> set[str]:
        """The same of all that explains as much."""
        return {rule for tie in self.ties for term in tie if _names(term) for rule in term.rules}


def fit(evidence: Evidence, left_out: Collection[str] = (), until: float = math.inf) -> Fit:
    """The model. Policies and named mutants are tried first; where these do not explain all, a search begins
    with the policies that the engine says it has, and then small changes are tried. `left_out`: the names
    of changes that nobody is to know of. `until`: when the search ends at the latest, in seconds of the
    monotonic clock."""
    if not evidence.differing:
        return Fit()
    name, policies = evidence.component.name, evidence.policies
    apart = {*left_out, *(change.name for change in evidence.known)}
    possible = (*named_changes(name), *policy_changes(name, policies))
    cheap = [one for one in possible if one.name not in apart]
    found = _Search(evidence, cheap, until).run()
    if not found.exact and evidence.stated is not None:
        begin = [one for one in departures(policies, evidence.stated) if one.name not in apart]
        if begin:
            found = _better(found, _Search(evidence, cheap, until).run(begin=begin))
    if found.exact or found.gave_up:
        return found
    small = [one for one in small_changes(name) if one.name not in left_out]
    # Pairs of the cheap ones did not help with all scenarios: they are not tried again with half of them.
    other = _Search(evidence, [*cheap, *small], until).run(MOST_WITH_SMALL_CHANGES, pairs=bool(found.terms))
    if other.gave_up and len(found.explained) >= len(other.explained):
        found.gave_up = True
        return found
    return other


def _better(one: Fit, other: Fit) -> Fit:
    """The one that explains more."""
    return other if (other.exact, len(other.explained)) > (one.exact, len(one.explained)) else one


class _Search:
    """One greedy search among candidates. Where small changes are among them half of the scenarios that
    differ is held out: a small change counts only if it explains some of those, too."""

    def __init__(self, evidence: Evidence, candidates: Sequence[Change], until: float) -> None:
        self.evidence = evidence
        self.candidates = candidates
        self.until = until
        self.differing = list(evidence.differing)
        agreeing = evidence.spread(_SAMPLE)
        self.agreeing = [Difference(one, evidence.expected(one), -1) for one in agreeing]
        self.held_out = self._held_out()
        self.alone: dict[str, dict[str, Played]] = {}
        self.plays = 0

    def run(self, most: int = MOST_TERMS, pairs: bool = True, begin: Sequence[Change] = ()) -> Fit:
        """Take the change that helps most, again and again. `pairs`: try them where none helps by itself.
        `begin`: the terms to begin with, as far as they are needed: none of many that hide each other brings
        the model further by itself. They are not counted."""
        terms, current = self._needed(begin)
        found = Fit(terms, [[term] for term in terms])
        most += len(terms)
        while len(found.terms) < most:
            left = [one for one in self._left(current) if one.scenario.id not in self.held_out]
            if not left:
                break
            tie = self._best(found.terms, current, left, self._singles(found.terms))
            if pairs and not tie and not found.terms:
                tie = self._best([], current, left, self._pairs(current, left))
            taken = self._taken(found.terms, tie, current)
            found.gave_up = self._is_over()
            if taken is None:
                break
            guess, current = taken
            found.terms += guess
            found.ties += _ties(guess, tie)
            if found.gave_up:
                break
        left = self._left(current)
        found.explained = frozenset(one.scenario.id for one in self.differing if one not in left)
        agreed = (number for number in range(len(found.terms), 0, -1) if self._agrees(found.terms[:number]))
        found.borne_out = next(agreed, 0)
        found.exact = not left and found.borne_out == len(found.terms)
        found.told_explained = self._explained_by(found.told)
        if not found.exact and len(found.told_explained) < _MOST_OF_THEM * len(self.differing):
            found.borne_out, found.told_explained = 0, frozenset()
        found.gave_up = found.gave_up and not found.exact
        return found

    def _needed(self, begin: Sequence[Change]) -> tuple[list[Change], dict[str, Played]]:
        """Those without which less is reproduced, and what the model with them outputs."""
        unchanged = {one.scenario.id: self.evidence.expected(one.scenario) for one in self._weighing()}
        terms, current = list(begin), self._played(begin, self._weighing()) if begin else unchanged
        if current is None or self._reproduced(current) <= self._reproduced(unchanged):
            return [], unchanged
        for term in begin:
            fewer = [one for one in terms if one is not term]
            without = self._played(fewer, self._weighing())
            if without is not None and self._reproduced(without) >= self._reproduced(current):
                terms, current = fewer, without
        return terms, current

    def _explained_by(self, terms: Sequence[Change]) -> frozenset[str]:
        played = self._played(terms, self.differing) if terms else None
        those = [one for one in self.differing if played and reproduces(played[one.scenario.id], one)]
        return frozenset(one.scenario.id for one in those)

    def _is_over(self) -> bool:
        return self.plays >= _PLAYS or time.monotonic() >= self.until

    def _held_out(self) -> frozenset[str]:
        """Every other scenario of each kind of difference, if there are small changes."""
        if all(one.kind != "small-change" for one in self.candidates):
            return frozenset()
        expected = {one.scenario.id: self.evidence.expected(one.scenario) for one in self.differing}
        kinds = by_kind(self.differing, expected).values()
        return frozenset(one.scenario.id for alike in kinds for one in alike[1::2])

    def _left(self, current: dict[str, Played]) -> list[Difference]:
        return [one for one in self.differing if not reproduces(current[one.scenario.id], one)]

    def _weighing(self) -> list[Difference]:
        return [*self.differing, *self.agreeing]

    def _singles(self, terms: Sequence[Change]) -> Iterator[Guess]:
        return ((one,) for one in self.candidates if one not in terms)

    def _pairs(self, current: dict[str, Played], left: Sequence[Difference]) -> Iterator[Guess]:
        """Two policies or named mutants, one of which shows by itself where the engine leaves the model."""
        front = _front(current, left)
        cheap = [one for one in self.candidates if one.kind != "small-change"]
        showing = [one for one in cheap if self._shows_alone(one, front, current)]
        pairs = dict.fromkeys(
            (one, other)
            for other in cheap
            for one in showing
            if one is not other and not (other in showing and other.name < one.name)
        )
        return islice(pairs, _PAIRS)

    def _taken(
        self, terms: Sequence[Change], tie: Iterable[Guess], current: dict[str, Played]
    ) -> tuple[Guess, dict[str, Played]] | None:
        """The first of these with which the model reproduces more than without, and what it then outputs."""
        for guess in tie:
            after = self._played([*terms, *guess], self._weighing())
            if after is None or self._reproduced(after) <= self._reproduced(current):
                continue
            small = any(one.kind == "small-change" for one in guess)
            if not small or self._reproduced_unseen(after) > self._reproduced_unseen(current):
                return guess, after
        return None

    def _best(
        self,
        terms: Sequence[Change],
        current: dict[str, Played],
        left: Sequence[Difference],
        guesses: Iterable[Guess],
    ) -> list[Guess]:
        """The guesses that, added to the terms, bring most scenarios furthest, those that say most first."""
        front = _front(current, left)
        agreeing = [one for one in self.agreeing if reproduces(current[one.scenario.id], one)]
        explained = [one for one in self.differing if reproduces(current[one.scenario.id], one)]
        kept = [one for one in (*explained, *agreeing) if one.scenario.id not in self.held_out]
        test = [*front, *_some(left), *_some(kept)]
        scores: dict[Guess, float] = {}
        for guess in guesses:
            if self._is_over():
                break
            small = any(one.kind == "small-change" for one in guess)
            if terms and small and not self._shows_alone(guess[0], front, current):
                continue
            score = self._score([*terms, *guess], current, front, test)
            if score > 1e-9:
                scores[guess] = score
        best = max(scores.values(), default=0.0)
        tie = [guess for guess, score in scores.items() if score >= best - 1e-9]
        return sorted(tie, key=_telling)

    def _score(
        self,
        changes: Sequence[Change],
        current: dict[str, Played],
        front: Sequence[Difference],
        test: Sequence[Difference],
    ) -> float:
        """By how much a model goes further with the engine than the current one, summed over `test`; 0 if it
        does so in none of `front`."""
        with model_of(self.evidence.component, self.evidence.policies, self._with(changes)) as model:
            if model is None:
                return 0.0
            played = {one.scenario.id: model.play(one.scenario, self.evidence.observes) for one in front}
            self.plays += len(front)
            if not any(
                first_difference(one.outputs, played[one.scenario.id])
                > first_difference(one.outputs, current[one.scenario.id])
                for one in front
            ):
                return 0.0
            tested = {one.scenario.id: one for one in test}
            for name, one in tested.items():
                if name not in played:
                    played[name] = model.play(one.scenario, self.evidence.observes)
            self.plays += len(tested)
        return sum(_part(played[name], one) - _part(current[name], one) for name, one in tested.items())

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

    def _reproduced_unseen(self, played: dict[str, Played]) -> int:
        unseen = [one for one in self.differing if one.scenario.id in self.held_out]
        return sum(reproduces(played[one.scenario.id], one) for one in unseen)

    def _agrees(self, terms: Sequence[Change]) -> bool:
        """Whether the model does nothing otherwise where the engine agrees, as far as it agrees."""
        if not terms:
            return True
        scenarios = self.evidence.spread(_CHECKED)
        if any(term.scale for term in terms):
            scenarios += self.evidence.large_ones(_CHECKED_STEPS)
        with model_of(self.evidence.component, self.evidence.policies, self._with(terms)) as model:
            return (
                model is not None
                and all(
                    model.play(one, self.evidence.observes) == self.evidence.expected(one)
                    for one in scenarios
                )
                and not any(self._is_contradicted(model, one) for one in self.differing)
            )

    def _is_contradicted(self, model: Model, one: Difference) -> bool:
        """Whether the model leaves the reference before the engine does, or then does something else."""
        played = model.play(one.scenario, self.evidence.observes)
        left = first_difference(played, self.evidence.expected(one.scenario))
        return left < one.at or (
            left == one.at and first_difference(played, one.outputs) <= one.at < len(played)
        )


def _telling(guess: Guess) -> tuple[int, int]:
    """Mutants say most, then policies, then small changes; what breaks few rules says more than what breaks
    many."""
    return max(_KINDS[one.kind] for one in guess), sum(len(one.rules) for one in guess)


def _ties(taken: Guess, tie: Iterable[Guess]) -> list[list[Change]]:
    """For each change that is taken: this one, then those that may stand in its place."""
    others = [guess for guess in tie if guess != taken]
    if len(taken) == 1:
        return [[*taken, *(one for guess in others for one in guess)]]
    return [
        [one, *dict.fromkeys(other for guess in others for other in guess if other not in taken)]
        for one in taken
    ]


def _names(term: Change) -> bool:
    return term.kind != "small-change" or len(term.rules) <= _FEW_RULES


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


def _some(those: Sequence[Difference]) -> list[Difference]:
    if len(those) <= _SAMPLE:
        return list(those)
    return [those[place * len(those) // _SAMPLE] for place in range(_SAMPLE)]
