"""What a pass excludes: the mutants of a rule that would have shown in the scenarios that were run."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice

from tidegauge_reference import CORE

from ...drawing.shape_sample import shape_sample
from ...wire.scenario import Scenario
from ..changes.change import Change, named_changes, small_changes_at
from .evidence import Evidence
from .fitting import Fit
from .model import Model, model_of

ENOUGH_KILLS = 3
"""Where no model does all that the engine does, a rule's mutants must show in so many scenarios that
agree."""

_TRIED = 6_000
"""So many scenarios are tried before a mutant counts as one that nothing shows."""

_TRIED_OF_SMALL = 1_500
"""So many for a small change, of which a rule has others."""

_TRIED_AMONG_FAILURES = 1_500
_TRIED_BEYOND = 2_000

FEW = 3
"""A rule with fewer mutants is thin."""


@dataclass
class Exclusion:
    """What the scenarios of a run exclude of one rule.

    Attributes:
        named: the number of excluded mutants that have a name.
        excluded: the mutants that would have shown.
        unseen: the mutants that would not have shown.
        hidden: those of the unseen mutants that show in scenarios that the adapter does not express.
        not_excluded: the mutants that only a larger world would have shown.
        kills: the number of scenarios in which excluded mutants showed, as far as they were counted.
    """

    named: int = 0
    excluded: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    not_excluded: list[str] = field(default_factory=list)
    kills: int = 0


class Excluding:
    """Looks for scenarios that would have shown a mutant, inside the model of the engine if that is exact,
    and else in scenarios in which the engine agrees."""

    def __init__(self, evidence: Evidence, fit: Fit, left_out: Collection[str] = ()) -> None:
        self.evidence = evidence
        self.model = [*evidence.known, *(fit.terms if fit.exact else ())]
        self.exact = fit.exact
        self.left_out = left_out
        self.agreeing = (
            evidence.agreeing if not evidence.differing else evidence.spread(_TRIED_AMONG_FAILURES)
        )
        self.kills: dict[str, set[str] | None] = {}

    def of(self, rule: str) -> Exclusion:
        """What is excluded of a rule. A mutant that cannot show here does not count: under other policies it
        is none, or it needs what the engine does not claim."""
        found = Exclusion()
        scenarios: set[str] = set()
        wanted = 1 if self.exact else ENOUGH_KILLS
        for change in named_changes(self.evidence.component.name):
            if rule not in change.rules or change.name in self.left_out or change in self.evidence.known:
                continue
            kills = self._kills(change, rule, wanted)
            if kills is None:
                continue
            scenarios |= kills
            unseen = found.not_excluded if change.scale else found.unseen
            (found.excluded if kills else unseen).append(change.name)
            if not kills and not change.scale and self._is_hidden(change):
                found.hidden.append(change.name)
        found.named = len(found.excluded)
        if not found.unseen and len(found.excluded) < FEW:
            found.excluded += self._small(rule, FEW - len(found.excluded))
        found.kills = len(scenarios)
        return found

    def _small(self, rule: str, number: int) -> list[str]:
        """So many small changes at the rule's own decisions that would have shown."""
        found: list[str] = []
        for change in small_changes_at(self.evidence.component.name, rule):
            if len(found) == number:
                break
            if change.name not in self.left_out and self._shows(change, rule):
                found.append(change.name)
        return found

    def _shows(self, change: Change, rule: str) -> bool:
        """Whether a small change would have shown."""
        if change.name not in self.kills:
            self.kills[change.name] = self._search(change, rule, 1, _TRIED_OF_SMALL)
        return bool(self.kills[change.name])

    def _kills(self, change: Change, rule: str, wanted: int) -> set[str] | None:
        """Scenarios that show a mutant, up to the wanted number; None if it is no mutant here."""
        if change.name not in self.kills:
            kills = self._search(change, rule, wanted, _TRIED)
            self.kills[change.name] = None if not kills and self._cannot_show(change) else kills
        return self.kills[change.name]

    def _cannot_show(self, change: Change) -> bool:
        """Whether a mutant that no scenario of the run shows is none for this engine: no scenario within the
        declared shape shows it; or it shows in scenarios that need what the engine does not claim, and in a
        conforming engine the run would not show it either; or the run shows it under `core`, so that it does
        what the profile or a known deviation does."""
        evidence = self.evidence
        with model_of(evidence.component, evidence.policies, [*evidence.known, change]) as mutant:
            if mutant is not None and self._narrowed:
                return not self._shows_within_shape(mutant, change)
            if mutant is not None and _differ(mutant, evidence.reference, evidence.beyond, _TRIED_BEYOND):
                return not _differ(mutant, evidence.reference, self._hidden_by_the_engine, _TRIED)
        if evidence.policies == CORE and not evidence.known:
            return False
        with (
            model_of(evidence.component, CORE, ()) as core,
            model_of(evidence.component, CORE, [change]) as one,
        ):
            return core is not None and one is not None and _differ(one, core, self.agreeing, _TRIED)

    @property
    def _narrowed(self) -> bool:
        """Whether the engine declares a shape, or its adapter expresses less than it declares."""
        return self.evidence.component.shape is not None

    def _shows_within_shape(self, mutant: Model, change: Change) -> bool:
        """Whether a mutant shows in the fixed sample of the declared shape."""
        evidence = self.evidence
        declared = evidence.declared or evidence.component
        small, large = shape_sample(declared, evidence.policies, evidence.claims)
        return any(
            mutant.play(scenario, evidence.observes) != evidence.expected(scenario)
            for scenario in (large if change.scale else small)
        )

    def _is_hidden(self, change: Change) -> bool:
        """Whether a mutant shows in scenarios that the adapter does not express."""
        evidence = self.evidence
        if evidence.declared is not None and evidence.declared.shape != evidence.component.shape:
            return True
        with model_of(evidence.component, evidence.policies, [*evidence.known, change]) as mutant:
            return mutant is not None and _differ(mutant, evidence.reference, evidence.hidden, _TRIED)

    @cached_property
    def _hidden_by_the_engine(self) -> list[Scenario]:
        """Scenarios of the run in which a conforming engine might show what this one does not: those in which
        it differs, and inside its model the others, too."""
        differing = [one.scenario for one in self.evidence.differing]
        inside = len(self.model) > len(self.evidence.known)
        return differing + list(islice(self.agreeing, _TRIED if inside else 0))

    def _search(self, change: Change, rule: str, wanted: int, tried: int) -> set[str] | None:
        evidence = self.evidence
        with model_of(evidence.component, evidence.policies, [*self.model, change]) as inside:
            if inside is not None:
                return self._showing(inside, self._in_order(rule, change), wanted, tried)
        if change.policy is not None or not self.model:
            return None
        with model_of(evidence.component, evidence.policies, [*evidence.known, change]) as beside:
            return (
                None
                if beside is None
                else self._showing(beside, self._in_order(rule, change), wanted, tried, only_agreeing=True)
            )

    def _showing(
        self,
        model: Model,
        scenarios: Iterator[Scenario],
        wanted: int,
        tried: int,
        only_agreeing: bool = False,
    ) -> set[str]:
        observes = self.evidence.observes
        found: set[str] = set()
        for scenario in islice(scenarios, tried):
            if model.play(scenario, observes) != self.evidence.expected(scenario):
                found.add(scenario.id)
                if len(found) == wanted:
                    return found  # to draw the next one may take long
        if self.exact and not only_agreeing:
            for one in self.evidence.differing:
                if len(found) == wanted:
                    break
                if model.play(one.scenario, observes)[: len(one.outputs)] != one.outputs:
                    found.add(one.scenario.id)
        return found

    @cached_property
    def _large(self) -> list[Scenario]:
        """The scenarios of scale, so that each kind of them gets as many steps as the others at any time: a
        change shows in some kinds only, and soon there."""
        steps: dict[str | None, int] = {}
        so_far: dict[str, int] = {}
        every = chain.from_iterable(self.evidence.large.values())
        shortest_first = sorted(every, key=lambda one: len(one.history))
        for scenario in shortest_first:
            kind = scenario.origin.of
            so_far[scenario.id] = steps[kind] = steps.get(kind, 0) + len(scenario.history)
        return sorted(shortest_first, key=lambda one: so_far[one.id])

    def _in_order(self, rule: str, change: Change) -> Iterator[Scenario]:
        """The scenarios that agree, those first that were published to show the rule; of a change that only
        scale shows those of scale, its own kind first. To draw them all takes seconds."""
        if change.scale:
            yield from self.evidence.large.get(change.scale, ())
            yield from (one for one in self._large if one.origin.of != change.scale)
            return
        vectors = self.evidence.vectors
        yield from (one for one in self.agreeing[: len(vectors)] if rule in vectors.get(one.id, ()))
        yield from (self.agreeing[place] for place in range(len(self.agreeing)))


def _differ(one: Model, other: Model, scenarios: Sequence[Scenario], tried: int) -> bool:
    """Whether two models differ in so many of the scenarios."""
    places = range(min(tried, len(scenarios)))
    return any(one.play(scenarios[place]) != other.play(scenarios[place]) for place in places)
