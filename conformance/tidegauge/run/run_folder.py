"""Where a run writes: a hidden folder in the output folder; in the end its files replace the last run's.

So nothing of the last run is lost to one that never starts, and a killed run leaves all that it has judged.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ..wire.input_file import MOST_BYTES
from ..wire.results import FILE_NAME as RESULTS
from ..wire.scenario import BadInput
from .counterexamples import COUNTEREXAMPLES
from .journal import FILE_NAME as JOURNAL
from .journal import Finished, JournalReader
from .own_folder import WHOLE, Sign, complaining, is_own, own_folder, record

LOG = "engine.log"
"""The file that receives the output of the engine."""

_HIDDEN = ".run-"
_OF_A_RUN = re.compile(r"\.run-\d{8}T\d{12}")
"""The pattern of the names of hidden folders."""

_STARTED = b'{"event":"started"'
"""Begins the journal of a run that has started."""

RUN = Sign(JOURNAL, b'{"event":')

_RESUMED = "resumed.json"
"""The items that had come to their end when a run was killed that is resumed."""


class RunFolder:
    """The output folder of a run, and the folder `path` in it in which the run writes until its end."""

    def __init__(self, out: Path, path: Path) -> None:
        self.out, self.path = out, path

    def has_started(self) -> bool:
        """Return whether the run can be resumed."""
        return _has_started(self.path / JOURNAL)

    def take_place(self) -> None:
        """Put the journal and the log of this run in the place of the last one's. From now on the run cannot
        be resumed: its results are written."""
        with complaining(self.out):
            self._bring_out(Path.replace)
            for path in _hidden_in(self.out):
                shutil.rmtree(path)

    def copy_out(self) -> None:
        """Put copies of them there: this run was killed, and can still be resumed."""
        with complaining(self.out):
            self._bring_out(shutil.copyfile)

    def _bring_out(self, bring: Callable[[Path, Path], Path]) -> None:
        _of_a_run(self.out)
        record(self.out, (JOURNAL, LOG))
        for name in (JOURNAL, LOG):
            if (self.path / name).exists():
                bring(self.path / name, self.out / name)

    def keep_log(self) -> None:
        """Put the log alone in the place of the last run's."""
        with complaining(self.out):
            record(self.out, [LOG])
            (self.path / LOG).replace(self.out / LOG)


def remove_old_counterexamples(out: Path) -> None:
    """Remove the counterexamples that the results in `out` do not name: they are of runs before."""
    with complaining(out):
        document = (out / RESULTS).read_bytes()
        for file in out.glob(f"{COUNTEREXAMPLES}/*.jsonl"):
            name = file.relative_to(out).as_posix()
            if is_own(out, name) and msgspec.json.encode(name) not in document:
                file.unlink()


@contextmanager
def run_folder(out: Path, resume: bool, force: bool = False) -> Iterator[RunFolder]:
    """A new folder in `out` for a run, or to `resume` that of the newest one that was killed. Of a run that
    is refused (`BadInput`) only the log is kept.

    Raises `BadInput` if `out` cannot be written, if another run writes into it, if it has files of others
    (unless `force` is given), or if no run can be resumed.
    """
    if resume and not out.exists():
        raise _nothing_to_resume(out)
    with complaining(out):
        out.mkdir(parents=True, exist_ok=True)
        place = os.open(out, os.O_RDONLY)
    try:
        _lock(place, out)
        if resume:
            yield _resumed(out)
            return
        own_folder(out, RUN, force=force)
        with complaining(out):
            _of_a_run(out)  # what cannot be replaced is told before the run
            now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
            folder = RunFolder(out, out / f"{_HIDDEN}{now}")
            folder.path.mkdir()
        try:
            yield folder
        except BadInput:
            if (folder.path / LOG).exists():
                folder.keep_log()
            if not folder.has_started():
                shutil.rmtree(folder.path, ignore_errors=True)
            raise
    finally:
        os.close(place)


def finished_before(folder: Path) -> frozenset[str] | None:
    """The items of a resumed run that had come to their end before; None of a run that is new."""
    file = folder / _RESUMED
    return frozenset(msgspec.json.decode(file.read_bytes(), type=list[str])) if file.is_file() else None


def _nothing_to_resume(out: Path) -> BadInput:
    return BadInput(f"{out} holds no run that was killed; leave --resume out")


def _resumed(out: Path) -> RunFolder:
    """The folder of the run that was killed, with a journal that ends with a whole line."""
    left = _left_in(out)
    if not left:
        raise _nothing_to_resume(out)
    if not is_own(out, WHOLE):
        own_folder(out, RUN, force=True)  # a version without markers may have begun the run
    folder = left[-1]
    finished = [event.item for event in JournalReader(folder).new_events() if isinstance(event, Finished)]
    with complaining(out):
        os.truncate(folder / JOURNAL, (folder / JOURNAL).read_bytes().rfind(b"\n") + 1)
        (folder / _RESUMED).write_bytes(msgspec.json.encode(finished))
    return RunFolder(out, folder)


def killed_run(out: Path) -> RunFolder | None:
    """The newest run in `out` that was killed before its end; None if there is none, or one is under way."""
    left = _left_in(out)
    if not left:
        return None
    place = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    finally:
        os.close(place)
    return RunFolder(out, left[-1])


def _lock(place: int, out: Path) -> None:
    with suppress(OSError):  # a file system without locks has none
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                f"another run writes into {out}; wait for its end, or choose another --out"
            ) from None


def _left_in(out: Path) -> list[Path]:
    """The folders of runs that began, and did not end, the oldest first."""
    return [path for path in _hidden_in(out) if _has_started(path / JOURNAL)]


def _hidden_in(out: Path) -> list[Path]:
    """Return the hidden folders of runs, oldest first."""
    return [path for path in sorted(out.glob(f"{_HIDDEN}*")) if _OF_A_RUN.fullmatch(path.name)]


def _has_started(journal: Path) -> bool:
    """Whether a run has judged something, or could have: one that is killed before that leaves nothing."""
    if not journal.is_file():
        return False
    with journal.open("rb") as file:
        first = file.readline(MOST_BYTES)
    return first.startswith(_STARTED) and first.endswith(b"\n")


def _of_a_run(folder: Path) -> list[Path]:
    """The files that a run leaves. Raises `OSError`, also if a folder has the name of one."""
    if (folder / COUNTEREXAMPLES).exists() and not (folder / COUNTEREXAMPLES).is_dir():
        raise NotADirectoryError(0, f"{COUNTEREXAMPLES} is no folder")
    files = [folder / JOURNAL, *folder.glob(f"{RESULTS}*"), *folder.glob(f"{COUNTEREXAMPLES}/*.jsonl")]
    for file in files:
        if file.is_dir():
            raise IsADirectoryError(0, f"{file.name} is a folder")
    return [file for file in files if file.exists()]
