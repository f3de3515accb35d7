"""How sound verdicts are: engines with one, two and three defects, judged with and without the kit knowing
the defects. No rule that an engine breaks may pass; of the others as many as possible should."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Literal

from msgspec import Struct

from tidegauge_reference import CORE
from tidegauge_spec import load_registry

from ..components.registry import COMPONENTS
from ..judging.changes.change import Change, named_changes, policy_changes, small_changes
from ..judging.changes.segments import touch
from ..judging.diagnosis.component_judgement import judge_evidence
from ..judging.diagnosis.model import Model, Played, model_of
from ..judging.diagnosis.shape_rules import rules_outside
from ..judging.traceability import status
from ..judging.verdicts.judged_in import judged_by
from ..wire.shapes import component_of_shape
from .listed_mutants import load_equivalents
from .sample import Sample, answers_of, evidence_of, sample_of
from .shapes import SHAPES_MEASURED

CaseKind = Literal["single", "pair", "triple", "small-change"]

COMBINATIONS = {"pair": 300, "triple": 100}


class Case(Struct, frozen=True):
    """An engine: the changes of a component's reference that it has, by name. `left_out`: the kit does not
    know them, nor anything that behaves alike. `shape`: the name of the shape that the engine declares."""

    component: str
    kind: CaseKind
    changes: tuple[str, ...]
    left_out: bool
    shape: str = ""

    @property
    def key(self) -> str:
        """A name for the case."""
        known = "unknown" if self.left_out else "known"
        shape = f"|{self.shape}" if self.shape else ""
        return f"{self.component}|{self.kind}|{'+'.join(self.changes)}|{known}{shape}"


class Outcome(Struct, frozen=True, kw_only=True, tag=True):
    """The judgement of a case.

    Attributes:
        key: the key of the case.
        component: the component of the case.
        kind: the kind of the case.
        left_out: whether the kit does not know the changes.
        listed: the broken rules.
        false: the broken rules that passed nevertheless.
        others: the number of rules that are not broken.
        kept: the number of rules that are not broken and passed.
        named: the broken rules that fail.
        misnamed: the rules that fail although they are not broken.
        suspects: the suspects.
        differing: the number of differing scenarios.
        exact: whether a model reproduces the engine.
        model: the names of the changes in that model.
        defects: the number of changes in the engine.
        hidden: the changes that no scenario detects next to the others.
        unnamed: the detected changes that break none of the failing rules.
        seconds: the duration of judging, in s.
        shape: the name of the shape that the engine declares; empty for the full shape.
    """

    key: str
    component: str
    kind: CaseKind
    left_out: bool
    listed: tuple[str, ...]
    false: tuple[str, ...]
    others: int
    kept: int
    named: tuple[str, ...]
    misnamed: tuple[str, ...]
    suspects: tuple[str, ...]
    differing: int
    exact: bool
    model: tuple[str, ...]
    defects: int
    hidden: tuple[str, ...]
    unnamed: tuple[str, ...]
    seconds: float
    shape: str = ""


def cases(small_every: int = 10) -> list[Case]:
    """All singles, seeded pairs and triples, each known and unknown, and every so many of the small changes.
    Mutants that do nothing at all break every rule and hide all others, so they are no part of it."""
    found: list[Case] = []
    for name in components():
        chance = random.Random(f"soundness {name}")
        engines: list[tuple[CaseKind, tuple[str, ...]]] = [("single", (one.name,)) for one in breaking(name)]
        engines += [("pair", one) for one in _combinations(name, 2, COMBINATIONS["pair"], chance)]
        engines += [("triple", one) for one in _combinations(name, 3, COMBINATIONS["triple"], chance)]
        found += [Case(name, kind, one, unknown) for kind, one in engines for unknown in (False, True)]
        small = [one.name for one in small_changes(name) if one.name not in load_equivalents()]
        found += [Case(name, "small-change", (one,), True) for one in small[::small_every]]
    return found


def cases_of_shapes() -> list[Case]:
    """All singles behind each of the shapes, each known and unknown."""
    return [
        Case(component_of_shape(shape), "single", (change.name,), unknown, name)
        for name, shape in SHAPES_MEASURED.items()
        for change in breaking(component_of_shape(shape))
        for unknown in (False, True)
    ]


def components() -> list[str]:
    """Those whose engines are compared with the reference."""
    return [name for name, component in COMPONENTS.items() if component.drawn]


def breaking(component: str) -> list[Change]:
    """The named mutants of a component that break some of its rules, not all, where the world is small."""
    return [one for one in named_changes(component) if one.rules and not one.scale]


def _combinations(name: str, size: int, number: int, chance: random.Random) -> Iterator[tuple[str, ...]]:
    """A component's share of so many combinations, as many as its mutants are of all; of changes that do not
    touch each other."""
    share = round(number * len(breaking(name)) / sum(len(breaking(one)) for one in components()))
    seen: set[tuple[str, ...]] = set()
    while len(seen) < share:
        chosen = sorted(chance.sample(breaking(name), size), key=lambda one: one.name)
        names = tuple(one.name for one in chosen)
        if names not in seen and not touch([segment for one in chosen for segment in one.segments]):
            seen.add(names)
            yield names


def outcome_of(case: Case, changes: Sequence[Change] = ()) -> Outcome | None:
    """How a case is judged; None if it shows in no scenario, or cannot be made. `changes`: those of the case,
    where they are in no list."""
    began = time.perf_counter()
    changes = changes or _listed(case)
    sample = sample_of(case.component, any(one.scale for one in changes), case.shape)
    with model_of(sample.component, CORE, changes) as engine:
        if engine is None:
            return None
        evidence = evidence_of(sample, engine)
        hidden = [one.name for one in changes if not _shows(sample, engine, changes, one)]
        visible = [one for one in changes if one.name not in hidden]
        if not visible or not (evidence.differing or evidence.unanswered):
            return None
        unknown = {
            alike
            for one in changes
            if case.left_out
            for alike in _alike(case.component, one.name, case.shape)
        }
        rules = [
            one.id
            for one in load_registry().rules.values()
            if case.component in judged_by(one, evidence.claims) and status(one)[0] == "judged"
        ]
        outside = rules_outside(sample.component, CORE, evidence.claims, tuple(rules))
        rules = [rule for rule in rules if rule not in outside]
        judgement = judge_evidence(evidence, rules, unknown, partial(answers_of, engine))
    listed = {rule for one in visible for rule in one.rules} & set(rules)
    hidden_rules = {rule for one in changes for rule in one.rules} - listed
    passed = {rule for rule, one in judgement.rules.items() if one.standing == "pass"}
    failed = {rule for rule, one in judgement.rules.items() if one.standing == "fail"}
    suspects = {rule for rule, one in judgement.rules.items() if one.standing == "suspect"}
    others = set(rules) - listed - hidden_rules
    small = case.kind == "small-change"
    return Outcome(
        key=case.key,
        component=case.component,
        kind=case.kind,
        left_out=case.left_out,
        listed=tuple(sorted(listed)),
        false=tuple(sorted(listed & passed)) if not small or len(listed) == 1 else (),
        others=len(others),
        kept=len(others & passed),
        named=tuple(sorted(failed & listed)),
        misnamed=tuple(sorted(failed - listed - hidden_rules)),
        suspects=tuple(sorted(suspects)),
        differing=len(evidence.differing),
        exact=judgement.fit.exact,
        model=tuple(one.name for one in judgement.fit.terms),
        defects=len(changes),
        hidden=tuple(hidden),
        unnamed=tuple(one.name for one in visible if not failed & set(one.rules)),
        seconds=round(time.perf_counter() - began, 2),
        shape=case.shape,
    )


def _listed(case: Case) -> list[Change]:
    known = {one.name: one for one in (*named_changes(case.component), *small_changes(case.component))}
    return [known[name] for name in case.changes]


def _shows(sample: Sample, engine: Model, changes: Sequence[Change], one: Change) -> bool:
    """Whether a change shows in some scenario beside the others: taking it out changes an output."""
    others = [other for other in changes if other is not one]
    with model_of(sample.component, CORE, others) as without:
        return without is not None and any(
            engine.play(scenario) != without.play(scenario) for scenario in sample.scenarios
        )


@cache
def _alike(component: str, name: str, shape: str) -> frozenset[str]:
    """The changes that do in every scenario what the one of that name does."""
    sample = sample_of(component, shape=shape)
    candidates = (*named_changes(component), *policy_changes(component, CORE), *small_changes(component))
    known = {one.name: one for one in candidates}
    with model_of(sample.component, CORE, [known[name]]) as engine:
        assert engine is not None
        played = [engine.play(scenario) for scenario in sample.scenarios]
    telling = sorted(
        range(len(played)), key=lambda place: (played[place] == sample.expected[place], place % 7, place)
    )
    return frozenset(
        one.name for one in candidates if one.name == name or _does(sample, one, played, telling)
    )


def _does(sample: Sample, change: Change, played: Sequence[Played], order: Iterable[int]) -> bool:
    with model_of(sample.component, CORE, [change]) as engine:
        return engine is not None and all(
            engine.play(sample.scenarios[place]) == played[place] for place in order
        )
