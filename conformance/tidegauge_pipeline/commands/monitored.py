"""`tidegauge monitor`: watch a growing log or a Flink job, and print changes of findings."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tidegauge.commands.console import ERR, OUT
from tidegauge.commands.terminal_text import inline
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.unknown_names import unknown
from tidegauge.words.numbers import counted

from ..event_log.names import FINDINGS
from ..event_log.s3_files import s3_key
from ..monitor.episodes import Change, line_of
from ..monitor.growing_log import GrowingLog
from ..monitor.row_source import RowSource
from ..monitor.watch import Watch
from .durations import milliseconds
from .flink_source import FlinkJob, followed
from .local_path import local_path

_COLOURS = {"begins": "bold yellow", "changes": "yellow", "ends": "green"}


@dataclass(frozen=True)
class Settings:
    """The options of `tidegauge monitor`, as the user writes them."""

    path: Path | None = None
    flink: FlinkJob | None = None
    every: str = "5s"
    window: str = "10m"
    is_once: bool = False
    is_json: bool = False
    fail_on: tuple[str, ...] = ()
    skips_bad_files: bool = False
    port: int | None = None
    host: str = "127.0.0.1"
    until_stdin_closes: bool = False


def monitored(settings: Settings) -> bool:
    """Watch a log or a job until the monitor ends, and print changes of findings.

    Returns whether no file was skipped and no finding of `fail_on` has begun. Raises `BadInput`.
    """
    every = milliseconds("--every", settings.every)
    window = milliseconds("--window", settings.window)
    if not every or not window:
        raise BadInput("--every and --window must be longer than 0")
    for name in settings.fail_on:
        if name not in FINDINGS and name != "any":
            raise BadInput(unknown("finding", name, FINDINGS))
    skipped: list[str] = []

    def skip(problem: str) -> None:
        skipped[:] = [*skipped[:1], problem] if skipped else [problem]
        ERR.print(f"skipped: {inline(problem)}", soft_wrap=True)

    with _source(settings, skip if settings.skips_bad_files else None) as source:
        watch = Watch(source, window, _printer(settings.is_json), _now)
        if settings.port is not None:
            _serve(watch, settings.host, settings.port)
        try:
            if settings.is_once:
                while watch.poll() or (isinstance(source, GrowingLog) and source.waits):
                    pass
            else:
                stopped = _end_of_stdin() if settings.until_stdin_closes else threading.Event()
                watch.follow(every / 1000, stopped)
        except KeyboardInterrupt:
            pass  # the usual end of a monitor
    _summarize(watch)
    failing = set(FINDINGS) if "any" in settings.fail_on else set(settings.fail_on)
    return not skipped and not failing & watch.begun.keys()


def _source(settings: Settings, skip: Callable[[str], None] | None) -> AbstractContextManager[RowSource]:
    path, flink = settings.path, settings.flink
    if flink is not None:
        if path is not None or settings.is_once:
            raise BadInput("--flink goes neither with PATH nor with --once")
        return followed(flink)
    if path is None:
        raise BadInput("name the event log to follow, or a JobManager with --flink URL")
    local = path if s3_key(path) is not None else local_path("PATH", path)
    return nullcontext(GrowingLog(local, skip))


def _now() -> int:
    return time.time_ns() // 1_000_000


def _printer(is_json: bool) -> Callable[[Change], None]:
    def print_json(change: Change) -> None:
        sys.stdout.write(msgspec.json.encode(change).decode() + "\n")
        sys.stdout.flush()

    def print_line(change: Change) -> None:
        OUT.print(inline(line_of(change)), style=_COLOURS[change.event], soft_wrap=True)

    return print_json if is_json else print_line


def _serve(watch: Watch, host: str, port: int) -> None:
    try:
        from ..monitor.metrics import serve
    except ModuleNotFoundError as missing:
        raise BadInput("--prometheus needs prometheus-client: pip install 'tidegauge[monitor]'") from missing
    ERR.print(f"metrics: http://{host}:{serve(watch, host, port)}/metrics", soft_wrap=True)


def _end_of_stdin() -> threading.Event:
    """Return an event that is set when stdin is closed, for example because its writer was killed."""
    closed = threading.Event()

    def read() -> None:
        while sys.stdin.buffer.read(1 << 16):
            pass
        closed.set()

    threading.Thread(target=read, name="end-of-stdin", daemon=True).start()
    return closed


def _summarize(watch: Watch) -> None:
    begun = ", ".join(f"{name} {number} x" for name, number in sorted(watch.begun.items()))
    verb = "has" if len(watch.episodes) == 1 else "have"
    lasting = f"; {len(watch.episodes)} {verb} not ended" if watch.episodes else ""
    ERR.print(
        f"{counted(watch.rows, 'row')} of {counted(len(watch.folds.subtasks), 'subtask')}; "
        f"findings: {begun or 'none'}{lasting}",
        soft_wrap=True,
    )
