"""An engine as a child process: lines in, lines out, nothing of it for ever.

The kit owns every limit: the silence between two answers, the length of a line, the memory of the process and
of those that it starts. Who breaks one is killed, with all that it started. Unix only.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Literal

import psutil

from tidegauge.engine.errors import NotAnswered
from tidegauge.engine.foreign_text import LONGEST_TRACEBACK, printable
from tidegauge.engine.parent_death import ending_with_parent
from tidegauge.engine.process_tree import descendants, end_all, end_marked, kill_group
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.transcript import Failure

_LONGEST_LINE = 64 * 2**20
_READ_AT_ONCE = 2**16
_SECONDS_BETWEEN_LOOKS = 0.2
"""How often the memory is looked at."""

_SHOWN = 200
_SECONDS_TO_DIE = 5.0
_KEPT_OF_STDERR = 64 * 1024

_MARK = "TIDEGAUGE_ENGINE_PROCESS"
"""In the environment: by it what an engine has started is found, without a parent, too."""


class EngineGone(NotAnswered):
    """The process is of no use any more, and has been killed; `failure` says why."""


class EngineProcess:
    """A running engine. `memory`: bytes that it and its children may take (resident, together)."""

    def __init__(self, command: Sequence[str], memory: int) -> None:
        self._memory = memory
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"
        try:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=ending_with_parent(),
                env={**os.environ, _MARK: self._mark},
            )
        except OSError as error:
            raise BadInput(f"the command {' '.join(command)!r} cannot be started: {error.strerror}") from None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout
        os.set_blocking(self._stdin.fileno(), False)
        self._process = psutil.Process(self._child.pid)
        self._to_write, self._read, self._searched = bytearray(), bytearray(), 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._looked = 0.0
        self._stderr = bytearray()
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.owner = os.getpid()

    def write(self, line: bytes) -> None:
        """Send a line. It goes out while answers are waited for, so that no side blocks the other."""
        if not self._to_write:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._to_write += line

    def line(self, seconds: float) -> bytes:
        """The next line of stdout. Raises `EngineGone` if none comes within so many seconds, or the process
        ends, or takes too much."""
        until = time.monotonic() + seconds
        while (line := self._whole_line()) is None:
            left = until - time.monotonic()
            if left <= 0:
                raise self.gone("timeout", f"the engine did not answer within {seconds:g} s")
            has_ended = self._child.poll() is not None
            events = self._selector.select(min(left, _SECONDS_BETWEEN_LOOKS))
            for ready, _ in events:
                if ready.fileobj is self._stdin:
                    self._write_some()
                elif not self._read_some():
                    raise self._ended()
            if has_ended and not events:  # a child of it has inherited its stdout
                raise self._ended()
            self._look()
        return line

    def unread(self) -> str:
        """The start of what it has written to stdout beyond the lines that were read; usually empty."""
        ready = [key.fileobj for key, _ in self._selector.select(0)]
        if self._stdout in ready:
            self._read_some()
        return self._read[:_SHOWN].decode("utf-8", "replace")

    def resident_bytes(self) -> int:
        """The resident set of the process; 0 if it has ended."""
        return _resident(self._process)

    def ended_within(self, seconds: float) -> int | None:
        """Write what is to be written and close stdin; the exit code, None if it does not end."""
        until = time.monotonic() + seconds
        while self._to_write and time.monotonic() < until:
            for ready, _ in self._selector.select(_SECONDS_BETWEEN_LOOKS):
                if ready.fileobj is self._stdin:
                    self._write_some()
                elif not self._read_some():
                    self._forget_stdin()
                    self._selector.unregister(self._stdout)
        with suppress(OSError):
            self._stdin.close()
        try:
            return self._child.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None

    def left_over(self) -> bytes:
        """What stdout still holds, once the process has ended."""
        with suppress(OSError):
            os.set_blocking(self._stdout.fileno(), False)
            self._read_some()
        return bytes(self._read)

    def end(self) -> list[str]:
        """End it and all that it started; the names of children that outlived it."""
        ended = self._child.poll() is not None
        children = descendants(self._process)  # of an environment of their own, too
        kill_group(self._child)
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(_SECONDS_TO_DIE)
        left = [*end_all(children), *end_marked(_MARK, self._mark)]
        self._listener.join(_SECONDS_TO_DIE)
        self._selector.close()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()
        return left if ended else []

    def gone(self, kind: Literal["protocol", "crashed", "timeout"], text: str) -> EngineGone:
        """Kill the process; what is to be raised, with the end of its stderr."""
        self.end()
        return EngineGone(Failure(kind, printable(text), self.stderr()))

    def stderr(self) -> str:
        """The end of what it wrote to stderr."""
        written = self._stderr.decode("utf-8", "replace")
        return printable(written[-LONGEST_TRACEBACK:], LONGEST_TRACEBACK)

    def _whole_line(self) -> bytes | None:
        end = self._read.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._read)
            if self._searched > _LONGEST_LINE:
                raise self.gone("protocol", f"the engine wrote a line of more than {_LONGEST_LINE:,} bytes")
            return None
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        self._searched = 0
        return line

    def _write_some(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._to_write[:_READ_AT_ONCE])
        except BlockingIOError:
            return
        except OSError:  # it has closed its stdin: what it says, or its end, tells more
            self._forget_stdin()
            return
        del self._to_write[:written]
        if not self._to_write:
            self._selector.unregister(self._stdin)

    def _forget_stdin(self) -> None:
        if self._to_write:
            self._selector.unregister(self._stdin)
            self._to_write.clear()

    def _read_some(self) -> bool:
        """Whether stdout is still open."""
        some = os.read(self._stdout.fileno(), _READ_AT_ONCE)
        self._read += some
        return bool(some)

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked < _SECONDS_BETWEEN_LOOKS:
            return
        self._looked = now
        taken = sum(map(_resident, (self._process, *descendants(self._process))))
        if taken > self._memory:
            limit = self._memory / 2**20
            raise self.gone("crashed", f"the engine took more than {limit:,.0f} MiB of memory and was killed")

    def _ended(self) -> EngineGone:
        try:
            code = self._child.wait(_SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return self.gone("protocol", "the engine closed its stdout")
        how = f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
        return self.gone("crashed", f"the engine's process ended {how}")

    def _listen(self) -> None:
        stderr = self._child.stderr
        assert stderr is not None
        with suppress(OSError, ValueError), stderr:
            while some := os.read(stderr.fileno(), _READ_AT_ONCE):
                self._stderr += some
                del self._stderr[:-_KEPT_OF_STDERR]


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
