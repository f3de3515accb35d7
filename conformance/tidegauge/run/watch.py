"""A watch over the processes that run an engine: one that hangs or takes too much memory is killed.

It looks from another process, since an engine may hold Python's lock, stop its process, or exhaust the
machine. `tidegauge run` looks itself; a plain pytest session starts `python -m tidegauge.run.watch`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from ..engine.runner import Mark, Marker
from ..wire.implementation import Implementation
from .journal import FILE_NAME
from .request import Request

SECONDS_BETWEEN_LOOKS = 0.5
RUNNING = "running-"
"""Begins the name of the file in which a process says what it is about to run; its number ends it."""

KILLED = "killed-"
"""Begins the name of the file in which the watch says of a process why it killed it; its number ends it."""

CLOSING = "close"
"""In place of an item and of a scenario: the engine is being closed."""

IS_WATCHED = "TIDEGAUGE_IS_WATCHED"
"""In the environment of a session that another process looks after."""

_GRACE = 15.0
"""So many seconds (s) an item has beyond its time: usually pytest-timeout ends it first."""

_CLOCKS_APART = 1.0
"""So many seconds (s) the clocks of processes and of files may differ."""

_STOOD_STILL = 5.0
"""If the watch could not look for so many seconds (s) the machine stood still, which is no engine's fault."""

_QUIET = 60.0
"""So many seconds (s) a session may be silent beyond the time of an item."""


@dataclass
class _Seen:
    mark: Mark
    since: float
    item_since: float


class Watch:
    """Looks after the processes that leave marks in the folder of a run.

    `item_seconds`: the time of a test item (s), `memory_mib`: what a process and its children may take
    (resident, together).
    """

    def __init__(self, folder: Path, item_seconds: float, memory_mib: int) -> None:
        self._folder, self._item_seconds, self._memory_mib = folder, item_seconds, memory_mib
        self._seen: dict[Path, _Seen] = {}
        self._journal = 0
        self._stood_still = 0.0
        self._moved = self._looked = time.monotonic()

    def look(self) -> None:
        """Kill what has to be killed, if it is time to look again."""
        looked = time.monotonic()
        since_last = looked - self._looked
        if since_last < SECONDS_BETWEEN_LOOKS:
            return
        self._looked = looked
        if since_last > _STOOD_STILL:
            self._stood_still += since_last
        now = looked - self._stood_still
        with suppress(OSError):
            size = (self._folder / FILE_NAME).stat().st_size
            if size != self._journal:
                self._journal, self._moved = size, now
        for path in self._folder.glob(f"{RUNNING}*"):
            self._look_at(path, now)

    def is_stuck(self) -> bool:
        """Whether no item has begun, and none has ended, for longer than one may take."""
        now = time.monotonic() - self._stood_still
        return now - self._moved > self._item_seconds + _QUIET

    def _look_at(self, path: Path, now: float) -> None:
        number = int(path.name.rpartition("-")[2])
        if (self._folder / f"{KILLED}{number}").exists() or not _left_by(path, number):
            return
        mark = Marker.read(path)
        last = self._seen.get(path)
        if mark is not None and (last is None or mark != last.mark):
            same_item = last is not None and last.mark.item == mark.item
            item_since = last.item_since if same_item and last is not None else now
            self._seen[path] = last = _Seen(mark, now, item_since)
            self._moved = now
        if _takes_more(number, self._memory_mib * 2**20):
            self._kill(number, last, "crashed", f"took more than {self._memory_mib:,} MiB of memory")
        elif last is not None and last.mark.seconds and now - last.since > last.mark.seconds:
            self._kill(number, last, "timeout", f"did not answer within {last.mark.seconds} s")
        elif last is not None and now - last.item_since > self._item_seconds + _GRACE:
            self._kill(number, last, "timeout", f"did not end the item within {self._item_seconds:g} s")

    def _kill(self, number: int, seen: _Seen | None, outcome: str, reason: str) -> None:
        item, scenario = (seen.mark.item, seen.mark.scenario) if seen is not None else ("", "")
        told = "\t".join((outcome, item, scenario, reason))
        (self._folder / f"{KILLED}{number}").write_text(told, encoding="utf-8")
        kill_tree(number)


def memory_of(request: Request, implementation: Implementation) -> int:
    """What a process of the engine and its children may take (MiB)."""
    return request.memory or implementation.memory_mib


@dataclass(frozen=True)
class Killed:
    """Why the watch killed a process: what becomes of the item (`timeout` or `crashed`), and what the engine
    did."""

    outcome: str
    item: str
    scenario: str
    reason: str


def killed_in(folder: Path) -> list[Killed]:
    """The processes that the watch of a run has killed so far."""
    told = [path.read_text(encoding="utf-8").split("\t") for path in sorted(folder.glob(f"{KILLED}*"))]
    return [Killed(*parts) for parts in told if len(parts) == len(Killed.__dataclass_fields__)]


def kill_tree(number: int) -> None:
    """Kill a process and all that it started."""
    with suppress(psutil.Error):
        root = psutil.Process(number)
        for process in [root, *root.children(recursive=True)]:
            with suppress(psutil.Error):
                process.kill()


def _left_by(path: Path, number: int) -> bool:
    """Whether the process that left the mark still runs; its number may be that of another one by now."""
    try:
        return psutil.Process(number).create_time() <= path.stat().st_mtime + _CLOCKS_APART
    except (psutil.Error, OSError):
        return False


def _takes_more(number: int, most: int) -> bool:
    """Whether a process and all that it started take more memory than so many bytes.

    What they share counts once: a JVM shares all it has with each program that it is about to start. Only
    where it matters is that looked up, since it takes long.
    """
    return _memory(number, _resident) > most and _memory(number, _proportional) > most


def _memory(number: int, of_one: Callable[[psutil.Process], int]) -> int:
    taken = 0
    with suppress(psutil.Error):
        root = psutil.Process(number)
        for process in [root, *root.children(recursive=True)]:
            with suppress(psutil.Error):
                taken += of_one(process)
    return taken


def _resident(process: psutil.Process) -> int:
    return int(process.memory_info().rss)


def _proportional(process: psutil.Process) -> int:
    """The memory (bytes) of a process, its part of what it shares with others; where the system does not say
    that, all of it."""
    try:
        return int(process.memory_full_info().pss)
    except (AttributeError, psutil.AccessDenied):
        return _resident(process)


def watched(folder: Path, item_seconds: float, memory_mib: int) -> Callable[[], None]:
    """Have another process look after this session until it ends; what is returned ends that process."""
    command = [sys.executable, "-m", "tidegauge.run.watch", str(folder), str(os.getpid())]
    watching = subprocess.Popen([*command, str(item_seconds), str(memory_mib)], start_new_session=True)

    def end() -> None:
        watching.kill()
        watching.wait()

    return end


def main(folder: str, session: str, item_seconds: str, memory_mib: str) -> None:
    """Look after a session, by its process number, until it has ended."""
    watch = Watch(Path(folder), float(item_seconds), int(memory_mib))
    with suppress(psutil.NoSuchProcess):
        watched = psutil.Process(int(session))
        while watched.is_running() and watched.status() != psutil.STATUS_ZOMBIE:
            watch.look()
            if watch.is_stuck():
                kill_tree(int(session))
            with suppress(psutil.TimeoutExpired):
                watched.wait(SECONDS_BETWEEN_LOOKS)


if __name__ == "__main__":
    main(*sys.argv[1:])
