"""What the last run left in an output folder, until the next one takes its place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..wire.results import FILE_NAME as RESULTS
from ..wire.scenario import BadInput
from .counterexamples import COUNTEREXAMPLES
from .journal import FILE_NAME as JOURNAL
from .watch import KILLED, RUNNING


@contextmanager
def last_run_set_aside(folder: Path, log: str) -> Iterator[Callable[[], None]]:
    """Make the output folder, and set aside the results, the journal and the counterexamples of the last run.

    Yields a function that removes them. The caller calls it once the next run has started. If the next run
    never starts, because the name of its adapter is misspelled for example, they are put back.

    `log` is a file in the folder that is emptied. Raises `BadInput` if the folder cannot be written.
    """
    with _complaining(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / log).write_bytes(b"")
        for path in [one for name in (RUNNING, KILLED, "refused-") for one in folder.glob(f"{name}*")]:
            path.unlink()
        aside = TemporaryDirectory(prefix=".last-run-", dir=folder)
    try:
        with _complaining(folder):
            _move(folder, Path(aside.name))
        yield aside.cleanup
    finally:
        if Path(aside.name).is_dir():
            _move(Path(aside.name), folder)
            aside.cleanup()


@contextmanager
def _complaining(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = f"output folder {folder} cannot be written: {error.strerror}"
        raise BadInput(f"{problem}; choose another") from None


def _move(source: Path, target: Path) -> None:
    """Move what a run leaves. Raises `OSError`, also if a folder has the name of such a file."""
    files = [source / JOURNAL, *source.glob(f"{RESULTS}*"), *source.glob(f"{COUNTEREXAMPLES}/*.jsonl")]
    for file in files:
        if file.is_dir():
            raise IsADirectoryError(0, f"{file.name} is a folder")
    for file in filter(Path.exists, files):
        place = target / file.relative_to(source)
        place.parent.mkdir(exist_ok=True)
        file.replace(place)
