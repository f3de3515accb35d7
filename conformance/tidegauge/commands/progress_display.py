"""The progress of a command on stderr: a bar in a terminal, a line now and then, or JSON."""

import sys
import time
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Annotated, Self

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ..run.expected_time import about
from ..run.progress import Progress
from .console import ERR
from .terminal_text import inline

_SECONDS_BETWEEN_LINES = 20.0


class ProgressForm(StrEnum):
    """How progress is shown. `auto` is a bar in a terminal, and else `plain`, or nothing with `--quiet`."""

    AUTO = "auto"
    PLAIN = "plain"
    JSON = "json"
    NONE = "none"


ShownProgress = Annotated[
    ProgressForm,
    typer.Option(
        "--progress",
        envvar="TIDEGAUGE_PROGRESS",
        help="How progress is shown on stderr: `auto` (a bar in a terminal, else a line now and then), "
        "`plain`, `json` (an object a line), or `none`.",
    ),
]


class ProgressDisplay:
    """Shows progress while it is open. It has no thread: a process with threads cannot fork safely, and the
    diagnosis runs in forks."""

    def __init__(self, form: ProgressForm, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        plain_in_short = form is ProgressForm.AUTO and quiet
        self._has_bar = form is ProgressForm.AUTO and ERR.is_terminal
        self._has_lines = not self._has_bar and form is not ProgressForm.NONE and not plain_in_short
        self._is_json = form is ProgressForm.JSON
        self._clock, self._printed_at = clock, clock()
        self._printed: Progress | None = None
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
        self._bar = Bar(
            TextColumn("{task.description}"),
            *columns,
            console=ERR,
            transient=True,
            auto_refresh=False,
            disable=not self._has_bar,
        )
        self._task = self._bar.add_task("starting", total=None, left="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show the progress, if an update is due."""
        if self._has_bar:
            self._bar.update(
                self._task,
                description=inline(" ".join(filter(None, (progress.phase, progress.doing)))),
                completed=progress.done,
                total=progress.total,
                left=time_left(progress),
                refresh=True,
            )
        elif self._has_lines and self._is_due(progress):
            self._printed, self._printed_at = progress, self._clock()
            if self._is_json:
                print(msgspec.json.encode(progress).decode(), file=sys.stderr, flush=True)
            else:
                ERR.print(inline(sentence(progress)), soft_wrap=True)

    def _is_due(self, progress: Progress) -> bool:
        is_late = self._clock() - self._printed_at > _SECONDS_BETWEEN_LINES
        return is_late or (self._is_json and _place(progress) != _place(self._printed))


def _place(progress: Progress | None) -> tuple[object, ...]:
    return () if progress is None else (progress.phase, progress.done, progress.total)


def sentence(progress: Progress) -> str:
    """Return the progress in words: `40 s: shrinking valve-scale, 15 of 17 items finished, about 10 s
    left`."""
    unit = progress.unit if progress.total == 1 else f"{progress.unit}s"
    total = "?" if progress.total is None else f"{progress.total:,}"
    parts = (
        f"{progress.phase} {progress.doing}".strip(),
        f"{progress.done:,} of {total} {unit} finished",
        time_left(progress),
    )
    return f"{progress.elapsed_s} s: {', '.join(filter(None, parts))}"


def time_left(progress: Progress) -> str:
    """Return the time left in words; an empty text without an estimate."""
    return "" if progress.seconds_left is None else f"{about(progress.seconds_left)} left"
