"""The trial of a model: before the model accuses rules, it is tested in new scenarios. They are chosen so
that the model and the alternative explanations of the engine differ in them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from msgspec.structs import replace as renamed

from ...components.shared.random_source import RandomSource
from ...drawing.histories import draw_history, has_effect
from ...drawing.scale import scale_places, scale_scenario
from ...wire.base_scenario import Origin
from ...wire.scenario import Scenario, problems
from ...wire.transcript import Transcript, canonical
from ...wire.vocabulary import Error
from ..changes.change import Change
from .evidence import Difference, Evidence, first_difference
from .fitting import Fit, fit_of
from .model import Model, Played, model_of

_SEED = 2**40
"""A seed that no run uses, so that the random scenarios are new."""

_FIRST_OF_SCALE = 10_000
"""The index of the first scenario of scale; no run draws as many of one kind."""

_DRAWN = 1_500
"""Largest number of random scenarios, and of varied ones, in which a model and an alternative are
compared."""

_VARIED = 50
"""Number of the shortest differing scenarios that are varied with additional steps. They are used if random
scenarios do not suffice to test a model."""

_TELLING = 8
"""Largest number of scenarios that are run for each alternative."""

_ENOUGH = 2
"""A term is confirmed if the engine outputs the same as the model in this number of its scenarios."""

Answers = Mapping[str, Transcript | None]
"""The transcripts of the engine in the scenarios of a trial, by the id of the scenario."""

Ask = Callable[[Sequence[Scenario]], Answers]
"""Runs more scenarios on the engine to test a model. Without an engine to run, it returns no answers."""


@dataclass(frozen=True)
class Trial:
    """The scenarios that test each term of a model, by the name of the term.

    In each scenario, the model differs from the model without the term, or from the model with a tied term in
    its place.
    """

    scenarios: Mapping[str, tuple[Scenario, ...]] = field(default_factory=dict)

    @property
    def every(self) -> list[Scenario]:
        """All scenarios, each once."""
        return list({each.id: each for of_term in self.scenarios.values() for each in of_term}.values())


def trial_of(evidence: Evidence, fitted: Fit) -> Trial:
    """Return the trial of an exact model. The trial of any other model is empty, since such a model accuses
    no rule."""
    if not fitted.terms or not fitted.exact:
        return Trial()
    scenarios: dict[str, dict[str, Scenario]] = {term.name: {} for term in fitted.terms}
    with ExitStack() as models:
        make = partial(_model, evidence, models)
        model, alternatives = make(fitted.terms), _alternatives(fitted, make)
        for scenario in _drawn(evidence, fitted.terms):
            remaining = [alternative for alternative in alternatives if alternative.shown < _TELLING]
            if model is None or not remaining:
                break
            outputs = model.play(scenario, evidence.observes)
            if "refuses" not in evidence.claims and _is_refused(outputs):
                continue  # the reference accepts a step that the model refuses, and this engine refuses none
            for alternative in remaining:
                if alternative.model.play(scenario, evidence.observes) != outputs:
                    alternative.shown += 1
                    scenarios[alternative.term][scenario.id] = scenario
    return Trial({name: tuple(of_term.values()) for name, of_term in scenarios.items()})


def _is_refused(outputs: Played) -> bool:
    """Return whether a step is refused."""
    return any(isinstance(output, Error) for span in outputs for output in span)


@dataclass
class _Alternative:
    """A model that may explain the engine instead of the model with the term.

    Attributes:
        term: the name of the term that is missing or replaced in this model.
        model: the alternative model.
        shown: the number of scenarios found in which the two models differ.
    """

    term: str
    model: Model
    shown: int = 0


def _model(evidence: Evidence, models: ExitStack, changes: Sequence[Change]) -> Model | None:
    return models.enter_context(model_of(evidence.component, evidence.policies, [*evidence.known, *changes]))


def _alternatives(fitted: Fit, make: Callable[[Sequence[Change]], Model | None]) -> list[_Alternative]:
    """Return the models without one of the terms, and with a tied change in place of one."""
    alternatives = []
    for term, tie in zip(fitted.terms, fitted.ties, strict=False):
        others = [other for other in fitted.terms if other is not term]
        changed = [make([*others, *instead]) for instead in ([], *([tied] for tied in tie[1:]))]
        alternatives += [_Alternative(term.name, other) for other in changed if other is not None]
    return alternatives


def tried(evidence: Evidence, fitted: Fit, trial: Trial, answers: Answers) -> tuple[Evidence, Fit]:
    """Return the evidence and the model after the trial of the model.

    If the engine contradicts the model in a scenario, a model with a tied change in place of a term may
    reproduce everything, the scenarios of the trial included: that is the model then. Without such a model
    none is exact, and the evidence contains these scenarios as further differences. An exact model names the
    confirmed terms.
    """
    if not trial.scenarios:
        return evidence, fitted
    answered = [
        (scenario, tuple(map(canonical, answer.outputs)))
        for scenario in trial.every
        for answer in [answers.get(scenario.id)]
        if answer is not None and answer.failure is None
    ]
    contradicted = _contradicted(evidence, fitted.terms, answered)
    if not contradicted:
        return evidence, _confirmed(evidence, fitted, answered)
    for other in _with_ties(fitted):
        if not _contradicted(evidence, other.terms, answered):
            checked = fit_of(evidence, other)
            if checked.exact:
                return evidence, _confirmed(evidence, checked, answered)
    return replace(evidence, differing=[*evidence.differing, *_differing(evidence, contradicted)]), replace(
        fitted, exact=False, borne_out=0, told_explained=frozenset()
    )


Answered = Sequence[tuple[Scenario, Played]]
"""Scenarios of a trial with the outputs of the engine."""


def _contradicted(evidence: Evidence, terms: Sequence[Change], answered: Answered) -> Answered:
    """Return the scenarios in which the engine outputs something else than a model of these terms."""
    with model_of(evidence.component, evidence.policies, [*evidence.known, *terms]) as model:
        return [
            (scenario, outputs)
            for scenario, outputs in answered
            if model is not None and outputs != model.play(scenario, evidence.observes)
        ]


def _with_ties(fitted: Fit) -> Iterator[Fit]:
    """Yield the models with a tied change in place of one term, which is not tied any more."""
    for place, tie in enumerate(fitted.ties):
        for tied in tie[1:]:
            others = [other for other in tie[1:] if other is not tied]
            yield replace(
                fitted,
                terms=[*fitted.terms[:place], tied, *fitted.terms[place + 1 :]],
                ties=[*fitted.ties[:place], [tied, *others], *fitted.ties[place + 1 :]],
            )


def _confirmed(evidence: Evidence, fitted: Fit, answered: Answered) -> Fit:
    """Return a model that the engine has not contradicted, with the terms that the trial confirms."""
    shown: Counter[str] = Counter()
    with ExitStack() as models:
        alternatives = _alternatives(fitted, partial(_model, evidence, models))
        for scenario, outputs in answered:
            shown.update(
                {
                    alternative.term
                    for alternative in alternatives
                    if alternative.model.play(scenario, evidence.observes) != outputs
                }
            )
    names = frozenset(name for name, number in shown.items() if number >= _ENOUGH)
    return replace(fitted, tried=names, tried_in=len(answered))


def _differing(evidence: Evidence, contradicted: Iterable[tuple[Scenario, Played]]) -> Iterator[Difference]:
    """Yield the scenarios in which the engine differs from the reference as well as from the model."""
    for scenario, outputs in contradicted:
        at = first_difference(outputs, evidence.expected(scenario))
        if at < len(outputs):
            yield Difference(scenario, outputs, at)


def _drawn(evidence: Evidence, terms: Sequence[Change]) -> Iterator[Scenario]:
    """Yield scenarios that no run has drawn and that the engine claims to support.

    The order is: one of each kind of scale, and more of the kinds that a term needs; random scenarios;
    variations of the differing scenarios.
    """
    component, policies = evidence.component, evidence.policies
    shown = {term.scale: _TELLING for term in terms if term.scale}
    kinds = dict.fromkeys((kind for kind, _ in scale_places(component, "smoke")), 1)
    large = (
        scale_scenario(component, kind, _FIRST_OF_SCALE + index, policies)
        for kind, number in (kinds | shown).items()
        for index in range(number)
    )
    random = (draw_history(component, _SEED, index, policies) for index in range(_DRAWN))
    shortest = sorted(evidence.differing, key=lambda each: (len(each.scenario.history), each.scenario.id))
    varied = (_varied(evidence, shortest[:_VARIED], RandomSource(_SEED, index)) for index in range(_DRAWN))
    for scenario in chain(large, random, varied):
        if scenario is not None and set(scenario.needs) <= evidence.claims and not problems(scenario):
            yield scenario


def _varied(evidence: Evidence, differing: Sequence[Difference], random: RandomSource) -> Scenario:
    """Return one of the differing scenarios with one to three steps inserted: it reaches states that random
    scenarios rarely reach."""
    scenario = random.pick(differing).scenario
    component, policies = evidence.component, evidence.policies
    history: list[Any] = [*scenario.history]
    for _ in range(random.between(1, 3)):
        place = random.between(0, len(history))
        engine = component.reference(scenario.setup, policies)
        for step in history[:place]:
            if type(step) in component.calls:
                has_effect(component, engine, step)
        history.insert(place, component.draw_step(random, engine))
    varied: Scenario = renamed(
        scenario,
        id=f"{scenario.id}:varied:{random.below(2**32)}",
        history=tuple(history),
        groups=(),
        origin=Origin("variant", of=scenario.id),
    )
    return varied
