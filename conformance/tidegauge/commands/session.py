"""The test session of a run: started, followed by its journal, and ended with all its processes."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..engine.parent_death import ending_with_parent
from ..run.expected_time import ExpectedTime, about
from ..run.journal import AnyEvent, Finished, JournalReader, Started
from ..run.left_behind import MARK, end_what_is_left
from ..run.run_folder import LOG
from ..run.watch import IS_WATCHED, Watch, memory_of
from ..wire.scenario import BadInput
from ..words.numbers import counted
from .console import ERR, OUT
from .terminal_text import lines

_LONGEST_FAILURE = 1500
_POLL_SECONDS = 0.25
_SECONDS_BETWEEN_LINES = 20.0
_SECONDS_TO_START = float(os.environ.get("TIDEGAUGE_SECONDS_TO_START", "120"))
"""So long (s) the test session may take to load the engine and to plan the run."""


@dataclass
class RunningSession:
    """The process of a test session. `left`: the names of processes that outlived it, and were ended."""

    process: subprocess.Popen[bytes]
    left: list[str] = field(default_factory=list)


@contextmanager
def session(command: list[str], log: int, environment: Mapping[str, str]) -> Iterator[RunningSession]:
    """The test session; it ends with the block, and its workers with it. Where the block ends by a failure or
    a signal, they end at once.

    Args:
        command: the command that starts the session.
        log: the file descriptor to which it prints.
        environment: what it is told beside the environment of this process.
    """
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    with TemporaryDirectory(prefix="tidegauge-") as scratch:
        ended_by_itself = False
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=ending_with_parent(),
                env={
                    **os.environ,
                    "HYPOTHESIS_STORAGE_DIRECTORY": scratch,
                    IS_WATCHED: "1",
                    MARK: mark,
                    **environment,
                },
            )
            running = RunningSession(child)
            try:
                yield running
                ended_by_itself = child.poll() is not None and child.returncode >= 0
            finally:
                _signal_group(child.pid, signal.SIGKILL)
                child.wait()
        finally:
            left = end_what_is_left(mark) if ended_by_itself else end_what_is_left(mark, patience=0)
        running.left = left if ended_by_itself else []


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def followed(
    child: subprocess.Popen[bytes],
    folder: Path,
    item_timeout: float,
    fail_fast: bool,
    quiet: bool,
) -> tuple[list[AnyEvent], str]:
    """The events of the journal in the `folder` of a run, showing progress meanwhile: a bar, or in a log a
    line now and then; and the first failure as soon as it is there, which ends the session if it is to
    `fail_fast`. If `quiet`, nothing but the bar. The second: that failure as it was shown, empty if none was.

    The session and its processes are watched; one that does not start, or does nothing any more, is killed.
    Raises `BadInput` for the former.
    """
    reader, events = JournalReader(folder), []
    finished: list[str] = []
    expected: ExpectedTime | None = None
    watch: Watch | None = None
    began = said = time.monotonic()
    name, left_of_it = TextColumn("{task.description}"), TextColumn("{task.fields[left]}")
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), left_of_it)
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as progress:
        task = progress.add_task("starting", total=None, left="")
        ended, first = False, ""
        while not ended:
            ended = child.poll() is not None
            for event in reader.new_events():
                events.append(event)
                if isinstance(event, Started):
                    watch = Watch(folder, item_timeout, memory_of(event.request, event.implementation))
                    progress.update(task, total=len(event.planned), description=event.implementation.name)
                    expected = ExpectedTime(event.planned, event.implementation)
                    if expected.total is not None and not quiet:
                        items = counted(len(event.planned), "item")
                        OUT.print(f"{items}: {about(expected.total)} on two free cores")
                elif isinstance(event, Finished):
                    finished.append(event.item)
                    progress.update(task, advance=1, description=event.item)
                    if event.outcome == "failed" and not first:
                        number, first = _in_short(event.text)
                        if not quiet:
                            _print_first_failure(event.item, number, first)
                        if fail_fast:
                            _signal_group(child.pid, signal.SIGTERM)
            left = _left(expected, finished, time.monotonic() - began)
            progress.update(task, left=left)
            if progress.disable and not quiet and time.monotonic() - said > _SECONDS_BETWEEN_LINES:
                said = time.monotonic()
                planned = sum(len(event.planned) for event in events if isinstance(event, Started))
                so_far = f"{said - began:.0f} s: {len(finished)} of {planned or '?'} items finished"
                OUT.print(", ".join(filter(None, (so_far, left))))
            if watch is not None:
                watch.look()
            if not ended:
                if watch.is_stuck() if watch is not None else time.monotonic() - began > _SECONDS_TO_START:
                    _signal_group(child.pid, signal.SIGKILL)
                _wait(child)
    if watch is None and time.monotonic() - began > _SECONDS_TO_START and not events:
        raise BadInput(f"the engine did not load within {_SECONDS_TO_START:g} s; see {folder.parent / LOG}")
    return events, first


def _left(expected: ExpectedTime | None, finished: list[str], elapsed: float) -> str:
    """The time left, in words; nothing if it is not known."""
    seconds = None if expected is None else expected.left(finished, elapsed)
    return "" if seconds is None else f"{about(seconds)} left"


def _print_first_failure(item: str, number: str, failure: str) -> None:
    OUT.print(f"First difference, in {escape(item)}: {escape(number)}", soft_wrap=True)
    OUT.print(f"{lines(failure, _LONGEST_FAILURE)}\n", soft_wrap=True)


def _in_short(text: str) -> tuple[str, str]:
    """Return the number of failing scenarios of an item and its smallest failure. The scenario as JSON and
    the replay command are removed: they are of use only after the run."""
    said, _, failure = text.partition("\n")
    for rest in ("\n\n", "\nReplay: "):
        failure = failure.partition(rest)[0]
    return said, failure or said


def _wait(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return
