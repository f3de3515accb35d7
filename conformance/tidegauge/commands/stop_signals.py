"""The signals that stop a command: the first ends it in order, the second at once."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ..engine.interruption import UserInterrupt

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_SIGNALLED = 128
"""The exit code after a signal is this number and that of the signal, as in shells: 130 after Ctrl-C."""

_SECONDS_TO_END = 4.0
"""The time (s) that a stopped command has to write. Its processes have ended a second later."""


class StopSignal(UserInterrupt):
    """A signal stops the command.

    Attributes:
        number: the signal.
        deadline: the monotonic time (s) after which nothing more is written.
    """

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.number = number
        self.deadline = time.monotonic() + _SECONDS_TO_END

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return _SIGNALLED + self.number


def stop_of(interrupt: KeyboardInterrupt) -> StopSignal:
    """Return the signal that stops the command. The handlers of SIGINT of Spark and of the library that
    watches files raise a plain `KeyboardInterrupt`."""
    return interrupt if isinstance(interrupt, StopSignal) else StopSignal(signal.SIGINT)


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `StopSignal` in the block when a signal stops the command. A second signal ends the process, and
    its children end with it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return
    stopped = False

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal stopped
        if stopped:
            os._exit(_SIGNALLED + number)
        stopped = True
        raise StopSignal(signal.Signals(number))

    previous: dict[signal.Signals, Any] = {}
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores SIGHUP
            previous[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
