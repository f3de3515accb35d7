"""`tidegauge diff`: two engines beside each other, until they differ."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..components.registry import COMPONENTS
from ..components.wording import answer_text, setup_text, step_text
from ..judging.items.difference import Compared, Side, answers, compared, smallest
from ..judging.items.difference_in_processes import Written, workers_with
from ..judging.reference.profiles import chosen_profile
from ..wire.scenario import BadInput, Scenario, encode_scenario
from ..wire.transcript import Failure, Transcript
from ..wire.unknown_names import unknown
from .console import OUT, complains
from .terminal_text import inline

_BETWEEN_OPTIONS = re.compile(r",(?=[a-z][a-z-]*=)")
_WORTH_PROCESSES = 1_000
"""With fewer scenarios of a component other processes take longer to start than they save."""


@complains
def diff(
    left: Annotated[
        str, typer.Option(metavar="ENGINE", help="ADAPTER, or with its options ADAPTER,KEY=VALUE,...")
    ],
    right: Annotated[str, typer.Option(metavar="ENGINE", help="The other one, written likewise.")],
    component: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these; default: all that both claim.")
    ] = None,
    scenarios: Annotated[int, typer.Option(min=1, help="Random scenarios of each component.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other scenarios.")] = 1,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What scenarios are drawn by; default: the left engine's."),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            "-n", "--processes", min=1, max=256, help="Each with its own engines; default: one a core."
        ),
    ] = os.cpu_count() or 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the smallest differing scenarios as JSON lines."),
    ] = None,
) -> None:
    """Put random scenarios through two engines until they differ, and show the smallest difference.

    A component is left at its first difference. Nothing is judged: which engine is right is not said.
    The engine `declared:ADAPTER` is the reference with the profile and the known deviations that the adapter
    declares. Compared with the adapter itself, it shows the differences that the adapter does not declare.
    Exit code 0: no difference.
    1: they differ.
    2: bad input.
    """
    written = _written(left), _written(right)
    sides = written[0].side(), written[1].side()
    if scenarios < _WORTH_PROCESSES or any(side.implementation.one_process for side in sides):
        processes = 1
    with ExitStack() as closing:
        for side in sides:
            closing.callback(side.adapter.close)
        policies = chosen_profile(profile, sides[0].implementation).policies
        names = _components(sides, component or [])
        through: Callable[..., Iterator[Compared]]
        if processes == 1:
            through = partial(compared, sides)
        else:
            through = closing.enter_context(workers_with(written, processes)).compared
        found = []
        for name in names:
            given = steps = left_out = 0
            started = time.monotonic()
            for some in through(COMPONENTS[name], seed, scenarios, policies):
                given, steps = given + some.scenarios, steps + some.steps
                left_out += some.left_out
                if some.differing:
                    found.append(smallest(sides, some.differing[0]))
                    break
            seconds = time.monotonic() - started
            said = "[bold red]differs[/]" if some.differing else "[green]the same[/]"
            OUT.print(
                f"{name}: {said} in {given:,} scenarios, {steps:,} steps, {steps / seconds:,.0f} steps/s; "
                f"{left_out:,} that not both can do",
                soft_wrap=True,
            )
            if some.differing:
                _show(sides, _heads(sides, left, right), found[-1], some.differing[0].id)
    if out is not None:
        out.write_bytes(b"".join(encode_scenario(one) + b"\n" for one in found))
    raise typer.Exit(int(bool(found)))


def _written(engine: str) -> Written:
    name, *options = _BETWEEN_OPTIONS.split(engine)
    return Written(name, dict(one.split("=", 1) for one in options))


def _components(sides: tuple[Side, Side], wanted: list[str]) -> list[str]:
    claimed = [set(side.implementation.capabilities) for side in sides]
    drawn = [name for name, one in COMPONENTS.items() if one.drawn]
    both = [name for name in drawn if all(name in claims for claims in claimed)]
    for name in wanted:
        if name not in drawn:
            raise BadInput(unknown("component", name, drawn))
        if name not in both:
            raise BadInput(f"component {name!r} is not claimed by both engines; both claim {', '.join(both)}")
    if not both:
        raise BadInput("the two engines claim no component together")
    return [name for name in both if not wanted or name in wanted]


def _heads(sides: tuple[Side, Side], left: str, right: str) -> tuple[str, str]:
    """What the two are called: as they say, or if that is the same, as they were given."""
    names = sides[0].implementation.name, sides[1].implementation.name
    return names if names[0] != names[1] else (left, right)


def _show(sides: tuple[Side, Side], heads: tuple[str, str], scenario: Scenario, found_as: str) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("", "step", *map(inline, heads)):
        table.add_column(column)
    transcripts = answers(sides, scenario)
    for number, step in enumerate(scenario.history, 1):
        cells = [_cell(transcript, number - 1) for transcript in transcripts]
        mark = "->" if number == len(scenario.history) else str(number)
        table.add_row(mark, inline(step_text(step)), *map(inline, cells))
    OUT.print(f"{inline(found_as)}, made small: {inline(setup_text(scenario))}", soft_wrap=True)
    OUT.print(table)


def _cell(transcript: Transcript | None, index: int) -> str:
    if transcript is not None and index < len(transcript.outputs):
        return answer_text(transcript.outputs[index])
    failure = None if transcript is None else transcript.failure
    return answer_text(failure or Failure("missing", "no answer"))
