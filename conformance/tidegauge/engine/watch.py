"""The watch over a process that runs an engine: a process that hangs or takes too much memory is killed.

The watch looks from another process, since an engine may hold Python's lock, stop its process, or exhaust the
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
"""What an engine did whose process, or the one that asks it, is stopped."""

_SECONDS_TO_START = float(os.environ.get("TIDEGAUGE_SECONDS_TO_START", "120"))
"""The time (s) that a process has to load the engine and to begin with what it was asked first."""

_STOOD_STILL = 5.0
"""If the watch could not look for so long (s), the machine stood still, which is no engine's fault."""


@dataclass
class Limits:
    """What a process of an engine may take.

    Args:
        item_seconds: the time limit of an item (s).
        memory_mib: the memory limit of the process and its children (resident, together; MiB); None for no
            limit, as long as it is not known what the engine declares.
    """

    item_seconds: float
    memory_mib: int | None = None


@dataclass(frozen=True)
class Killed:
    """Why the watch killed a process: what it was doing, and what it did (`did not answer within 30 s`)."""

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
    """Looks after one process, which leaves a mark of each scenario that it is about to run."""

    def __init__(self, number: int, marks: Path, limits: Limits) -> None:
        """Watch the process with this number, which leaves its marks in this file."""
        self._number, self._marks, self._limits = number, marks, limits
        self._seen: _Seen | None = None
        self._stood_still = 0.0
        self._began = self._looked = time.monotonic()
        self.killed: Killed | None = None

    def begin(self) -> None:
        """The process is asked something new: all time limits begin again."""
        self._seen = None

    def look(self) -> None:
        """Kill the process if it has to be killed, if it is time to look again."""
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
        """Say why the process had to end in what it was about to run."""
        mark = Marker.read(self._marks)
        item, scenario = (mark.item, mark.scenario) if mark is not None else ("", "")
        self.killed = Killed(outcome, item, scenario, reason)

    def _kill(self, outcome: Literal["timeout", "crashed"], reason: str) -> None:
        self.blame(outcome, reason)
        kill_tree(self._number)


def is_stopped(number: int) -> bool:
    """Return whether a process, by its number, is stopped by a signal."""
    try:
        return bool(psutil.Process(number).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def _takes_more(number: int, most: int) -> bool:
    """Whether a process and all that it started take more memory than so many bytes.

    What they share counts once: a JVM shares all it has with each program that it is about to start. Only
    where it matters is that looked up, since it takes long.
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
    """The memory (bytes) of a process, its part of what it shares with others; where the system does not say
    that, all of it."""
    try:
        return int(process.memory_full_info().pss)
    except (AttributeError, psutil.AccessDenied):
        return _resident(process)
