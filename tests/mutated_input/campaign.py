"""Mutated input files through all commands: `python -m mutated_input.campaign --files 20000 --seed 1` in `tests/`.

Each file is one to three mutations away from a valid one. The command is called in a fork of this process; every
so many files it is called by a new Python as well, and must end in the same way. The same seed gives the same files.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from .in_process import PLAIN

os.environ.update(PLAIN)  # before rich is loaded, which looks at it

import typer

from .commands import STDIN, Reading, readings
from .findings import findings, names_in
from .in_process import Ended, forked, spawned, warm
from .mutations import mutated

_SECONDS_BETWEEN_LINES = 20.0
_IN_PLACE_OF_A_FILE = 0.01
"""How often there is a folder in place of the file, and how often nothing."""

_MOST_SHOWN = 40


def main(
    files: Annotated[int, typer.Option(min=1, help="Number of mutated files.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The seed of all of them.")] = 1,
    first: Annotated[int, typer.Option(min=0, help="The number of the first one: to look at one again.")] = 0,
    only: Annotated[str, typer.Option(help="Only commands whose name contains this.")] = "",
    anew: Annotated[
        int, typer.Option(min=1, help="Every so many files are given to a new Python, too.")
    ] = 100,
    run: Annotated[
        Path | None, typer.Option(help="A folder that a run has left, to be mutated; default: a run is made.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Without commands that take seconds.")] = False,
    out: Annotated[Path, typer.Option(help="Files that something was found with are kept here.")] = Path(
        "../tidegauge-results/mutated-input"
    ),
) -> None:
    """Mutate, call and look. The exit code is 1 if something was found."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="tidegauge-mutated-") as scratch:
        all_of_them = readings(run or Path(scratch) / "a-run")
        chosen = [one for one in all_of_them if only in one.name and not (quick and one.slow)]
        _check_originals(chosen, Path(scratch))
        found = _campaign(chosen, range(first, first + files), seed, anew, Path(scratch), out)
    raise typer.Exit(min(found, 1))


def _campaign(
    chosen: Sequence[Reading], numbers: range, seed: int, anew: int, scratch: Path, out: Path
) -> int:
    """Every mutated file; the number of those with which something was found."""
    began = said = time.monotonic()
    codes: Counter[tuple[str, int | None]] = Counter()
    bad, compared = 0, 0
    for done, number in enumerate(numbers, start=1):
        draw = random.Random(f"mutated input {seed} {number}")
        reading = draw.choices(chosen, [one.weight for one in chosen])[0]
        folder = scratch / "case"
        stdin = _laid_out(reading, folder, draw)
        before = names_in(folder)
        ended = forked(reading.arguments, folder, stdin)
        codes[reading.name, ended.code] += 1
        problems = list(findings(reading, ended, folder, before))
        if done % anew == 0 and not reading.slow:
            compared += 1
            problems += _differences(
                reading, ended, folder, random.Random(f"mutated input {seed} {number}"), chosen
            )
        if problems:
            bad += 1
            _keep(reading, number, seed, out, chosen)
            if bad <= _MOST_SHOWN:
                typer.echo(f"file {number}, tidegauge {' '.join(reading.arguments)}: {'; '.join(problems)}\n")
        shutil.rmtree(folder)
        if time.monotonic() - said > _SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            typer.echo(
                f"{said - began:.0f} s: {done:,} of {len(numbers):,} files, something found with {bad:,}"
            )
    _print_codes(codes)
    typer.echo(
        f"{len(numbers):,} mutated files, seed {seed}, {time.monotonic() - began:.0f} s; {compared:,} of them given "
        f"to a new Python, too: something found with {bad:,}"
    )
    return bad


def _laid_out(reading: Reading, folder: Path, draw: random.Random) -> bytes:
    """Write the files of a command, the one that is its target mutated; its standard input."""
    folder.mkdir(exist_ok=True)
    contents = dict(reading.files)
    contents[reading.target] = mutated(contents[reading.target], draw)
    place = draw.random()
    for name, content in contents.items():
        if name == STDIN:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == reading.target and place < _IN_PLACE_OF_A_FILE:
            path.mkdir()
        elif name != reading.target or place > 2 * _IN_PLACE_OF_A_FILE:
            path.write_bytes(content)
    return contents.get(STDIN, b"")


def _check_originals(chosen: Sequence[Reading], scratch: Path) -> None:
    """Valid files must be what the campaign takes them for."""
    for reading in chosen:
        if reading.slow:
            continue
        folder = scratch / "valid"
        _write(reading.files, folder)
        before = names_in(folder)
        ended = forked(reading.arguments, folder, reading.files.get(STDIN, b""))
        problems = list(findings(reading, ended, folder, before))
        assert ended.code == reading.valid, (reading.name, ended)
        assert not problems, (reading.name, problems)
        if not reading.protocol:
            warm(reading.arguments, folder)
        shutil.rmtree(folder)


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        if name != STDIN:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def _differences(
    reading: Reading, ended: Ended, folder: Path, draw: random.Random, chosen: Sequence[Reading]
) -> list[str]:
    """In what the same command differs in a new Python."""
    shutil.rmtree(folder)
    draw.choices(chosen)  # as before the files were laid out
    again = spawned(reading.arguments, folder, _laid_out(reading, folder, draw))
    if (again.code, _plain(again.stderr)) == (ended.code, _plain(ended.stderr)):
        return []
    return [
        f"in a new Python it ends with {again.code} and {again.stderr[-300:]!r}, not {ended.stderr[-300:]!r}"
    ]


def _plain(text: bytes) -> bytes:
    """Without what differs from process to process."""
    return re.sub(rb"/\S*/tidegauge-\w+\.txt|0x[0-9a-f]+", b"", text)


def _keep(reading: Reading, number: int, seed: int, out: Path, chosen: Sequence[Reading]) -> None:
    """Keep the files, as they were before the command."""
    kept = out / f"seed-{seed}-file-{number}"
    shutil.rmtree(kept, ignore_errors=True)
    draw = random.Random(f"mutated input {seed} {number}")
    draw.choices(chosen)
    stdin = _laid_out(reading, kept, draw)
    if stdin:
        (kept / STDIN).write_bytes(stdin)


def _print_codes(codes: Counter[tuple[str, int | None]]) -> None:
    """How often each command ended in which way."""
    for name in dict.fromkeys(name for name, _ in sorted(codes, key=str)):
        own = {code: count for (of, code), count in codes.items() if of == name}
        told = ", ".join(f"{count:,} with {code}" for code, count in sorted(own.items(), key=str))
        typer.echo(f"{name}: {told}")


if __name__ == "__main__":
    typer.run(main)
