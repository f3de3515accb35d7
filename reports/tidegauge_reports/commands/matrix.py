"""`tidegauge matrix`: rules by engines, from results and from engines that are put under test for it."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from tidegauge.commands.console import ERR, OUT, complains
from tidegauge.commands.force_option import Force
from tidegauge.commands.terminal_text import inline
from tidegauge.engine.parent_death import ending_with_parent
from tidegauge.run.own_folder import complaining, own_files
from tidegauge.wire.results import FILE_NAME, read_results
from tidegauge.wire.scenario import BadInput

from ..compliance.html import FILE_NAME as REPORT
from ..matrix.columns import Run
from ..matrix.files import FILE_NAMES, write_matrix
from ..text import short


@complains
def matrix(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="RESULTS...", help="The results.json of runs.")
    ] = None,
    adapter: Annotated[
        list[str] | None,
        typer.Option(
            help="An engine to run the suites on now; its run goes into a folder of --out. Repeatable."
        ),
    ] = None,
    budget: Annotated[str, typer.Option(help="Of these runs: smoke, default or thorough.")] = "smoke",
    component: Annotated[
        list[str] | None, typer.Option(help="Judge only this component in these runs. Repeatable.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-n", min=1, help="Processes of these runs; default: one a core."),
    ] = None,
    out: Annotated[Path, typer.Option(help=f"Folder for {', '.join(FILE_NAMES)}.")] = Path(
        "tidegauge-matrix"
    ),
    force: Force = False,
) -> None:
    """Show engines side by side: every rule, by engines.

    Exit code 0: the matrix is written.
    2: bad input.
    """
    if not files and not adapter:
        raise BadInput("which engines? Give the results.json of runs, or --adapter NAME")
    given = list(files or ())
    runs = [Run(read_results(path), _report_beside(path, out)) for path in given]
    own_files(out, FILE_NAMES, force=force)
    options = ["--budget", budget]
    for name in component or ():
        options += ["--component", name]
    if force:
        options += ["--force"]
    if workers is not None:
        options += ["--workers", str(workers)]
    for name, folder in zip(adapter or (), _folders(adapter or (), out), strict=True):
        path = _put_under_test(name, folder, options)
        runs.append(Run(read_results(path), _report_beside(path, out)))
    with complaining(out):
        written = write_matrix(runs, out)
    for path in written:
        OUT.print(inline(str(path)), soft_wrap=True)


def _report_beside(path: Path, out: Path) -> str:
    """The address of the report beside a results document, as seen from `out`; empty if there is none."""
    report = path.parent / REPORT
    if not report.is_file():
        return ""
    return quote(Path(os.path.relpath(report.resolve(), out.resolve())).as_posix())


def _folders(adapters: list[str] | tuple[str, ...], out: Path) -> list[Path]:
    """A folder for each engine, named after it."""
    taken: list[str] = []
    for adapter in adapters:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", adapter).strip("-")[:80] or "engine"
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.append(name)
    return [out / name for name in taken]


def _put_under_test(adapter: str, folder: Path, options: list[str]) -> Path:
    """Run the suites on an engine in a child process; its results document. Raises `BadInput`."""
    ERR.print(f"putting {inline(short(adapter, 100))} under test", soft_wrap=True)
    command = [sys.executable, "-m", "tidegauge", "run", "--adapter", adapter, "--out", str(folder)]
    ran = subprocess.run(
        [*command, *options],
        stdin=subprocess.DEVNULL,
        preexec_fn=ending_with_parent(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if ran.returncode not in (0, 1, 3):
        last = ran.stderr.strip().splitlines()[-1:] or [f"exit code {ran.returncode}"]
        said = short(last[0].removeprefix("tidegauge: "), 1000)
        raise BadInput(f"{short(adapter, 100)} could not be put under test: {said}")
    return folder / FILE_NAME
