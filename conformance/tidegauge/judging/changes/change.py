"""What an engine may do otherwise than the reference: a policy's other value, a named mutant, a small
change."""

import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tidegauge_reference import Policies
from tidegauge_spec import load_registry, read_policies

from ...components.registry import COMPONENTS, load_mutants
from ...mutants.loading import reference_source
from ...mutants.mutant import Mutant
from ...wire.results import TermKind
from ..reference.deviations import Deviation
from .segments import Segment, segment_of_small_change, segments_of_mutant
from .syntax_mutants import MODULES, SyntaxMutant, components_showing, syntax_mutants_of


@dataclass(frozen=True)
class Change:
    """One way to differ: the `segments` of the reference's text that it replaces, or the value of a `policy`.
    `rules` are those that it breaks, of a small change those that decide at its place; `any_of`: it breaks
    one of them at least, and not surely each; `scale`: it shows in scenarios of scale only."""

    name: str
    kind: TermKind
    rules: tuple[str, ...]
    segments: tuple[Segment, ...] = ()
    policy: tuple[str, str] | None = None
    any_of: bool = False
    scale: str = ""


@cache
def named_changes(component: str) -> tuple[Change, ...]:
    """The named mutants of a component."""
    return tuple(change_of(mutant) for mutant in load_mutants().values() if mutant.component == component)


def policy_changes(component: str, policies: Policies) -> tuple[Change, ...]:
    """The values that policies do not have, of those that the component's modules ask for."""
    asked_for = [name for name in read_policies() if _asks_for(component, name)]
    values: dict[str, typing.Any] = typing.get_type_hints(Policies)
    return tuple(
        _policy(name, value)
        for name in asked_for
        for value in typing.get_args(values[name])
        if value != getattr(policies, name)
    )


def departures(policies: Policies, own: Policies) -> tuple[Change, ...]:
    """The values in which an engine's own policies are others."""
    other = vars(own).items() - vars(policies).items()
    return tuple(_policy(name, value) for name, value in sorted(other))


@cache
def small_changes(component: str) -> tuple[Change, ...]:
    """The small changes of the modules that the component is about, in the order of their text."""
    return tuple(change for one in _small_mutants(component) for change in _small(one))


def small_changes_at(component: str, rule: str) -> Iterator[Change]:
    """Those of them at whose place this rule decides, and no other."""
    for one in _small_mutants(component):
        if one.rules == (rule,):
            yield from _small(one)


@cache
def _small_mutants(component: str) -> tuple[SyntaxMutant, ...]:
    about = modules_of(component)
    modules = [one for one in MODULES if one in about and component in components_showing(one)]
    return tuple(mutant for module in modules for mutant in syntax_mutants_of(module).values())


def _small(mutant: SyntaxMutant) -> list[Change]:
    segment = segment_of_small_change(mutant.module, mutant.number)
    return [] if segment is None else [Change(mutant.name, "small-change", mutant.rules, (segment,))]


@cache
def modules_of(component: str) -> frozenset[str]:
    """The modules of the reference that a component is about: its own, and those that its mutants change."""
    own = COMPONENTS[component].module.__name__.rpartition(".")[2]
    return frozenset({own, *(one.module for one in load_mutants().values() if one.component == component)})


def known(deviations: Iterable[Deviation]) -> tuple[Change, ...]:
    """Known deviations as changes."""
    return tuple(
        change_of(load_mutants()[one.like.removeprefix("mutant:")])
        if one.like is not None
        else _policy(str(one.policy), str(one.value))
        for one in deviations
    )


def with_values(policies: Policies, changes: Sequence[Change]) -> dict[str, str]:
    """The value of each policy where these changes are made."""
    return vars(policies) | dict(one.policy for one in changes if one.policy is not None)


@cache
def change_of(mutant: Mutant) -> Change:
    """A mutant as a change."""
    segments = segments_of_mutant(mutant)
    return Change(mutant.name, "mutant", mutant.rules, segments, any_of=mutant.any_of, scale=mutant.scale)


@cache
def _policy(name: str, value: str) -> Change:
    rules = tuple(rule.id for rule in load_registry().rules.values() if name in rule.policies)
    return Change(f"{name}={value}", "policy", rules, policy=(name, value))


@cache
def _asks_for(component: str, policy: str) -> bool:
    reached = [module for module in MODULES if component in components_showing(module)]
    return any(f".{policy}" in reference_source(module) for module in reached)
