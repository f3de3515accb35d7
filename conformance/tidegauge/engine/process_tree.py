"""Ends processes that run an engine, with all their descendants. No other module kills a process of an
engine."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

import psutil

_SECONDS_TO_DIE = 5.0

_ROUNDS = 3
"""The number of searches: a process may have started others before it was killed."""


def kill_tree(number: int) -> None:
    """Kill the process with the id `number` and all its descendants."""
    for process in tree_of(number):
        with suppress(psutil.Error):
            process.kill()


def tree_of(number: int) -> list[psutil.Process]:
    """Return the process with the id `number` and its descendants; an empty list if it is not running."""
    try:
        root = psutil.Process(number)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """Return the descendants of a process; nothing if it does not run, also if its number is that of another
    one by now."""
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def kill_group(leader: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a process group, and the other members of the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, signal.SIGKILL)


def end_marked(variable: str, mark: str, patience: float = 0.0) -> list[str]:
    """Kill every process that has a mark in its environment, whatever its parent is now.

    Args:
        variable: the name of the environment variable.
        mark: the value of the variable.
        patience: the time (s) that the processes have to end by themselves.

    Returns:
        The names and ids of the processes that were killed.
    """
    names: list[str] = []
    for _ in range(_ROUNDS):
        marked = _marked(variable, mark)
        if not marked:
            break
        names += end_all(marked, patience)
    return names


def end_all(processes: Sequence[psutil.Process], patience: float = 0.0) -> list[str]:
    """Kill processes that do not end by themselves within `patience` (s). Return their names and ids."""
    names: list[str] = []
    _, alive = psutil.wait_procs(processes, patience)
    for process in alive:
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                names.append(f"{process.name()} ({process.pid})")
                process.kill()
    psutil.wait_procs(alive, _SECONDS_TO_DIE)
    return names


def _marked(variable: str, mark: str) -> list[psutil.Process]:
    marked = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(variable) == mark and process.status() != psutil.STATUS_ZOMBIE:
                marked.append(process)
    return marked
