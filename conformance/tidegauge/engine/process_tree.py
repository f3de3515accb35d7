"""Ends processes that run an engine, with all that they have started. No other module kills a process of an
engine."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

import psutil

_SECONDS_TO_DIE = 5.0

_ROUNDS = 3
"""So often processes are looked for: what is killed may have started others meanwhile."""


def kill_tree(number: int) -> None:
    """Kill a process, by its number, and all its descendants."""
    for process in tree_of(number):
        with suppress(psutil.Error):
            process.kill()


def tree_of(number: int) -> list[psutil.Process]:
    """Return a process, by its number, and its descendants; nothing if it does not run."""
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
    """Kill every process that has a mark in its environment, whoever its parent is by now.

    Args:
        variable: the name of the environment variable.
        mark: its value.
        patience: the time (s) that the processes have to end by themselves.

    Returns:
        the names and numbers of the processes that were killed.
    """
    names: list[str] = []
    for _ in range(_ROUNDS):
        marked = _marked(variable, mark)
        if not marked:
            break
        names += end_all(marked, patience)
    return names


def end_all(processes: Sequence[psutil.Process], patience: float = 0.0) -> list[str]:
    """Kill processes that do not end by themselves within `patience` (s); return their names and numbers."""
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
