"""The parent's side of a worker process: it sends work to a process that runs an engine, watches that
process, and starts another one after it has ended.

Runs, campaigns, `diff`, confirmation and the trials of a model drive engines only in this way. Work and
answers are data (msgspec structs). The module that answers calls `serving.serve`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .parent_death import ending_with_parent
from .process_tree import kill_tree
from .runner import Mark, Marker
from .serving import CLOSE, HAD_STOPPED_PARENT, REFUSED
from .watch import SECONDS_BETWEEN_LOOKS, STOPPED, Limits, Watch

SECONDS_TO_CLOSE = 30.0
"""The time limit (s) for closing the engine."""

MARKS = "about-to-run"
"""The name of the file in which the process records what it is about to run."""

_SECONDS_TO_DIE = 5.0

_ENCODER = msgspec.msgpack.Encoder()

Reply = TypeVar("Reply")


@dataclass(frozen=True)
class WorkerProgram:
    """The program of a worker process.

    Args:
        module: the module that serves; it is run as a program.
        opening: the first message to the process.
        log: the file descriptor that receives the output of the engine; None for that of this process.
        environment: the variables that are added to the environment of this process.
    """

    module: str
    opening: Struct
    log: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


class WorkerLost(Exception):
    """The worker process has ended or was killed.

    Attributes:
        item: the item that was about to run; empty if there was none.
        scenario: the scenario that was about to run; empty if there was none.
        failure: how the process ended.
        reason: the limit that the engine exceeded, or that it stopped a process of the kit; empty if the
            process ended for another reason.
    """

    def __init__(self, item: str, scenario: str, failure: Failure, reason: str = "") -> None:
        super().__init__(failure.text)
        self.item, self.scenario, self.failure, self.reason = item, scenario, failure, reason


class Stopped(Exception):
    """Another thread has ended the worker process with `stop`."""


class WorkerProcess:
    """A worker process. The first call of `ask` starts it. Only `stop` may be called from another thread."""

    def __init__(self, program: WorkerProgram, limits: Limits) -> None:
        self._program, self._limits = program, limits
        self.opening = program.opening
        """The first message to the next process."""

        self._child: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._folder = Path()
        self._watch: Watch | None = None
        self._is_stopped = False

    def ask(self, work: Struct, reply: type[Reply]) -> Reply:
        """Send work to the process and return its answer, a struct of the type `reply`.

        Raises:
            WorkerLost: if the process ends before it answers. The next call starts another process.
            Stopped: if `stop` has been called.
            BadInput: if the worker process refuses the work, for example because the engine cannot be loaded.
        """
        if self._is_stopped:
            raise Stopped
        if self._child is None:
            self._start()
        assert self._child is not None
        try:
            answer = self._answer(_ENCODER.encode(work), inf)
        except (EOFError, OSError):
            lost = self._lost()
            if self._is_stopped:
                raise Stopped from None
            raise lost from None
        except BaseException:  # the answer would be taken for that to the next question
            self._discard()
            raise
        if answer.startswith(REFUSED):
            raise BadInput(answer.removeprefix(REFUSED).decode())
        try:
            return msgspec.msgpack.decode(answer[1:], type=reply)
        except msgspec.DecodeError:
            kill_tree(self._child.pid)
            raise self._lost() from None

    def close(self) -> Failure | None:
        """Close the engine and end the process, if one is running.

        Returns:
            The failure to close the engine, or None. Its kind is `timeout` if the watch or a time limit of
            closing ended the process.
        """
        child, watch = self._child, self._watch
        if child is None or watch is None:
            return None
        if self._is_stopped:
            self._discard()
            return None
        failure = None
        try:
            failure = msgspec.msgpack.decode(self._answer(CLOSE, SECONDS_TO_CLOSE), type=Failure | None)
            child.wait(SECONDS_TO_CLOSE)
        except TimeoutError:
            failure = _not_closed(f"did not answer within {SECONDS_TO_CLOSE:g} s")
        except (EOFError, OSError):
            end = _end_of(child)
            stopped = child.returncode == HAD_STOPPED_PARENT
            failure = Failure("crashed", f"the engine {STOPPED}" if stopped else f"when it was closed {end}")
        except subprocess.TimeoutExpired:
            failure = _not_closed(f"did not end within {SECONDS_TO_CLOSE:g} s")
        if watch.killed is not None:
            failure = _not_closed(watch.killed.reason)
        self._discard()
        return failure

    def mark(self) -> Mark | None:
        """Return what the process is about to run; None if the process has left no mark yet."""
        return Marker.read(self._folder / MARKS)

    def stop(self) -> None:
        """Kill the process for good. A thread that waits for its answer gets `Stopped`."""
        self._is_stopped = True
        if (child := self._child) is not None:
            kill_tree(child.pid)

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tidegauge-worker-"))
        marks = self._folder / MARKS
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", self._program.module, str(theirs.fileno()), str(marks)]
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._program.log,
                stderr=self._program.log,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, **self._program.environment},
                start_new_session=True,
                preexec_fn=ending_with_parent(),
            )
        if self._is_stopped:  # `stop` was called while the process started
            kill_tree(self._child.pid)
        self._watch = Watch(self._child.pid, marks, self._limits)
        self._connection = Connection(ours.detach())
        with suppress(OSError):  # `ask` reports a process that has ended already
            self._connection.send_bytes(_ENCODER.encode(self.opening))

    def _answer(self, message: bytes, seconds: float) -> bytes:
        """Send a message and return the answer, while the watch looks at the process. Raises `EOFError` or
        `OSError` if the process ends, and `TimeoutError` after `seconds`."""
        assert self._child is not None
        assert self._connection is not None
        assert self._watch is not None
        until = time.monotonic() + seconds
        self._watch.begin()
        self._connection.send_bytes(message)
        while not self._connection.poll(SECONDS_BETWEEN_LOOKS):
            self._watch.look()
            if self._child.poll() is not None and not self._connection.poll():
                raise EOFError  # a fork of the process holds the connection open
            if time.monotonic() > until:
                raise TimeoutError
        return self._connection.recv_bytes()

    def _lost(self) -> WorkerLost:
        """Return how the process ended, and forget the process."""
        assert self._child is not None
        assert self._watch is not None
        end = _end_of(self._child)
        if self._watch.killed is None and self._child.returncode == HAD_STOPPED_PARENT:
            self._watch.blame("crashed", STOPPED)
        killed = self._watch.killed
        if killed is not None:
            failure = Failure(killed.outcome, f"the engine {killed.reason}")
            lost = WorkerLost(killed.item, killed.scenario, failure, killed.reason)
        else:
            mark = self.mark()
            item, scenario = (mark.item, mark.scenario) if mark is not None else ("", "")
            lost = WorkerLost(item, scenario, Failure("crashed", end))
        self._forget()
        return lost

    def _discard(self) -> None:
        """Kill the process, if it has not ended, and forget it."""
        if self._child is not None and self._child.poll() is None:  # not yet reaped: the id is its own
            kill_tree(self._child.pid)
        self._forget()

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._child is not None:
            self._child.wait()
        self._child, self._connection, self._watch = None, None, None
        shutil.rmtree(self._folder, ignore_errors=True)


def _not_closed(reason: str) -> Failure:
    return Failure("timeout", f"when it was closed the engine {reason}, and was killed")


def _end_of(child: subprocess.Popen[bytes]) -> str:
    """Return how a process ended that has closed its connection. A process that is still running is
    killed."""
    try:
        status = child.wait(_SECONDS_TO_DIE)
    except subprocess.TimeoutExpired:
        kill_tree(child.pid)
        child.wait()
        return "the process of the engine closed its connection to the kit"
    if status >= 0:
        return f"the process of the engine ended with exit status {status}"
    try:
        return f"the process of the engine ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process of the engine ended by signal {-status}"
