"""Kills a campaign, or stops it by a signal, again and again at random moments, resumes it, and compares it with an
undisturbed one.

`python -m killed_campaigns [--kills 10] [--seed N] [--master 'local[2]']`, in the folder tests/campaign, prints a line
for each kill. It fails if a row, a verdict or anything else of `results.json` but times differs, or if a finished
chunk is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import psutil
from campaigns import rows_in, without_times

PATIENCE = 600
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
MUTANT = "mutant:clock-reason-counts-once"
SCENARIOS_OF_A_CHUNK = 4_000
MOST_DELAY = 2.0


class KilledCampaign:
    """A campaign with so many chunks, run by commands in child processes until it ends by itself."""

    def __init__(self, folder: Path, chunks: int, where: Sequence[str]) -> None:
        self.folder, self.chunks = folder, chunks
        count = str(chunks * SCENARIOS_OF_A_CHUNK)
        asked = ["--adapter", MUTANT, "--component", "clock", "--count", count, *where, "--out", folder]
        self._command = [sys.executable, "-m", "tidegauge", "campaign", *map(str, asked)]
        self._log = folder.with_name(f"{folder.name}.log")
        self._finished: dict[Path, int] = {}
        self._to_a_chunk = MOST_DELAY

    def finished(self) -> dict[Path, int]:
        """The files of finished chunks, each with the time at which it was written (ns)."""
        files = (self.folder / "scenarios").rglob("[!.]*.parquet")
        return {path: path.stat().st_mtime_ns for path in files}

    def run_until_killed(self, draw: random.Random) -> str:
        """End the command by a signal at a random moment, and say when that was: after the first chunk that it
        finishes, or in the time that it usually takes until then. A command without Spark is killed alone; with
        Spark its JVM is killed as well."""
        number = draw.choice(SIGNALS)
        before, began = len(self._finished), time.monotonic()
        is_after_a_chunk, part = before < self.chunks and draw.random() < 0.5, draw.random()
        with self._running() as child:
            if is_after_a_chunk:
                while len(self.finished()) <= before:
                    assert not _ends_within(child, 0.02), self._said()
                    assert time.monotonic() - began < PATIENCE, self._said()
                self._to_a_chunk = time.monotonic() - began
            delay = part * (MOST_DELAY if is_after_a_chunk else self._to_a_chunk)
            assert not _ends_within(child, delay) or child.returncode == 1, self._said()
            seconds = time.monotonic() - began
            if number == signal.SIGKILL:
                _kill_with_java(child)
            elif child.returncode is None:
                child.send_signal(number)
                # Python itself dies by the signal while it starts
                assert child.wait(PATIENCE) in (128 + number, -number, 1), self._said()
        self._look_at_finished()
        return (
            f"{number.name} after {seconds:5.1f} s: {before} -> {len(self._finished)} of {self.chunks} chunks"
        )

    def finish(self) -> None:
        """Run the rest. The engine differs: exit code 1."""
        with self._running() as child:
            assert child.wait(PATIENCE) == 1, self._said()
        self._look_at_finished()
        assert len(self._finished) == self.chunks

    def results(self) -> str:
        """The text of `results.json` without what differs from one time, folder or command to the next."""
        results: dict[str, Any] = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        del results["command"]
        return without_times(results, self.folder)

    @contextmanager
    def _running(self) -> Iterator[subprocess.Popen[bytes]]:
        resume = ["--resume"] if (self.folder / "campaign.json").exists() else []
        with self._log.open("ab") as log, _started([*self._command, *resume], log) as child:
            yield child

    def _look_at_finished(self) -> None:
        """What was finished before is as it was."""
        now = self.finished()
        assert {path: now.get(path) for path in self._finished} == self._finished
        self._finished = now

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def _started(command: Sequence[str], log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A command that is not left running."""
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "NO_COLOR": "1"}
    )
    try:
        yield child
    finally:
        _kill_with_java(child)
        child.wait()


def _ends_within(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait so long, or until a command ends."""
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


def _kill_with_java(child: subprocess.Popen[bytes]) -> None:
    """SIGKILL for a process and for the JVM that it has started. The others of its family must end then: a
    worker of Spark at the end of its chunk, which it may still write."""
    if child.poll() is not None:
        return
    family: list[psutil.Process] = []
    with suppress(psutil.Error):
        process = psutil.Process(child.pid)
        family = process.children(recursive=True)
        process.kill()
    for each in family:
        with suppress(psutil.Error):
            if each.name() == "java":
                each.kill()
    child.wait()
    _, left = psutil.wait_procs(family, PATIENCE)
    assert not left, left


def killed_and_compared(folder: Path, kills: int, seed: str, where: Sequence[str] = ()) -> None:
    """Kill a campaign so often, and compare it with an undisturbed one in this machine's processes."""
    draw = random.Random(seed)
    chunks = kills + 2
    killed = KilledCampaign(folder / "killed", chunks, where)
    for number in range(1, kills + 1):
        print(f"kill {number:2}, {killed.run_until_killed(draw)}", flush=True)
    killed.finish()
    undisturbed = KilledCampaign(folder / "undisturbed", chunks, ())
    undisturbed.finish()
    rows = rows_in(killed.folder)
    assert rows == rows_in(undisturbed.folder)
    assert [row["index"] for row in rows] == list(range(chunks * SCENARIOS_OF_A_CHUNK))
    assert {row["verdict"] for row in rows} == {"agree", "differ"}
    assert killed.results() == undisturbed.results()
    print(f"killed {kills} times: {len(rows):,} rows and results.json are those of an undisturbed campaign")


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, resume and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--master", help="run the campaign that is killed on this Spark")
    given = parser.parse_args(arguments)
    print(f"--kills {given.kills} --seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        where = () if given.master is None else ("--master", given.master)
        killed_and_compared(Path(folder), given.kills, given.seed, where)


if __name__ == "__main__":
    main()
