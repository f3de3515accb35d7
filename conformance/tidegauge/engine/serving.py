"""The child's side of a worker process: it runs an engine and answers the work that `WorkerProcess` sends.

The engine may end the process at any time. The parent then finds the scenario in the mark that the process
has left.
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
"""The prefix of the answer to refused work. The reason follows, in one line."""

CLOSE = b""
"""The message after the last piece of work. The answer is the failure to close the engine, or None."""

HAD_STOPPED_PARENT = 86
"""The exit status of a worker process whose engine has stopped the parent process."""

_SECONDS_BETWEEN_LOOKS = 0.5

_ANSWERED = b"="
_ENCODER = msgspec.msgpack.Encoder()


class Host(Protocol):
    """Does the work in a worker process."""

    def answer(self, work: Any) -> object:
        """Return the answer to a piece of work. Raises `BadInput` to refuse it."""
        ...

    def close(self) -> Failure | None:
        """Close the engine. Return the failure, or None."""
        ...


def serve(opening: type[Struct], works: Any, host_of: Callable[[Any, Marker], Host]) -> None:
    """Answer the messages on the connection that the command line names, until the connection is closed.

    Args:
        opening: the type of the first message.
        works: the types of the pieces of work.
        host_of: makes the host from the first message and from the marker of what is about to run. It is
            called at the first piece of work, and refuses that work by raising `BadInput`.
    """
    end_with_parent()
    _watch_parent()
    faulthandler.enable()
    os.dup2(2, 1)  # another program may read stdout; the output of the engine goes to the log
    decoder = msgspec.msgpack.Decoder(works)
    host: Host | None = None
    number = int(sys.argv[1])
    os.set_inheritable(number, False)  # child processes of the engine must not hold it open
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
    """End the process at once if the engine has left threads that would keep it running."""
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    if any(not thread.daemon for thread in others):
        sys.stdout.flush()
        os._exit(0)


def _watch_parent() -> None:
    """Continue the parent process if the engine stops it, and end this process. A parent in a terminal is not
    watched: the user may have stopped it (Ctrl-Z), and the shell reports that."""
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
