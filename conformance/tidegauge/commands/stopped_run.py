"""Runs that a signal has stopped: the reports of the judged items, and the command that continues the run."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from ..engine.parent_death import ending_with_parent
from ..engine.process_tree import kill_group
from ..run.journal import Finished, JournalReader, Started
from ..run.run_folder import RunFolder
from .console import complain
from .stop_signals import StopSignal

_RESUME = "--resume"


def show_stopped_run(stop: StopSignal, folder: RunFolder, reports: Iterable[str], as_json: bool) -> None:
    """Write the reports of the judged items, and print how to continue as the last line.

    A separate process writes the reports, and is killed at the deadline. A long journal takes longer; the
    last line then names the command `tidegauge report`, which writes them.

    Args:
        stop: the signal.
        folder: the folder of the run.
        reports: the names of the reports that the user has requested.
        as_json: whether the results of the judged items are printed as JSON.
    """
    if not folder.has_started():
        shutil.rmtree(folder.path, ignore_errors=True)
        complain(f"stopped by {stop.number.name} before the run began; nothing is judged")
        return
    with suppress(OSError):  # on a full disk, the journal stays where it is
        folder.copy_out()
    events = JournalReader(folder.path).new_events()
    planned = sum(len(event.planned) for event in events if isinstance(event, Started))
    finished = len({event.item for event in events if isinstance(event, Finished)})
    report = ["tidegauge", "report", str(folder.out)]
    asked = [argument for name in reports for argument in ("--report", name)]
    form = ["--json"] if as_json else []
    is_written = _ends_before(stop.deadline, [sys.executable, "-m", *report, *asked, *form])
    remedy = "" if is_written else f"write their reports: {shlex.join(report)}; "
    complain(
        f"stopped by {stop.number.name}; {finished} of {planned} items are judged; {remedy}"
        f"continue: {resuming_command()}"
    )


def show_full_disk(error: OSError, folder: RunFolder) -> None:
    """Print which file could not be written, and how to continue."""
    what = f"{error.filename or folder.out} cannot be written: {error.strerror}"
    if folder.has_started():
        complain(f"{what}; make space, and continue: {resuming_command()}")
    else:
        shutil.rmtree(folder.path, ignore_errors=True)
        complain(f"{what}; nothing is judged yet: make space, or choose another --out")


def resuming_command() -> str:
    """Return the command line of this process, with `--resume`."""
    given = sys.argv[1:]
    return shlex.join(["tidegauge", *given, *([] if _RESUME in given else [_RESUME])])


def _ends_before(deadline: float, command: Sequence[str]) -> bool:
    """Run a command, and kill it with its children at the deadline. Return whether it completed."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=ending_with_parent()
    ) as child:
        try:
            child.wait(deadline - time.monotonic())
        except subprocess.TimeoutExpired:
            return False
        finally:
            if child.poll() is None:  # not yet reaped, so that no other process has its id
                kill_group(child)
    return child.returncode in (0, 1, 3)
