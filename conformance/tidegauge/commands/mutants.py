"""`tidegauge mutants`: how many mutants the suites detect."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..components.registry import COMPONENTS, load_mutants
from ..detection.campaign import try_named, try_syntax
from ..detection.listed_mutants import load_equivalents
from ..detection.reach import ENOUGH
from ..detection.score import MutantScore, Score, scored
from ..detection.soundness import Case, Outcome, cases, cases_of_shapes
from ..detection.soundness_campaign import Nothing, bars, measured, part_of
from ..judging.changes.syntax_mutants import load_syntax_mutants
from ..mutants.mutant import ANY_OF, Mutant
from ..run.request import BUDGETS
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown
from .console import ERR, OUT, complains
from .terminal_text import inline

_SECONDS_BETWEEN_LINES = 20.0


@complains
def mutants(
    syntax: Annotated[
        bool, typer.Option("--ast", help="Instead of the named mutants every small change of the reference.")
    ] = False,
    soundness: Annotated[
        bool,
        typer.Option(
            "--soundness",
            help="How sound verdicts are: engines with one, two and three defects, known or not.",
        ),
    ] = False,
    shape: Annotated[
        bool, typer.Option("--shape", help="With --soundness: engines with one defect, of fewer features.")
    ] = False,
    part: Annotated[str, typer.Option(help="With --soundness: only the i-th of n parts, as i/n.")] = "1/1",
    kept: Annotated[
        Path | None, typer.Option("--kept", help="With --soundness: a file of outcomes, to be resumed.")
    ] = None,
    component: Annotated[
        list[str] | None, typer.Option(help="Only mutants of this component. Repeatable.")
    ] = None,
    name: Annotated[str, typer.Option(help="Only mutants whose name contains this.")] = "",
    every: Annotated[int, typer.Option(min=1, help="Only every n-th mutant.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Try each seed from 1 to this.")] = 1,
    budget: Annotated[str, typer.Option(help="smoke, default or thorough.")] = "default",
    workers: Annotated[
        int | None, typer.Option("--workers", "-n", min=1, max=256, help="Processes; default: one a core.")
    ] = None,
    at_least: Annotated[
        float, typer.Option(min=0, max=100, help="Exit code 0 if this percentage is killed.")
    ] = 100.0,
    listed: Annotated[
        bool, typer.Option("--list", help="Only name the mutants: what each does, and the rules it breaks.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Test the kit itself: run the suites on all mutants, which takes minutes. --list only names them.

    A named mutant is killed if a scenario fails with each seed, a rule that it breaks fails, and none of its
    rules passes; a small change (--ast) if a scenario fails. Named mutants that fewer than 20 scenarios catch
    are listed as rarely reached. --soundness measures how many rules pass that an engine breaks.

    Exit code 0: no mutant survives, or as many are killed as --at-least demands.
    1: mutants survive, or rules pass that an engine breaks.
    2: bad input.
    """
    components = component or list(COMPONENTS)
    _check(components, budget, syntax, seeds)
    if listed:
        _print_list(_chosen(components, name))
        return
    processes = workers or os.cpu_count() or 1
    try:
        if soundness:
            raise typer.Exit(
                _soundness(
                    every_case=cases_of_shapes() if shape else cases(),
                    components=components,
                    name=name,
                    every=every,
                    part=part,
                    kept=kept,
                    workers=processes,
                )
            )
        if syntax:
            found = _syntax(components, name, every, budget, processes)
        else:
            found = _named(components, name, every, budget, seeds, processes)
    except BrokenProcessPool:
        raise BadInput("a process that ran mutants was killed; was there too little memory?") from None
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
    else:
        _print(found)
    raise typer.Exit(0 if 100 * found.killed >= at_least * found.total else 1)


def _soundness(
    every_case: Sequence[Case],
    components: list[str],
    name: str,
    every: int,
    part: str,
    kept: Path | None,
    workers: int,
) -> int:
    """Print the figures; 0 if all bars are kept."""
    chosen = [one for one in every_case if one.component in components and name in one.key]
    chosen = part_of(chosen[::every], part)
    _not_empty(chosen)
    found = list(_shown(measured(chosen, workers, kept), len(chosen)))
    table = Table(box=None, pad_edge=False)
    for column in ("figure", "value", "bound", "counts"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    figures = bars(found)
    for bar in figures:
        colour = "green" if bar.kept else "bold red"
        bound = f"{'at least' if bar.at_least else 'at most'} {bar.bound:.0f} %"
        table.add_row(bar.name, f"[{colour}]{bar.value:.1f} %[/]", bound, bar.counts)
    for one in found:
        if isinstance(one, Outcome) and one.false:
            rules = ", ".join(one.false)
            OUT.print(f"[red]false pass[/] {rules}: {inline(one.key)}; model: {inline(', '.join(one.model))}")
    OUT.print(table)
    return 0 if all(bar.kept for bar in figures) else 1


def _check(components: list[str], budget: str, syntax: bool, seeds: int) -> None:
    for component in components:
        if component not in COMPONENTS:
            raise BadInput(unknown("component", component, COMPONENTS))
    if budget not in BUDGETS:
        raise BadInput(unknown("budget", budget, BUDGETS))
    if syntax and seeds > 1:
        raise BadInput("--seeds is for the named mutants; those of --ast are tried with seed 1")


def _print_list(chosen: Sequence[Mutant]) -> None:
    """A line for each mutant."""
    _not_empty(chosen)
    for mutant in chosen:
        told = f"{inline(mutant.summary)} [dim]{', '.join(mutant.rules)}[/]"
        OUT.print(f"[bold]{inline(mutant.name)}[/]: {told}", soft_wrap=True)


def _chosen(components: list[str], name: str) -> list[Mutant]:
    return [one for one in load_mutants().values() if one.component in components and name in one.name]


def _named(components: list[str], name: str, every: int, budget: str, seeds: int, workers: int) -> Score:
    chosen = _chosen(components, name)[::every]
    if budget == "smoke":
        of_scale = [one for one in chosen if one.scale]
        chosen = [one for one in chosen if not one.scale]
        if of_scale:
            OUT.print(f"not tried: {len(of_scale)} mutants of scale, for which smoke is too small")
    _not_empty(chosen)
    scores = list(_shown(try_named(chosen, budget, seeds, workers), len(chosen)))
    by_name = {one.name: one for one in scores if isinstance(one, MutantScore)}
    return scored([by_name[mutant.name] for mutant in chosen], seeds=seeds, budget=budget)


def _syntax(components: list[str], name: str, every: int, budget: str, workers: int) -> Score:
    known = [
        one for one in load_syntax_mutants().values() if one.components[0] in components and name in one.name
    ][::every]
    _not_empty(known)
    chosen = [mutant for mutant in known if mutant.name not in load_equivalents()]
    scores = list(_shown(try_syntax(chosen, budget, workers), len(chosen)))
    by_name = {one.name: one for one in scores if isinstance(one, MutantScore)}
    return scored(
        [by_name[mutant.name] for mutant in chosen if mutant.name in by_name],
        equivalent=[mutant.name for mutant in known if mutant.name in load_equivalents()],
        not_loadable=[one for one in scores if isinstance(one, str)],
        seeds=1,
        budget=budget,
    )


def _not_empty(mutants: Sequence[object]) -> None:
    if not mutants:
        raise BadInput("there is no such mutant; without --component, --name and --every all are tried")


Tried = TypeVar("Tried", MutantScore | str, Outcome | Nothing)


def _shown(scores: Iterator[Tried], total: int) -> Iterator[Tried]:
    """The scores, with progress meanwhile: a bar, or in a log a line now and then."""
    began = said = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as progress:
        task = progress.add_task("starting", total=total)
        for number, score in enumerate(scores, 1):
            tried = _name(score)
            progress.update(task, advance=1, description=inline(tried[:60]))
            if progress.disable and time.monotonic() - said > _SECONDS_BETWEEN_LINES:
                said = time.monotonic()
                ERR.print(f"{said - began:.0f} s: {number} of {total} mutants tried")
            yield score


def _name(score: MutantScore | str | Outcome | Nothing) -> str:
    if isinstance(score, str):
        return score
    return score.name if isinstance(score, MutantScore) else score.key


def _print(found: Score) -> None:
    """A line for each component, the survivors, and the sum."""
    table = Table(box=None, pad_edge=False)
    for column in ("component", "mutants", "killed", "right rule", "ranked first", "steps", "seconds"):
        table.add_column(column, justify="left" if column == "component" else "right")
    for component in dict.fromkeys(one.component for one in found.mutants):
        own = [one for one in found.mutants if one.component == component]
        steps = sorted(one.shrunk_steps for one in own if one.shrunk_steps is not None)
        counts = (
            len(own),
            sum(one.killed for one in own),
            sum(one.blamed for one in own),
            sum(one.rank == 1 for one in own),
            steps[len(steps) // 2] if steps else "",
            f"{sum(one.seconds for one in own):.1f}",
        )
        table.add_row(component, *map(str, counts))
    OUT.print(table)
    for one in found.mutants:
        if not one.killed:
            suspects = f"; suspected: {', '.join(one.suspects)}" if one.suspects else ""
            passing = f"; passing: {', '.join(one.passing)}" if one.passing else ""
            which = "one of " if len(one.rules) >= ANY_OF else ""
            rules = f" (breaks {which}{', '.join(one.rules)}{suspects}{passing})" if one.rules else ""
            OUT.print(f"[red]survives[/] {inline(one.name + rules)}", soft_wrap=True)
    for one in found.mutants:
        if one.is_rarely_reached:
            told = ", ".join(f"{count} of {suite}" for suite, count in (one.reach or {}).items() if count)
            OUT.print(
                f"[yellow]rarely reached[/] {inline(one.name)}: fewer than {ENOUGH} scenarios catch it "
                f"({told or 'none'})",
                soft_wrap=True,
            )
    percentage = 100 * found.killed / max(found.total, 1)
    OUT.print(
        f"{found.killed} of {found.total} mutants killed ({percentage:.1f} %), {found.blamed} laid to a rule "
        f"they break; seeds: {found.seeds}, budget: {found.budget}",
        soft_wrap=True,
    )
    if found.equivalent or found.not_loadable:
        OUT.print(f"not counted: {len(found.equivalent)} equivalent, {len(found.not_loadable)} not loadable")
