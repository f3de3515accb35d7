"""Processes that an engine has started and not ended: found after a run, and ended."""

from contextlib import suppress

import psutil

MARK = "TIDEGAUGE_RUN"
"""In the environment of a test session: what is started in it has the same value, without a parent, too."""

_SECONDS_TO_END = 3.0
"""So long (s) those may take that are about to end by themselves."""

_ROUNDS = 3


def end_what_is_left(mark: str, patience: float = _SECONDS_TO_END) -> list[str]:
    """End all processes of a test session that is over; the names of those that did not end by themselves
    within `patience` (s)."""
    names: list[str] = []
    for _ in range(_ROUNDS):  # what is killed may have started more meanwhile
        _, alive = psutil.wait_procs(_marked(mark), patience)
        for process in alive:
            with suppress(psutil.Error):
                names.append(f"{process.name()} ({process.pid})")
                process.kill()
        if not alive:
            break
    return names


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
