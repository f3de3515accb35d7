"""All conforming engines through the thorough budget with several seeds: `python -m right_engines.thorough` in `tests/`.

A run raises no alarm if its exit code is 0: no rule fails and none is left unjudged. It takes hours, so that a
run that ended is not repeated when the same command is given again; remove its folder for that.
"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from tidegauge.components.registry import COMPONENTS

from . import adapters

_ENDED = "ended.txt"


def main(
    seeds: Annotated[int, typer.Option(help="Seeds 1 to this one, each a run of every engine.")] = 5,
    budget: Annotated[str, typer.Option(help="smoke, default or thorough.")] = "thorough",
    workers: Annotated[int, typer.Option("-n", help="Worker processes of a run.")] = 2,
    engine: Annotated[list[str] | None, typer.Option(help="Adapters to run; all if none is named.")] = None,
    out: Annotated[Path, typer.Option(help="A folder for each run is made here.")] = Path(
        "../tidegauge-results/right-engines"
    ),
) -> None:
    """Run them one after the other; the exit code is 1 if there was an alarm."""
    all_engines = {one.__name__: one for one in adapters.RightEngine.__subclasses__()}
    if unknown := set(engine or ()) - set(all_engines):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: choose from {', '.join(all_engines)}")
    chosen = [all_engines[name] for name in engine or all_engines]
    alarms = 0
    for seed in range(1, seeds + 1):
        for one in chosen:
            folder = out / f"{one.__name__}-{budget}-{seed}"
            ended = folder / _ENDED
            if ended.exists():
                verdict = ended.read_text(encoding="utf-8")
            else:
                verdict = _run(one, budget, seed, workers, folder)
            alarms += not verdict.startswith("no alarm")
            typer.echo(f"{one.__name__} seed {seed}: {verdict}")
    typer.echo(f"{alarms} of {seeds * len(chosen)} runs raised an alarm")
    raise typer.Exit(min(alarms, 1))


def _run(engine: type[adapters.RightEngine], budget: str, seed: int, workers: int, folder: Path) -> str:
    """One run of the command, in a line: whether there was an alarm, and what it said of the engine."""
    component = next(name for name in COMPONENTS if name in engine({}).describe().capabilities)
    began = time.monotonic()
    options = {
        "--adapter": f"{adapters.__name__}:{engine.__name__}",
        "--component": component,
        "--budget": budget,
        "--seed": str(seed),
        "-n": str(workers),
        "--out": str(folder),
    }
    command = [sys.executable, "-m", "tidegauge", "run", *chain.from_iterable(options.items())]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [*ran.stdout.splitlines(), *ran.stderr.splitlines()]
    said = [line for line in lines if " rules; " in line] or lines[-3:]
    verdict = "ALARM" if ran.returncode else "no alarm"
    seconds = time.monotonic() - began
    line = f"{verdict}, exit code {ran.returncode} after {seconds:.0f} s: {' / '.join(said)}"
    if ran.returncode in (0, 1):  # else it was killed, or could not begin
        (folder / _ENDED).write_text(line, encoding="utf-8")
    return line


if __name__ == "__main__":
    typer.run(main)
