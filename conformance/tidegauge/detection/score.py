"""What a campaign found, mutant by mutant and in sum."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from .reach import ENOUGH
from .trial import Finding
from .verdicts_on_mutants import Verdicts


class SeedScore(Struct, frozen=True):
    """One seed's part of a mutant's score."""

    seed: int
    killed: bool
    killed_by: str | None
    rank: int | None
    scenarios: int
    shrunk_steps: int | None


class MutantScore(Struct, frozen=True, kw_only=True):
    """How one mutant fared.

    `killed_by`: the item of a run after which it was found out (of a syntax mutant: in which a scenario
    failed first). `rank`: the place of a broken rule among the suspects, from 1; None for one that was not
    laid to a broken rule, or that does nothing at all and so fails every rule. `scenarios`: how many were
    judged until the first that failed, that one included, or all of a survivor. `seconds`: of the whole
    trial. `shrunk_steps`: of the smallest failing history. Of several seeds: the least favourable ones, and
    all of them in `seeds`. `conditions`: the profile or policies under which it was found out. `answers`:
    False if it was ended because it came to no end. `passing`: rules that it breaks and that pass all the
    same, so that it is not killed. `reach`: how many scenarios of the first seed catch it, by suite, counted
    up to `ENOUGH` of all suites together; None for syntax mutants, whole jobs, and those that come to no end.
    """

    name: str
    component: str
    rules: tuple[str, ...]
    killed: bool
    blamed: bool
    killed_by: str | None
    rank: int | None
    scenarios: int
    seconds: float
    shrunk_steps: int | None
    suspects: tuple[str, ...] = ()
    conditions: str = "core"
    answers: bool = True
    passing: tuple[str, ...] = ()
    reach: dict[str, int] | None = None
    seeds: tuple[SeedScore, ...] | UnsetType = UNSET

    @property
    def is_rarely_reached(self) -> bool:
        """Whether so few scenarios catch it that a change of the scenario drawing may lose it."""
        return self.reach is not None and sum(self.reach.values()) < ENOUGH


class Score(Struct, frozen=True, kw_only=True):
    """A campaign: how many mutants were tried and killed, and which were not.

    `blamed`: of those killed, how many were laid to a rule that they break. `equivalent`: changes known to
    behave like the reference (`equivalents.txt`), which are not tried; `not_loadable`: those that are no
    engines at all; neither is part of `total`.
    """

    total: int
    killed: int
    blamed: int
    survivors: tuple[str, ...]
    mutants: tuple[MutantScore, ...]
    equivalent: tuple[str, ...] = ()
    not_loadable: tuple[str, ...] = ()
    seeds: int = 1
    budget: str = "default"


def scored(
    mutants: Sequence[MutantScore],
    *,
    equivalent: Sequence[str] = (),
    not_loadable: Sequence[str] = (),
    seeds: int,
    budget: str,
) -> Score:
    """The sum."""
    return Score(
        total=len(mutants),
        killed=sum(one.killed for one in mutants),
        blamed=sum(one.killed and one.blamed for one in mutants),
        survivors=tuple(one.name for one in mutants if not one.killed),
        mutants=tuple(mutants),
        equivalent=tuple(equivalent),
        not_loadable=tuple(not_loadable),
        seeds=seeds,
        budget=budget,
    )


def of_seeds(
    name: str,
    component: str,
    rules: tuple[str, ...],
    findings: Sequence[Finding],
    verdicts: Verdicts,
    reach: dict[str, int] | None,
    seconds: float,
) -> MutantScore:
    """A named mutant's score: killed if a scenario fails with each seed, a rule that it breaks fails or
    is in error, and none of its rules passes. An engine that comes to no end is killed as well."""
    endless = not all(finding.answers for finding in findings)
    named = endless or verdicts.failing or all(one.silent or one.in_error for one in findings)
    seeds = tuple(
        SeedScore(
            seed=seed,
            killed=finding.failed,
            killed_by=finding.blamed_in if finding.answers else finding.failed_in,
            rank=finding.rank,
            scenarios=finding.scenarios,
            shrunk_steps=finding.shrunk_steps,
        )
        for seed, finding in enumerate(findings, 1)
    )
    worst = max(seeds, key=lambda one: (not one.killed, one.scenarios))
    return MutantScore(
        name=name,
        component=component,
        rules=rules,
        killed=all(one.killed for one in seeds) and bool(named) and not verdicts.passing,
        passing=verdicts.passing,
        blamed=all(finding.blamed_in is not None for finding in findings),
        killed_by=worst.killed_by,
        rank=max((one.rank for one in seeds if one.rank is not None), default=None),
        scenarios=worst.scenarios,
        seconds=round(seconds, 3),
        shrunk_steps=max((one.shrunk_steps for one in seeds if one.shrunk_steps is not None), default=None),
        suspects=findings[worst.seed - 1].suspects,
        answers=all(finding.answers for finding in findings),
        reach=reach,
        seeds=seeds if len(seeds) > 1 else UNSET,
    )


def of_syntax(
    name: str, component: str, rules: tuple[str, ...], finding: Finding, seconds: float, conditions: str
) -> MutantScore:
    """A syntax mutant's score: it counts as killed once a scenario fails."""
    return MutantScore(
        name=name,
        component=component,
        rules=rules,
        killed=finding.failed_in is not None,
        blamed=finding.blamed_in is not None,
        killed_by=finding.failed_in,
        rank=finding.rank,
        scenarios=finding.scenarios,
        seconds=round(seconds, 3),
        shrunk_steps=finding.shrunk_steps,
        suspects=finding.suspects,
        conditions=conditions,
        answers=finding.answers,
    )
