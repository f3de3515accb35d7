"""The watch over a process that runs an engine: it kills a process that hangs or takes too much memory.

The watch runs in another process, since an engine may hold Python's lock, stop its process, or exhaust the
machine.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from .process_tree import kill_tree, tree_of
from .runner import Mark, Marker

SECONDS_BETWEEN_LOOKS = 0.5

STOPPED = "stopped a process of the kit (SIGSTOP)"
"""The reason if an engine has stopped its own process, or the parent of that process."""

_SECONDS_TO_START = float(os.environ.get("TIDEGAUGE_SECONDS_TO_START", "120"))
"""The time limit (s) for loading the engine and starting the first piece of work."""

_STOOD_STILL = 5.0
"""After a longer pause (s) between two looks, the machine itself had paused. The pause does not count against
the engine."""


@dataclass
class Limits:
    """The limits of a process that runs an engine.

    Args:
        item_seconds: the time limit of an item (s).
        memory_mib: the memory limit of the process and its descendants (resident, together; MiB); None as
            long as the limit that the engine declares is not known.
    """

    item_seconds: float
    memory_mib: int | None = None


@dataclass(frozen=True)
class Killed:
    """Why the watch killed a process (`did not answer within 30 s`), and what the process was about to
    run."""

    outcome: Literal["timeout", "crashed"]
    item: str
    scenario: str
    reason: str


@dataclass
class _Seen:
    mark: Mark
    since: float
    item_since: float


class Watch:
    """Watches one process, which leaves a mark of each scenario that it is about to run."""

    def __init__(self, number: int, marks: Path, limits: Limits) -> None:
        """Watch the process with the id `number`. `marks` is the file of its marks."""
        self._number, self._marks, self._limits = number, marks, limits
        self._seen: _Seen | None = None
        self._stood_still = 0.0
        self._began = self._looked = time.monotonic()
        self.killed: Killed | None = None

    def begin(self) -> None:
        """Restart all time limits for a new piece of work."""
        self._seen = None

    def look(self) -> None:
        """Check the process, unless the last check was a moment ago, and kill it if it exceeds a limit."""
        looked = time.monotonic()
        since_last = looked - self._looked
        if since_last < SECONDS_BETWEEN_LOOKS or self.killed is not None:
            return
        self._looked = looked
        if since_last > _STOOD_STILL:
            self._stood_still += since_last
        now = looked - self._stood_still
        mark, last = Marker.read(self._marks), self._seen
        if mark is not None and (last is None or mark != last.mark):
            same_item = last is not None and last.mark.item == mark.item
            item_since = last.item_since if same_item and last is not None else now
            self._seen = last = _Seen(mark, now, item_since)
        limits = self._limits
        if limits.memory_mib is not None and _takes_more(self._number, limits.memory_mib * 2**20):
            self._kill("crashed", f"took more than {limits.memory_mib:,} MiB of memory")
        elif is_stopped(self._number):
            self._kill("crashed", STOPPED)
        elif last is None and now - self._began > _SECONDS_TO_START:
            self._kill("timeout", f"did not load within {_SECONDS_TO_START:g} s")
        elif last is not None and last.mark.seconds and now - last.since > last.mark.seconds:
            self._kill("timeout", f"did not answer within {last.mark.seconds} s")
        elif last is not None and last.mark.item and now - last.item_since > limits.item_seconds:
            self._kill("timeout", f"did not end the item within {limits.item_seconds:g} s")

    def blame(self, outcome: Literal["timeout", "crashed"], reason: str) -> None:
        """Record why the process had to end, and what it was about to run."""
        mark = Marker.read(self._marks)
        item, scenario = (mark.item, mark.scenario) if mark is not None else ("", "")
        self.killed = Killed(outcome, item, scenario, reason)

    def _kill(self, outcome: Literal["timeout", "crashed"], reason: str) -> None:
        self.blame(outcome, reason)
        kill_tree(self._number)


def is_stopped(number: int) -> bool:
    """Return whether a signal has stopped the process with the id `number`."""
    try:
        return bool(psutil.Process(number).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def _takes_more(number: int, most: int) -> bool:
    """Return whether a process and its descendants take more than `most` bytes of memory.

    Shared memory counts once: a JVM shares all its memory with each program that it is about to start. That
    measurement is slow, so it is made only if the resident sets together exceed the limit.
    """
    return _memory(number, _resident) > most and _memory(number, _proportional) > most


def _memory(number: int, of_process: Callable[[psutil.Process], int]) -> int:
    taken = 0
    for process in tree_of(number):
        with suppress(psutil.Error):
            taken += of_process(process)
    return taken


def _resident(process: psutil.Process) -> int:
    return int(process.memory_info().rss)


def _proportional(process: psutil.Process) -> int:
    """Return the proportional set size of a process (bytes), which divides shared memory among the processes
    that share it; the resident set size where the system does not report it."""
    try:
        return int(process.memory_full_info().pss)
    except (AttributeError, psutil.AccessDenied):
        return _resident(process)
