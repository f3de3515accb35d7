"""Campaigns: many mutants, each in a process that can be limited, one component after the other."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace

from tidegauge_reference import CORE, PROFILES
from tidegauge_spec import read_absent, read_policies

from ..engine.limits import limit_memory
from ..engine.process_pool import process_pool
from ..judging.changes.syntax_mutants import SyntaxMutant
from ..mutants.loading import forget_copy
from ..mutants.mutant import Mutant
from .arena import DRAWN, FIXED, arena_of
from .conditions import Conditions
from .engine import WrongEngine
from .reach import reach_of
from .score import MutantScore, of_seeds, of_syntax
from .trial import Trial
from .verdicts_on_mutants import Verdicts, verdicts_on

_PATIENCE = 4_000
"""So many scenarios after a mutant has failed it must have been laid to the right rule."""

_PATIENCE_WITH_JOBS = 4
"""The same for whole jobs, each of which takes as long as thousands of scenarios."""

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def try_named(mutants: Sequence[Mutant], budget: str, seeds: int, workers: int) -> Iterator[MutantScore]:
    """The score of each named mutant, as they become known."""
    with process_pool(workers, "spawn", limit_memory) as pool:
        yield from _in_processes(pool, _named_score, [(mutant, budget, seeds) for mutant in mutants])


def try_syntax(mutants: Sequence[SyntaxMutant], budget: str, workers: int) -> Iterator[MutantScore | str]:
    """The score of each syntax mutant, as they become known; the name alone of one that does not load.

    It is examined in the component that its module is about under the profile `core`; while it survives also
    under the other profiles, in the components that use the module, and with each policy changed that the
    module asks for.
    """
    with process_pool(workers, "spawn", limit_memory) as pool:
        for module in dict.fromkeys(mutant.module for mutant in mutants):
            alive = {mutant.name: mutant for mutant in mutants if mutant.module == module}
            survived: dict[str, MutantScore] = {}
            applying = {name: conditions_for(mutant, budget) for name, mutant in alive.items()}
            for conditions in dict.fromkeys(chain.from_iterable(applying.values())):
                tasks = [
                    (mutant, conditions, survived.get(name))
                    for name, mutant in alive.items()
                    if conditions in applying[name]
                ]
                for outcome in _in_processes(pool, _syntax_score, tasks):
                    if isinstance(outcome, MutantScore) and not outcome.killed:
                        survived[outcome.name] = outcome
                    else:
                        yield outcome
                        del alive[outcome if isinstance(outcome, str) else outcome.name]
            yield from (survived[name] for name in alive)


def conditions_for(mutant: SyntaxMutant, budget: str) -> list[Conditions]:
    """Under what a syntax mutant is examined, one after the other: jobs, which take longest and have the
    policies of `core`, come last."""
    first, *others = mutant.components
    profiles = [
        Conditions(component, profile, budget=budget)
        for component in (first, *others)
        for profile in PROFILES
        if component not in read_absent()[profile] and (component != "job" or profile == "core")
    ]
    texts = read_policies()
    policies = [
        Conditions(first, changed=((policy, value),), budget=budget)
        for policy in mutant.policies
        for value in texts[policy].values
        if value != getattr(CORE, policy)
    ]
    return sorted(profiles + policies, key=lambda one: one.component == "job")


def _named_score(task: tuple[Mutant, str, int]) -> MutantScore:
    mutant, budget, seeds = task
    conditions = [Conditions(mutant.component, budget=budget, seed=seed) for seed in range(1, seeds + 1)]
    began = time.perf_counter()
    engine = WrongEngine(mutant, conditions[0])
    try:
        fixed = Trial(arena_of(conditions[0]), engine, mutant.rules)
        fixed.go_on(FIXED, _PATIENCE)
        findings = [fixed.with_seed(arena_of(own)).go_on(DRAWN, _PATIENCE) for own in conditions]
        ends = all(finding.answers for finding in findings)
        seconds = time.perf_counter() - began
        reach = reach_of(arena_of(conditions[0]), engine) if ends else None
    finally:
        engine.close()
    verdicts = verdicts_on(mutant) if ends else Verdicts((), ())
    return of_seeds(
        name=mutant.name,
        component=mutant.component,
        rules=mutant.rules,
        findings=findings,
        verdicts=verdicts,
        reach=reach,
        seconds=seconds,
    )


def _syntax_score(task: tuple[SyntaxMutant, Conditions, MutantScore | None]) -> MutantScore | str:
    """The score under these conditions, `before` being that under others; or the name if it does not load."""
    mutant, conditions, before = task
    began = time.perf_counter()
    try:
        engine = WrongEngine(mutant, conditions)
    except Exception:
        forget_copy(mutant.copy_name)
        return mutant.name
    try:
        patience = _PATIENCE_WITH_JOBS if conditions.component == "job" else _PATIENCE
        finding = Trial(arena_of(conditions), engine, mutant.rules).go_on((*FIXED, *DRAWN), patience)
    finally:
        engine.close()
    seconds = time.perf_counter() - began
    if before is not None:
        seconds += before.seconds
        finding = replace(finding, scenarios=finding.scenarios + before.scenarios)
    component, text = mutant.components[0], conditions.text
    if conditions.component != component:
        text = f"{conditions.component}, {text}"
    return of_syntax(mutant.name, component, mutant.rules, finding, seconds, text)


def _in_processes(
    pool: ProcessPoolExecutor, work: Callable[[Task], Outcome], tasks: Iterable[Task]
) -> Iterator[Outcome]:
    """The outcomes as they become known."""
    for future in as_completed([pool.submit(work, task) for task in tasks]):
        yield future.result()
