"""One test item's work: scenarios through the engine, judged, re-run where they fail, and shrunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import chain, islice

from msgspec.structs import replace

from tidegauge_reference import Policies

from ...components.property import Property
from ...components.within import component_within, outside_of_shapes
from ...drawing.shape_sample import shape_sample
from ...engine.adapter import Adapter
from ...engine.never_sent import never_sent
from ...engine.runner import run
from ...wire.implementation import CHEAP_LAYERS, Implementation
from ...wire.scenario import Scenario, component_of
from ...wire.shapes import AnyShape
from ...wire.transcript import Outputs, Transcript, joined, spans
from ...wire.vocabulary import Restore
from ..reference.deviating_reference import Semantics, with_deviations
from ..reference.deviations import Deviation
from ..reference.oracle import Expectation, expect, expect_each
from .item_report import (
    DeviationCount,
    FoundFailure,
    ItemReport,
    LeftOut,
    PropertyCount,
    SeenViolation,
    count,
    count_error,
    keep_difference,
)
from .judge import Judgement, judge, rules_named
from .kept_answers import KeptAnswers
from .kinds import Failing, Kind, by_kind, kind_of_failure, some_of_each
from .known_expectations import KnownExpectations
from .shrinker import EFFORT, EFFORT_OF_CALLS, Effort, StillFails, shrink

COUNTEREXAMPLES_KEPT = 12
"""Maximum number of differing scenarios that are shrunk per item."""

_OF_A_KIND = 2
"""Maximum number of differing scenarios that are shrunk for each kind of difference."""

DIFFERENCES_KEPT = 100
"""Maximum number of differing scenarios kept per item, with the outputs of the engine, for the search for a
model."""

_VIOLATIONS_KEPT = 3
_REPETITIONS = 2

_LEFT_OUT_LOOKED_AT = 300


TOO_SLOW = "more than the engine can do in the time"


class Examiner:
    """Judges one engine under one profile's policies.

    Args:
        adapter: the adapter of the engine.
        implementation: the description of the engine.
        policies: the policies of the profile.
        deviations: the known deviations of the engine; the reference that it is compared with, `semantics`,
            has them, too.
        about_to_run: is called with the id of each scenario before the scenario runs.
        effort: the limit of work for shrinking one failure; None chooses it by the layer of the engine.
        drawn: the shapes within which scenarios are drawn; None for those that the engine declares.
        kept: the answers to scenarios that other properties ran before; None keeps no answers.
        known: what the reference is known to output under `policies`. It does not count for an engine with
            known deviations.
    """

    def __init__(
        self,
        adapter: Adapter,
        implementation: Implementation,
        policies: Policies,
        *,
        deviations: Sequence[Deviation] = (),
        about_to_run: Callable[[str], None] = lambda scenario: None,
        effort: Effort | None = None,
        drawn: tuple[AnyShape, ...] | None = None,
        kept: KeptAnswers | None = None,
        known: KnownExpectations | None = None,
    ) -> None:
        self.adapter = adapter
        self.implementation = implementation
        self.policies = policies
        self.semantics = with_deviations(policies, deviations)
        self.without = {
            left_out.name: with_deviations(policies, [one for one in deviations if one != left_out])
            for left_out in deviations
        }
        self.about_to_run = about_to_run
        self.effort = effort
        self.drawn = implementation.shapes if drawn is None else drawn
        self.kept = kept
        self.known = known if known is not None and not deviations else KnownExpectations()

    def applicable(
        self, scenarios: Iterable[Scenario], left_out: LeftOut | None = None, suite: str = ""
    ) -> list[Scenario]:
        """Those whose needs the engine claims and that lie within its shape; of these, those that its adapter
        expresses, and of them as many, evenly spread, as it can do of a suite. The others are counted into
        `left_out`, if it is given."""
        claimed = set(self.implementation.capabilities)
        kept = [scenario for scenario in scenarios if set(scenario.needs) <= claimed]
        kept = self._expressible(kept, left_out)
        at_most = self._limit(suite, kept)
        if at_most is None or len(kept) <= at_most:
            return kept
        if left_out is not None:
            beyond = left_out.reasons.get(TOO_SLOW, 0) + len(kept) - at_most
            left_out.reasons[TOO_SLOW] = beyond
        return _a_few(kept, at_most)

    def is_beyond(self, scenario: Scenario) -> bool:
        """Whether a scenario needs what the engine does not claim, or lies outside of its description."""
        claimed = set(self.implementation.capabilities)
        return not set(scenario.needs) <= claimed or bool(self._outside(scenario))

    def is_hidden(self, scenario: Scenario) -> bool:
        """Whether the adapter does not express a scenario that lies within the description of the engine."""
        return not self.is_beyond(scenario) and self.adapter.inexpressible(scenario) is not None

    def _outside(self, scenario: Scenario) -> str:
        """Return why a scenario lies outside of the description of the engine: a feature that its shape
        lacks, or a step that no runtime sends to an engine that does not refuse it. Empty if it lies
        within."""
        lacking = outside_of_shapes(scenario, self.implementation.shapes)
        if lacking or self.implementation.refuses:
            return lacking
        return never_sent(scenario, self.implementation.profile) or ""

    def within_its_means(self, property: Property, scenarios: Sequence[Scenario]) -> list[Scenario]:
        """Those that restore no more often than the engine can in the time, and lie within its shape, as well
        as their variants."""
        most = self._limit("restores", scenarios)
        return [
            scenario
            for scenario in scenarios
            if all(self._is_feasible(one, most) for one in (scenario, *property.variants(scenario)))
        ]

    def _is_feasible(self, scenario: Scenario, most: int | None) -> bool:
        within = not outside_of_shapes(scenario, self.implementation.shapes)
        return within and (most is None or _restores(scenario) <= most)

    def _limit(self, name: str, scenarios: Sequence[Scenario]) -> int | None:
        """What the engine says that it can do of these; what runs elsewhere than the rest is no burden."""
        engine = self.implementation
        if not scenarios or engine.layer_of(component_of(scenarios[0])) != engine.layer:
            return None
        return engine.at_most.get(name)

    def _expressible(self, scenarios: Sequence[Scenario], left_out: LeftOut | None) -> list[Scenario]:
        """Those that lie within the description of the engine and that its adapter expresses."""
        kept = []
        for scenario in scenarios:
            lacking = self._outside(scenario)
            reason = None if lacking else self.adapter.inexpressible(scenario)
            if not lacking and reason is None:
                kept.append(scenario)
            elif left_out is not None:
                for rule in _rules(self.expected(scenario)):
                    if reason is None:
                        left_out.outside.setdefault(rule, lacking)
                        continue
                    left_out.rules[rule] = left_out.rules.get(rule, 0) + 1
                    left_out.hidden.setdefault(rule, reason)
                if reason is not None:
                    left_out.reasons[reason] = left_out.reasons.get(reason, 0) + 1
        return kept

    def expected(self, scenario: Scenario) -> Expectation:
        """What the engine is compared with: the reference, with the known deviations."""
        return self.known.of(scenario) or expect(scenario, self.semantics)

    def expectations(self, scenarios: Sequence[Scenario]) -> Iterator[Expectation]:
        """The same of each scenario."""
        known = [self.known.of(scenario) for scenario in scenarios]
        unknown = [one for one, expectation in zip(scenarios, known, strict=True) if expectation is None]
        asked = expect_each(unknown, self.semantics)
        return (next(asked) if expectation is None else expectation for expectation in known)

    def judged(
        self, scenarios: Sequence[Scenario], published: Mapping[str, list[Outputs] | None] | None = None
    ) -> list[tuple[Judgement, Transcript | None]]:
        """Run scenarios and compare each with its published outputs, or else with the reference."""
        transcripts = run(self.adapter, scenarios, self.about_to_run)
        answers = []
        expectations = self.expectations(scenarios)
        for scenario, transcript, expectation in zip(scenarios, transcripts, expectations, strict=True):
            outputs = published[scenario.id] if published is not None else None
            if outputs is not None and not self._deviates(scenario, expectation):
                expectation = Expectation(outputs, expectation.cited)
            observes = self.implementation.observes
            answers.append((judge(scenario, transcript, expectation, observes), transcript))
        return answers

    def compare(
        self,
        report: ItemReport,
        scenarios: Sequence[Scenario],
        published: Mapping[str, list[Outputs] | None] | None = None,
    ) -> set[str]:
        """Judge scenarios, counting into `report`, keeping some of those that differ and shrinking a few. The
        ids of those in which the engine agrees."""
        failing: list[tuple[Scenario, Judgement]] = []
        answers = self.judged(scenarios, published)
        transcripts = {one.id: answer for one, (_, answer) in zip(scenarios, answers, strict=True)}
        for scenario, (judgement, transcript) in zip(scenarios, answers, strict=True):
            if self.fails(report, scenario, judgement, transcript):
                failing.append((scenario, judgement))
        for scenario, judgement in some_of_each(by_kind(failing).values(), DIFFERENCES_KEPT):
            keep_difference(report, scenario, judgement, transcripts[scenario.id])
        for scenario, judgement in counterexamples_kept(failing)[: self._shrunk_at_most(failing)]:
            report.failures.append(self.shrunk(scenario, judgement, transcripts[scenario.id]))
        return {one.id for one, (judgement, _) in zip(scenarios, answers, strict=True) if judgement.agrees}

    def fails(
        self, report: ItemReport, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
    ) -> bool:
        """Count one judged scenario into `report`; whether the engine fails in it. Where it is right instead
        of deviating as known it does not: that is said of the deviation."""
        if self._right_after_all(report, scenario, judgement, transcript):
            return False
        count(report, scenario, judgement, transcript)
        return judgement.diverges_at is not None

    def _deviates(self, scenario: Scenario, expectation: Expectation) -> bool:
        return bool(self.without) and expect(scenario, self.policies).outputs != expectation.outputs

    def _right_after_all(
        self, report: ItemReport, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
    ) -> bool:
        """Count the known deviations that matter in a scenario; whether the engine does without one."""
        if not self.without:
            return False
        observes = self.implementation.observes
        lengths = spans(scenario, observes)
        deviating = joined(expect(scenario, self.semantics).outputs, lengths)
        right = False
        for name, semantics in self.without.items():
            without = expect(scenario, semantics)
            if joined(without.outputs, lengths) == deviating:
                continue
            counted = report.deviations.setdefault(name, DeviationCount())
            if judgement.unanswered is not None:
                continue
            if judgement.diverges_at is None:
                counted.shown += 1
            elif judge(scenario, transcript, without, observes).agrees:
                counted.absent += 1
                right = True
        return right

    def shrunk(self, scenario: Scenario, first: Judgement, transcript: Transcript | None) -> FoundFailure:
        """Shrink a failing scenario to a minimal counterexample with the same kind of difference. A scenario
        that the engine answers differently when it is repeated is not shrunk."""
        repeated = [self.judged([scenario])[0][0] for _ in range(_REPETITIONS)]
        if any(again.got != first.got or again.diverges_at != first.diverges_at for again in repeated):
            cited = sorted(first.cited)
            return FoundFailure(scenario, transcript, scenario.id, cited, deterministic=False)
        kind = kind_of_failure(scenario, first)
        smallest = self._smallest(scenario, lambda examiner: partial(examiner._last_steps, kind=kind))
        return self._found(smallest, scenario.id)

    def _smallest(self, scenario: Scenario, failing: Callable[[Examiner], StillFails]) -> Scenario:
        """Shrink a scenario with the stand-in of the engine if it fails there, too, and the smallest scenario
        fails in the engine itself; otherwise with the engine.

        Args:
            scenario: a failing scenario.
            failing: returns the function with which an examiner finds out which scenarios fail.
        """
        stand_in = self.adapter.stand_in()
        if stand_in is not None:
            quick = copy(self)
            quick.adapter, quick.effort = stand_in, EFFORT if self.effort is None else self.effort
            quick.implementation = replace(self.implementation, at_most={})
            if failing(quick)([scenario])[0] is not None:
                smallest = shrink(scenario, failing(quick), quick.effort)
                if failing(self)([smallest])[0] is not None:
                    return smallest
        return shrink(scenario, failing(self), self.effort_on(scenario))

    def _shrunk_at_most(self, failing: Sequence[Failing]) -> int | None:
        """Return how many counterexamples of an item the engine can shrink in the time; None: no limit."""
        return self._limit("counterexamples", [scenario for scenario, _ in failing])

    def effort_on(self, scenario: Scenario) -> Effort:
        """Return the limit of work for shrinking a scenario."""
        if self.effort is not None:
            return self.effort
        cheap = self.implementation.layer_of(component_of(scenario)) in CHEAP_LAYERS
        return EFFORT if cheap else EFFORT_OF_CALLS

    def _found(self, scenario: Scenario, found_as: str, property: str | None = None) -> FoundFailure:
        judgement, transcript = self.judged([scenario])[0]
        return FoundFailure(scenario, transcript, found_as, sorted(judgement.cited), property=property)

    def _last_steps(self, scenarios: Sequence[Scenario], kind: Kind | None = None) -> list[int | None]:
        """Return the last step of the first difference of each scenario; None for a scenario that does not
        differ, or whose difference is not of the `kind`."""
        kept = [scenario for scenario in scenarios if not self.is_beyond(scenario)]
        kept = [scenario for scenario in kept if self.adapter.inexpressible(scenario) is None]
        kept = kept[: self.implementation.at_most.get("shrinking")]
        last_steps = {
            scenario.id: judgement.last_step
            for scenario, (judgement, _) in zip(kept, self.judged(kept), strict=True)
            if judgement.diverges_at is not None and kind in (None, kind_of_failure(scenario, judgement))
        }
        return [last_steps.get(scenario.id) for scenario in scenarios]

    def check(self, report: ItemReport, property: Property, scenarios: Sequence[Scenario]) -> None:
        """Check a property on scenarios and their variants, shrinking the first that violates it."""
        counted = report.properties.setdefault(property.name, PropertyCount())
        violating = []
        found = self._holds(property, scenarios, report, self.kept)
        for scenario, (holds, known) in zip(scenarios, found, strict=True):
            counted.known += known
            counted.checked += holds is not None
            counted.violated += holds is False
            report.scenarios += 1
            report.steps += len(scenario.history)
            if holds is False:
                violating.append(scenario)
        report.failing += len(violating)
        for scenario in sorted(violating, key=lambda one: len(one.history))[:_VIOLATIONS_KEPT]:
            self._keep_violation(report, property, with_variants(property, scenario))
        if violating:
            first = min(violating, key=lambda scenario: len(scenario.history))
            if self._changes(property, first):
                ((judgement, transcript),) = self.judged([first])
                cited = sorted(judgement.cited)
                report.failures.append(
                    FoundFailure(
                        first, transcript, first.id, cited, deterministic=False, property=property.name
                    )
                )
                return
            smallest = self._smallest(first, lambda examiner: partial(examiner._violated_at, property))
            family = with_variants(property, smallest)
            wrong = (member for member in family if self._last_steps([member])[0] is not None)
            report.failures.append(self._found(next(wrong, family[0]), first.id, property.name))

    def _changes(self, property: Property, scenario: Scenario) -> bool:
        """Whether a scenario that violates a property holds when repeated, or is answered otherwise."""
        family = with_variants(property, scenario)
        played = [run(self.adapter, family) for _ in range(1 + _REPETITIONS)]
        answers = [[one and one.outputs for one in each] for each in played]
        if any(again != answers[0] for again in answers):
            return True
        return self._holds(property, [scenario])[0][0] is not False

    def _violated_at(self, property: Property, candidates: Sequence[Scenario]) -> list[int | None]:
        kept = candidates[: self.implementation.at_most.get("shrinking")]
        found = self._holds(property, kept)
        violating = {one.id for one, (holds, _) in zip(kept, found, strict=True) if holds is False}
        return [len(one.history) - 1 if one.id in violating else None for one in candidates]

    def _keep_violation(self, report: ItemReport, property: Property, family: list[Scenario]) -> None:
        answers = [answer for answer in run(self.adapter, family) if answer is not None]
        if len(answers) == len(family):
            report.violations.append(SeenViolation(property.name, family, answers))

    def _holds(
        self,
        property: Property,
        scenarios: Sequence[Scenario],
        report: ItemReport | None = None,
        kept: KeptAnswers | None = None,
    ) -> list[tuple[bool | None, bool]]:
        """Whether the property holds of each scenario, and whether a known deviation violates it. Where no
        answer comes it is counted into the report."""
        families = [with_variants(property, scenario) for scenario in scenarios]
        play = partial(run, self.adapter, about_to_run=self.about_to_run)
        found: list[tuple[bool | None, bool]] = []
        for family, answers in zip(families, (kept or KeptAnswers()).answers(families, play), strict=True):
            whole = [answer for answer in answers if answer is not None and answer.failure is None]
            if report is not None and len(whole) < len(family) and not self._hides_a_variant(family):
                self._count_unanswered(report, family, answers)
            holds = property.holds(family, whole) if len(whole) == len(family) else None
            known = not holds and len(whole) == len(family) and self._known_to_differ(property, family, holds)
            found.append((None if known else holds, known))
        return found

    def _hides_a_variant(self, family: Sequence[Scenario]) -> bool:
        """Whether the adapter does not express a variant of a scenario that it expresses: in another order
        its steps may be such as no engine of that kind is given."""
        return any(self.adapter.inexpressible(variant) is not None for variant in family[1:])

    def _count_unanswered(
        self, report: ItemReport, family: Sequence[Scenario], answers: Sequence[Transcript | None]
    ) -> None:
        report.unanswered += 1
        for member, answer in zip(family, answers, strict=True):
            if answer is None or answer.failure is not None:
                judgement = judge(member, answer, self.expected(member), self.implementation.observes)
                if judgement.unanswered is not None:
                    count_error(report, member, judgement.unanswered, judgement.deciding, judgement.unreached)
                return

    def _known_to_differ(self, property: Property, family: Sequence[Scenario], holds: bool | None) -> bool:
        """Whether an engine with the known deviations violates a property that other engines have, or never
        comes to its situation where they do."""
        if not self.without or self._holds_of(property, family, self.semantics) != holds:
            return False
        return holds is False or self._holds_of(property, family, self.policies) is not None

    def arises_in_what_is_left_out(self, property: Property, scenarios: Iterable[Scenario]) -> bool:
        """Return whether a property's situation arises in scenarios that the adapter does not express.

        What no runtime sends lies outside of the description of the engine, and does not count."""
        hidden = filter(self.is_hidden, scenarios)
        return any(
            self._holds_of(property, with_variants(property, scenario), self.semantics) is not None
            for scenario in islice(hidden, _LEFT_OUT_LOOKED_AT)
        )

    def never_arises_within_shape(self, property: Property, component: str) -> bool:
        """Whether a property's situation never arises in the fixed sample of the declared shape; False for an
        engine that has every feature."""
        declared = component_within(component, self.implementation.shapes)
        if declared.shape is None:
            return False
        small, _ = shape_sample(declared, self.policies, self.implementation.claims())
        return not any(
            self._holds_of(property, with_variants(property, one), self.semantics) is not None
            for one in self.within_its_means(property, small)
        )

    def excluded_by_what_is_known(self, property: Property, scenarios: Iterable[Scenario]) -> bool:
        """Whether a property's situation arises in these scenarios, though never for an engine with the known
        deviations."""
        if not self.without:
            return False
        families = [with_variants(property, one) for one in islice(scenarios, _LEFT_OUT_LOOKED_AT)]
        arises = any(self._holds_of(property, family, self.policies) is not None for family in families)
        return arises and all(self._holds_of(property, family, self.semantics) is None for family in families)

    def _holds_of(self, property: Property, family: Sequence[Scenario], semantics: Semantics) -> bool | None:
        """Whether it holds of the reference."""
        answers = [expect(member, semantics).outputs for member in family]
        return property.holds(
            family,
            [Transcript(one.id, tuple(outputs)) for one, outputs in zip(family, answers, strict=True)],
        )


def _restores(scenario: Scenario) -> int:
    return sum(isinstance(step, Restore) for step in scenario.history)


def _a_few(scenarios: Sequence[Scenario], number: int) -> list[Scenario]:
    """So many of them, evenly spread; half of them such as have needs, which are rare."""
    needing = [one for one in scenarios if one.needs]
    plain = [one for one in scenarios if not one.needs]
    rare = min(len(needing), max(number // 2, number - len(plain)))
    return [*_spread(needing, rare), *_spread(plain, number - rare)]


def _spread(scenarios: Sequence[Scenario], number: int) -> list[Scenario]:
    return [scenarios[place * len(scenarios) // number] for place in range(number)]


def with_variants(property: Property, scenario: Scenario) -> list[Scenario]:
    """The scenario and its variants for a property, with ids of their own: `valve:seed:1:26~0`, and
    `valve:seed:1:26~valve-shift~1` for the first variant."""
    variants = enumerate(property.variants(scenario), start=1)
    named = [replace(variant, id=f"{scenario.id}~{property.name}~{number}") for number, variant in variants]
    return [replace(scenario, id=f"{scenario.id}~0"), *named]


def _rules(expectation: Expectation) -> frozenset[str]:
    return rules_named(chain.from_iterable(expectation.cited))


def counterexamples_kept(failing: Iterable[Failing]) -> list[Failing]:
    """Return the failing scenarios to shrink: the two earliest of each kind of difference, as far as the
    limit allows."""
    kinds = [of_kind[:_OF_A_KIND] for of_kind in by_kind(failing).values()]
    return some_of_each(kinds, COUNTEREXAMPLES_KEPT)
