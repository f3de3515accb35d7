"""Run `tidegauge run` on the independent engines and measure: `python -m independent.measure` in `tests/`.

A run that has ended is not repeated when the command is started again. To repeat it, remove its folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from .catalog import COLLECTIONS, IndependentEngine, load
from .figures import PRINTED, Judged, exceptions, figures, read


def main(
    engine: Annotated[list[str] | None, typer.Argument(help="Names of engines; default: all.")] = None,
    collection: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(COLLECTIONS)}.")] = None,
    apart: Annotated[
        bool | None,
        typer.Option(
            "--apart/--in-view",
            help="Only engines kept apart while constants were set, or only the others.",
        ),
    ] = None,
    component: Annotated[list[str] | None, typer.Option(help="Engines of this component only.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Run every N-th engine only.")] = 1,
    budget: Annotated[str, typer.Option(help="smoke, default or thorough.")] = "smoke",
    seed: Annotated[int, typer.Option(help="The seed of the runs.")] = 1,
    workers: Annotated[int, typer.Option("-n", help="Number of runs at the same time.")] = 2,
    listed: Annotated[
        bool, typer.Option(help="Name the engines with a wrong verdict.")
    ] = True,
    out: Annotated[Path, typer.Option(help="Where each run gets its folder.")] = Path(
        "../tidegauge-results/independent"
    ),
) -> None:
    """Run the engines, and print the figures for `conformance/DETECTION.md`."""
    chosen = [
        one
        for one in _engines(collection or list(COLLECTIONS))
        if (not engine or one.name in engine)
        and (apart is None or one.apart == apart)
        and (not component or one.component in component)
    ][::every]
    if not chosen:
        raise typer.BadParameter("no engine matches")
    with ThreadPoolExecutor(workers) as threads:
        runs = {one: threads.submit(judged, one, budget, seed, out.resolve()) for one in chosen}
        everyone: list[Judged] = []
        for place, (one, run) in enumerate(runs.items(), 1):
            everyone.append(run.result())
            typer.echo(f"\r{place} of {len(runs)} {one.name:8}", nl=False, err=True)
    typer.echo(err=True)
    for line in chain(figures(everyone), exceptions(everyone) if listed else ()):
        typer.echo(line)


def _engines(collections: list[str]) -> Iterator[IndependentEngine]:
    """Yield the engines of these collections, each collection loaded in a process of its own."""
    for collection in collections:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            yield from process.submit(load, collection).result()


def judged(engine: IndependentEngine, budget: str, seed: int, out: Path) -> Judged:
    """Return the verdicts on an engine. A run that has ended before is read from its folder."""
    folder = out / f"{engine.name}-{budget}-{seed}"
    if not (folder / "results.json").exists():
        _run(engine, budget, seed, folder)
    return read(engine, folder)


def _run(engine: IndependentEngine, budget: str, seed: int, folder: Path) -> None:
    """Run `tidegauge run` on an engine, with results in `folder`."""
    options = {
        "--adapter": engine.adapter,
        "--component": engine.component,
        "--budget": budget,
        "--seed": str(seed),
        "-n": "1",
        "--out": str(folder),
    }
    command = [sys.executable, "-m", "tidegauge", "run", *chain.from_iterable(options.items())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(engine.path), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as empty:
        ran = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"{engine.name}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    (folder / PRINTED).write_text(ran.stdout, encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
