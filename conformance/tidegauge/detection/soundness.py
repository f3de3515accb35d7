"""How sound verdicts are: engines with one, two and three defects, judged with and without the kit knowing
the defects. No rule that an engine breaks may pass; of the others as many as possible should."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tidegauge_reference import CORE
from tidegauge_spec import load_registry

from ..components.component import Component
from ..components.property import Property
from ..components.registry import COMPONENTS
from ..drawing.cover import state_cover
from ..drawing.histories import draw_history
from ..drawing.scale import scale_scenarios
from ..judging.changes.change import Change, named_changes, policy_changes, small_changes
from ..judging.changes.segments import touch
from ..judging.diagnosis.component_judgement import judge_component
from ..judging.diagnosis.evidence import Difference, Evidence, Violation, first_difference
from ..judging.diagnosis.model import Model, Played, model_of
from ..judging.traceability import status
from ..judging.verdicts.judged_in import judged_by
from ..vectors.published import load_vectors
from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .listed_mutants import load_equivalents

_COVERED = 900
_DRAWN = 1_200
_EVERY = 9
"""Properties are checked on every so many scenarios besides the golden vectors."""

Kind = Literal["single", "pair", "triple", "small-change"]

COMBINATIONS = {"pair": 300, "triple": 100}


class Case(Struct, frozen=True):
    """An engine: the changes of a component's reference that it has, by name. `left_out`: the kit does not
    know them, nor anything that behaves alike."""

    component: str
    kind: Kind
    changes: tuple[str, ...]
    left_out: bool

    @property
    def key(self) -> str:
        """A name for the case."""
        return (
            f"{self.component}|{self.kind}|{'+'.join(self.changes)}|{'unknown' if self.left_out else 'known'}"
        )


class Outcome(Struct, frozen=True, kw_only=True, tag=True):
    """How a case was judged: rules that are broken (`listed`) and passed all the same (`false`), of the other
    rules how many there are and how many passed, the failing rules that are listed and that are not.
    `hidden`: changes that show in no scenario beside the others. `model` is what the engine was said to
    behave as."""

    key: str
    component: str
    kind: Kind
    left_out: bool
    listed: tuple[str, ...]
    false: tuple[str, ...]
    others: int
    kept: int
    named: tuple[str, ...]
    misnamed: tuple[str, ...]
    differing: int
    exact: bool
    model: tuple[str, ...]
    defects: int
    hidden: tuple[str, ...]
    unnamed: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Sample:
    """The scenarios that judge an engine of a component, what the reference outputs, and the families of its
    properties."""

    component: Component
    scenarios: list[Scenario]
    expected: list[Played]
    cited: list[frozenset[str]]
    vectors: dict[str, tuple[str, ...]]
    families: list[tuple[Property, tuple[Scenario, ...]]]


def cases(small_every: int = 10) -> list[Case]:
    """All singles, seeded pairs and triples, each known and unknown, and every so many of the small changes.
    Mutants that do nothing at all break every rule and hide all others, so they are no part of it."""
    found: list[Case] = []
    for name in components():
        chance = random.Random(f"soundness {name}")
        engines: list[tuple[Kind, tuple[str, ...]]] = [("single", (one.name,)) for one in breaking(name)]
        engines += [("pair", one) for one in _combinations(name, 2, COMBINATIONS["pair"], chance)]
        engines += [("triple", one) for one in _combinations(name, 3, COMBINATIONS["triple"], chance)]
        found += [Case(name, kind, one, unknown) for kind, one in engines for unknown in (False, True)]
        small = [one.name for one in small_changes(name) if one.name not in load_equivalents()]
        found += [Case(name, "small-change", (one,), True) for one in small[::small_every]]
    return found


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


@cache
def sample_of(name: str, scale: bool = False) -> Sample:
    """The sample of a component under `core`: golden vectors, a part of the state cover, random histories;
    with `scale` those scenarios too."""
    component = COMPONENTS[name]
    vectors = load_vectors(name)
    scenarios: list[Scenario] = [vector.scenario for vector in vectors]
    scopes = [state_cover(name, scope.name, CORE) for scope in component.covers.get("default", ())]
    for cover in scopes:
        stride = max(1, len(cover) // (_COVERED // len(scopes))) | 1
        scenarios += [cover.scenario(index) for index in range(0, len(cover), stride)]
    scenarios += [draw_history(component, 1, index, CORE) for index in range(_DRAWN)]
    model = Model(component, CORE)
    some = [one for place, one in enumerate(scenarios) if place < len(vectors) or place % _EVERY == 0]
    families = [
        _family(one, scenario) for one in component.properties if _holds_under_core(one) for scenario in some
    ]
    if scale:
        scenarios += scale_scenarios(name, "default", CORE)
    return Sample(
        component,
        scenarios,
        [model.play(one) for one in scenarios],
        [frozenset(decision for step in model.cited(one) for decision in step) for one in scenarios],
        {vector.id: vector.rules for vector in vectors},
        [(one, family) for one, family in families if _violation(one, family, model) is None],
    )


def _holds_under_core(property: Property) -> bool:
    return all(getattr(CORE, policy) == value for policy, value in property.holds_under.items())


def _family(property: Property, scenario: Scenario) -> tuple[Property, tuple[Scenario, ...]]:
    members = enumerate((scenario, *property.variants(scenario)))
    return property, tuple(replace(member, id=f"{scenario.id}~{number}") for number, member in members)


def evidence_of(sample: Sample, engine: Model) -> Evidence:
    """What is seen of an engine."""
    agreeing: list[Scenario] = []
    large: dict[str, list[Scenario]] = {}
    differing: list[Difference] = []
    decided: Counter[str] = Counter()
    unanswered: Counter[str] = Counter()
    silent = True
    for scenario, expected, cited in zip(sample.scenarios, sample.expected, sample.cited, strict=True):
        played = engine.play(scenario)
        silent = silent and not any(played)
        if played == expected:
            if scenario.origin.kind == "scale":
                large.setdefault(str(scenario.origin.of), []).append(scenario)
            else:
                agreeing.append(scenario)
            decided.update(cited)
            continue
        at = first_difference(played, expected)
        if at < len(played):
            differing.append(Difference(scenario, played, at))
        else:
            unanswered.update(cited)
    return Evidence(
        sample.component,
        CORE,
        (),
        "step",
        agreeing,
        differing,
        sample.vectors,
        [one for each in sample.families if (one := _violation(*each, engine)) is not None],
        {one.removesuffix("!"): number for one, number in unanswered.items()},
        decided,
        len(differing),
        silent and bool(differing),
        large=large,
    )


def _violation(property: Property, family: tuple[Scenario, ...], engine: Model) -> Violation | None:
    """The property's violation by an engine that answers throughout. Near the end of time even the reference
    has some: where the variants of a scenario cannot be moved."""
    transcripts = tuple(Transcript(one.id, engine.play(one)) for one in family)
    whole = all(
        len(one.outputs) == len(member.history) for one, member in zip(transcripts, family, strict=True)
    )
    violated = whole and property.holds(family, transcripts) is False
    return Violation(property, family, transcripts) if violated else None


def outcome_of(case: Case, changes: Sequence[Change] = ()) -> Outcome | None:
    """How a case is judged; None if it shows in no scenario, or cannot be made. `changes`: those of the case,
    where they are in no list."""
    began = time.perf_counter()
    changes = changes or _listed(case)
    sample = sample_of(case.component, scale=any(one.scale for one in changes))
    with model_of(sample.component, CORE, changes) as engine:
        if engine is None:
            return None
        evidence = evidence_of(sample, engine)
        hidden = [one.name for one in changes if not _shows(sample, engine, changes, one)]
    visible = [one for one in changes if one.name not in hidden]
    if not visible or not (evidence.differing or evidence.unanswered):
        return None
    left_out = set().union(*(_alike(case.component, one.name) for one in changes)) if case.left_out else set()
    claimed = frozenset({case.component, *sample.component.extras})
    rules = [
        one.id
        for one in load_registry().rules.values()
        if case.component in judged_by(one, claimed) and status(one)[0] == "judged"
    ]
    judgement = judge_component(evidence, rules, left_out)
    listed = {rule for one in visible for rule in one.rules} & set(rules)
    hidden_rules = {rule for one in changes for rule in one.rules} - listed
    passed = {rule for rule, one in judgement.rules.items() if one.standing == "pass"}
    failed = {rule for rule, one in judgement.rules.items() if one.standing == "fail"}
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
        differing=len(evidence.differing),
        exact=judgement.fit.exact,
        model=tuple(one.name for one in judgement.fit.terms),
        defects=len(changes),
        hidden=tuple(hidden),
        unnamed=tuple(one.name for one in visible if not failed & set(one.rules)),
        seconds=round(time.perf_counter() - began, 2),
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
def _alike(component: str, name: str) -> frozenset[str]:
    """The changes that do in every scenario what the one of that name does."""
    sample = sample_of(component)
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
