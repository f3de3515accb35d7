"""Guards a command against engines that stop it with SIGSTOP: the guard continues the command, which reports
it."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..engine.parent_death import end_with_parent
from .stop_signals import STOP_SIGNALS

_SECONDS_BETWEEN_LOOKS = 0.5
_LOOKS = 4
"""The number of looks at a stopped command. Ctrl-Z may stop the guard later than the command. A worker
process whose engine stops the command continues the command earlier, and names the scenario."""


@contextmanager
def continued_when_stopped() -> Iterator[Callable[[], bool]]:
    """Continue this process whenever it is stopped in the block. Yield a function that returns whether that
    happened.

    The guard is a child in the same process group. Ctrl-Z in a terminal stops the whole group, including the
    guard, so that only the user continues it.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    command = os.getpid()
    guard = os.fork()
    if guard == 0:
        try:
            _guard(command, writing)
        finally:
            os._exit(0)
    os.close(writing)

    def was_stopped() -> bool:
        try:
            return bool(os.read(reading, 1))
        except OSError:  # nothing to read; or an engine in this process has closed the pipe
            return False

    try:
        yield was_stopped
    finally:
        if os.getpid() == command:
            with suppress(OSError):  # an engine in this process may have ended the guard
                os.kill(guard, signal.SIGTERM)
                os.kill(guard, signal.SIGCONT)  # an engine may have stopped the guard, too
                os.waitpid(guard, 0)
            with suppress(OSError):
                os.close(reading)


def _guard(command: int, told: int) -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    end_with_parent()
    looks = 0
    while True:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
        if os.getppid() != command:
            return
        import psutil  # commands that end at once need no guard

        looks = looks + 1 if psutil.Process(command).status() == psutil.STATUS_STOPPED else 0
        if looks == _LOOKS:
            os.write(told, b"!")
            psutil.Process(command).resume()
