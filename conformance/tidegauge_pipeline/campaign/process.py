"""The process of an engine, from outside: asked, watched, and started again where the engine ends it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from tidegauge.engine.parent_death import ending_with_parent
from tidegauge.engine.runner import Marker
from tidegauge.run.watch import RUNNING, SECONDS_BETWEEN_LOOKS, Watch, kill_tree, killed_in, memory_of
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.transcript import ErrorKind, Failure

from .specification import Specification
from .work import AnyAnswer, AnyWork, Refused

_BATCH_SECONDS = 3600.0
"""So long (s) one piece of work may take of an engine that takes many scenarios at once."""

_SECONDS_TO_CLOSE = 30.0

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(AnyAnswer)


class EngineLost(Exception):
    """The process of the engine has ended, or had to be killed: in which scenario (empty: in none), how."""

    def __init__(self, scenario: str, failure: Failure) -> None:
        super().__init__(failure.text)
        self.scenario, self.failure = scenario, failure


class Stopped(Exception):
    """The engine's process was ended from another thread."""


class EngineProcess:
    """Runs the engine of a campaign in a process of its own, which starts when it is first asked. Not for
    several threads at a time."""

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._folder = Path()
        self._watch: Watch | None = None
        self._is_stopped = False

    def ask(self, work: AnyWork) -> AnyAnswer:
        """The answer. Raises `EngineLost`, `Stopped`, and `BadInput` if the engine cannot be loaded."""
        if self._is_stopped:
            raise Stopped
        if self._child is None:
            self._start()
        assert self._child is not None
        assert self._connection is not None
        assert self._watch is not None
        try:
            self._connection.send_bytes(_ENCODER.encode(work))
            while not self._connection.poll(SECONDS_BETWEEN_LOOKS):
                self._watch.look()
            answer: AnyAnswer = _DECODER.decode(self._connection.recv_bytes())
        except (EOFError, OSError):
            lost = self._lost()
            if self._is_stopped:
                raise Stopped from None
            raise lost from None
        if isinstance(answer, Refused):
            raise BadInput(answer.problem)
        return answer

    def close(self) -> None:
        """End the process, if there is one."""
        child = self._child
        if child is None:
            return
        if self._connection is not None:
            self._connection.close()
        try:
            child.wait(_SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:
            kill_tree(child.pid)
        self._forget()

    def stop(self) -> None:
        """End the process at once and for good; the thread that waits for its answer gets `Stopped`."""
        self._is_stopped = True
        if (child := self._child) is not None:
            kill_tree(child.pid)

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tidegauge-campaign-"))
        request, implementation = self._specification.request, self._specification.implementation
        self._watch = Watch(self._folder, _BATCH_SECONDS, memory_of(request, implementation))
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "tidegauge_pipeline.campaign.host"]
            self._child = subprocess.Popen(
                [*command, str(theirs.fileno()), str(self._folder)],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                start_new_session=True,
                preexec_fn=ending_with_parent(),
            )
        self._connection = Connection(ours.detach())
        self._connection.send_bytes(msgspec.json.encode(self._specification))

    def _lost(self) -> EngineLost:
        """What became of the process, which is forgotten."""
        assert self._child is not None
        status = self._child.wait()
        killed = next(iter(killed_in(self._folder)), None)
        if killed is not None:
            kind: ErrorKind = "timeout" if killed.outcome == "timeout" else "crashed"
            lost = EngineLost(killed.scenario, Failure(kind, f"the engine {killed.reason}"))
        else:
            mark = Marker.read(self._folder / f"{RUNNING}host-{self._child.pid}")
            scenario = mark.scenario if mark is not None else ""
            lost = EngineLost(scenario, Failure("crashed", f"the process of the engine ended {_how(status)}"))
        self._forget()
        return lost

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._child is not None:
            self._child.wait()
        self._child, self._connection, self._watch = None, None, None
        shutil.rmtree(self._folder, ignore_errors=True)


def _environment() -> Mapping[str, str]:
    """Ours, with all that this process can import: executors of Spark are given modules by `sys.path`."""
    paths = [path or os.getcwd() for path in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _how(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    with suppress(ValueError):
        return f"by {signal.Signals(-status).name}"
    return f"by signal {-status}"
