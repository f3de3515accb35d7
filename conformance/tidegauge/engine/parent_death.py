"""Processes that end with the one that started them, however that ends. Only Linux has a way for that."""

import ctypes
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def ending_with_parent() -> Callable[[], object] | None:
    """What makes a new process end with its parent: for `preexec_fn` of `subprocess.Popen`."""
    if not sys.platform.startswith("linux"):
        return None
    call = ctypes.CDLL(None).prctl  # found now: between fork and exec nothing may be imported
    return lambda: call(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_with_parent() -> None:
    """From now on this process ends with its parent."""
    if (begin := ending_with_parent()) is not None:
        begin()
