"""A process that runs an engine, from inside: it answers what `WorkerProcess` asks.

The process may end at any time, as the engine does: whoever started it knows the scenario from its mark.
"""

import faulthandler
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import msgspec
import psutil
from msgspec import Struct

from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .parent_death import end_with_parent
from .runner import Marker
from .watch import is_stopped

REFUSED = b"!"
"""Begins the answer to work that is refused; the reason follows, in one line."""

CLOSE = b""
"""Is sent in place of work when there is no more; the answer is how closing the engine failed, if it did."""

HAD_STOPPED_PARENT = 86
"""The exit status of a worker process whose engine had stopped the process that asks."""

_SECONDS_BETWEEN_LOOKS = 0.5

_ANSWERED = b"="
_ENCODER = msgspec.msgpack.Encoder()


class Host(Protocol):
    """What answers in a worker process."""

    def answer(self, work: Any) -> object:
        """Return the answer to a piece of work. Raises `BadInput` to refuse it."""
        ...

    def close(self) -> Failure | None:
        """Close the engine. Return how that failed, if it did."""
        ...


def serve(opening: type[Struct], works: Any, host_of: Callable[[Any, Marker], Host]) -> None:
    """Answer what comes through the connection that the command line names, until it is closed.

    Args:
        opening: the type of what comes first.
        works: the types of what is asked.
        host_of: makes the host from what came first and from the marks of what is about to run. The host is
            made at the first question, which it can refuse (`BadInput`).
    """
    end_with_parent()
    _watch_parent()
    faulthandler.enable()
    os.dup2(2, 1)  # stdout may be read by others; what the engine prints goes to the log
    decoder = msgspec.msgpack.Decoder(works)
    host: Host | None = None
    number = int(sys.argv[1])
    os.set_inheritable(number, False)  # what the engine starts must not hold it open
    with Connection(number) as connection:
        opened = msgspec.msgpack.decode(connection.recv_bytes(), type=opening)
        marker = Marker(Path(sys.argv[2]))
        while True:
            try:
                message = connection.recv_bytes()
            except EOFError:
                break
            if message == CLOSE:
                marker.about_to_run("", "")
                failure = host.close() if host is not None else None
                connection.send_bytes(_ENCODER.encode(failure))
                _end_threads()
                break
            work = decoder.decode(message)
            try:
                host = host if host is not None else host_of(opened, marker)
                answer = _ANSWERED + _ENCODER.encode(host.answer(work))
            except BadInput as problem:
                answer = REFUSED + str(problem).encode()
            connection.send_bytes(answer)


def _end_threads() -> None:
    """End the process at once if the engine has left threads that would keep it."""
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    if any(not thread.daemon for thread in others):
        sys.stdout.flush()
        os._exit(0)


def _watch_parent() -> None:
    """Continue the process that asks where the engine stops it, and end this one. In a terminal a user may
    have stopped it (Ctrl-Z), whose shell says so."""
    parent = psutil.Process(os.getppid())
    if parent.terminal() is None:
        threading.Thread(target=_continue_stopped, args=(parent,), daemon=True).start()


def _continue_stopped(parent: psutil.Process) -> None:
    pause = threading.Event()
    looks = 0
    while looks < 2:  # a batch system may stop and continue several processes one after the other
        pause.wait(_SECONDS_BETWEEN_LOOKS)
        looks = looks + 1 if is_stopped(parent.pid) else 0
    with suppress(psutil.Error):
        parent.resume()
    os._exit(HAD_STOPPED_PARENT)
