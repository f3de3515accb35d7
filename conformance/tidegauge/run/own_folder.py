"""The folders that the kit writes into. A marker in each folder lists the files that the kit owns.

All other files are left alone unless the user forces the kit to replace them.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..wire.input_file import read_input
from ..wire.scenario import BadInput
from .full_disk import is_full_disk

MARKER = ".tidegauge"

_FIRST_LINE = "Tidegauge writes into this folder, and may replace or remove what is listed here."
_COUNTEREXAMPLES = "counterexamples"

WHOLE = "."
"""The entry that marks a whole folder as the kit's, for the folders of runs."""

FORCE = "choose another --out, or replace files of others with --force"
"""The remedy in the messages of commands."""


class Sign(NamedTuple):
    """A file that identifies a folder of the kit: its name, and its first bytes."""

    name: str
    beginning: bytes

    def is_in(self, folder: Path) -> bool:
        """Return whether the folder has the file."""
        path = folder / self.name
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(self.beginning)) == self.beginning


def own_folder(out: Path, sign: Sign | None = None, *, force: bool = False, remedy: str = FORCE) -> None:
    """Make a folder for results, or take an existing one. Hidden files in the folder are ignored.

    Args:
        out: the folder.
        sign: a file that identifies folders of versions without markers.
        force: whether the folder may have files of others.
        remedy: the remedy in the message if the folder is refused.

    Raises:
        BadInput: if the folder has files of others, or cannot be written.
    """
    with complaining(out):
        out.mkdir(parents=True, exist_ok=True)
        is_whole = is_own(out, WHOLE)
        if is_whole and not force:
            return
        there = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
        is_of_an_earlier_version = not is_whole and sign is not None and sign.is_in(out)
        if there and not is_of_an_earlier_version and not force:
            raise BadInput(f"{out} has files that Tidegauge did not write, such as {there[0]}: {remedy}")
        record(out, [WHOLE, *(name for name in there if (out / name).is_file())])
        if is_of_an_earlier_version:
            below = (path for path in (out / _COUNTEREXAMPLES).glob("*.jsonl"))
            record(out, [path.relative_to(out).as_posix() for path in below])


def own_files(out: Path, names: Sequence[str], *, force: bool = False) -> None:
    """Make a folder for these files, or take an existing one. Other files in the folder do not matter.

    Raises:
        BadInput: if one of the files exists and is not the kit's, or if the folder cannot be written.
    """
    with complaining(out):
        out.mkdir(parents=True, exist_ok=True)
        for name in names:
            if (out / name).exists() and not is_own(out, name) and not force:
                raise BadInput(f"Tidegauge did not write {out / name}: {FORCE}")
        record(out, names)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the path to an `OSError` of the block: Python does not name the file if a disk is full."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def is_own(out: Path, name: str) -> bool:
    """Return whether the kit has written a file. `name` is the path of the file in the folder."""
    return name in _marker(out).split("\n")


def record(out: Path, names: Iterable[str]) -> None:
    """List files as the kit's, before they are written."""
    text = _marker(out)
    known = text.split("\n")
    new = [name for name in names if name not in known and "\n" not in name]
    if new:
        cut_off = "\n" if text and not text.endswith("\n") else ""  # a full disk cut it off
        lines = [*([] if text else [_FIRST_LINE]), *new]
        with (
            naming(out / MARKER),
            (out / MARKER).open("a", encoding="utf-8", errors="surrogateescape") as file,
        ):
            file.write(cut_off + "".join(f"{line}\n" for line in lines))


def write_own(out: Path, name: str, content: bytes) -> Path:
    """Write a file of the kit, completely or not at all. Return its path."""
    record(out, [name])
    path = out / name
    partial = path.with_name(f"{path.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with naming(path):
            partial.write_bytes(content)
            partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # on a full disk, it would take the space of later files
        raise
    return path


def _marker(out: Path) -> str:
    if not (out / MARKER).is_file():
        return ""
    return read_input(out / MARKER).decode("utf-8", "surrogateescape")


@contextmanager
def complaining(folder: Path) -> Iterator[None]:
    """Report an `OSError` of the block as bad input, except for a full disk."""
    try:
        yield
    except OSError as error:
        if is_full_disk(error):
            raise
        problem = f"output folder {folder} cannot be written: {error.strerror}"
        raise BadInput(f"{problem}; choose another") from None
