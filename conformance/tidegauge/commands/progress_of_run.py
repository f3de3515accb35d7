"""The progress of a run, shown from its journal."""

import time
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..run.expected_time import ExpectedTime, about
from ..run.journal import Finished, JournalReader
from ..run.workers import RunningItems
from ..words.numbers import counted
from .console import ERR, OUT
from .terminal_text import inline, line, lines

_LONGEST_FAILURE = 1500
_POLL_SECONDS = 0.25
_SECONDS_BETWEEN_LINES = 20.0


def followed(running: RunningItems, folder: Path, fail_fast: bool, quiet: bool) -> str:
    """Follow a run by its journal, and show its progress: a bar, or in a log a line now and then.
    The first failure is shown as soon as it is there.

    Args:
        running: the items under way.
        folder: the folder of the journal.
        fail_fast: whether the first failure stops the run.
        quiet: whether nothing but the bar is shown.

    Returns:
        the first failure as it was shown, empty if none was.
    """
    reader = JournalReader(folder)
    finished: list[str] = []
    started = running.begun.started
    expected = ExpectedTime(started.planned, started.implementation)
    began = said = time.monotonic()
    name, left_of_it = TextColumn("{task.description}"), TextColumn("{task.fields[left]}")
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), left_of_it)
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as progress:
        task = progress.add_task(line(started.implementation.name), total=len(started.planned), left="")
        if expected.total is not None and not quiet:
            items = counted(len(started.planned), "item")
            OUT.print(f"{items}: {about(expected.total)} on two free cores")
        ended, first = False, ""
        while not ended:
            ended = running.are_over(_POLL_SECONDS)
            for event in reader.new_events():
                if isinstance(event, Finished):
                    finished.append(event.item)
                    progress.update(task, advance=1, description=event.item)
                    if event.outcome == "failed" and not first:
                        number, first = _in_short(event.text)
                        if not quiet:
                            _print_first_failure(event.item, number, first)
                        if fail_fast:
                            running.stop()
            left = _left(expected, finished, time.monotonic() - began)
            progress.update(task, left=left)
            if progress.disable and not quiet and time.monotonic() - said > _SECONDS_BETWEEN_LINES:
                said = time.monotonic()
                so_far = f"{said - began:.0f} s: {len(finished)} of {len(started.planned)} items finished"
                OUT.print(", ".join(filter(None, (so_far, left))))
    return first


def _left(expected: ExpectedTime, finished: list[str], elapsed: float) -> str:
    """The time left, in words; nothing if it is not known."""
    seconds = expected.left(finished, elapsed)
    return "" if seconds is None else f"{about(seconds)} left"


def _print_first_failure(item: str, number: str, failure: str) -> None:
    OUT.print(f"First difference, in {inline(item)}: {inline(number)}", soft_wrap=True)
    OUT.print(f"{lines(failure, _LONGEST_FAILURE)}\n", soft_wrap=True)


def _in_short(text: str) -> tuple[str, str]:
    """Return the number of failing scenarios of an item and its smallest failure. The scenario as JSON and
    the replay command are removed: they are of use only after the run."""
    said, _, failure = text.partition("\n")
    for rest in ("\n\n", "\nReplay: "):
        failure = failure.partition(rest)[0]
    return said, failure or said
