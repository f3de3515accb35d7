"""The folders that the kit writes into. A marker in a folder lists the files in it that are the kit's.

Files of others are left alone unless the user forces the kit to replace them.
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
"""The entry of a folder into which runs write."""

FORCE = "choose another --out, or replace files of others with --force"
"""The remedy of commands."""


class Sign(NamedTuple):
    """A file of the kit: its name, and how it begins."""

    name: str
    beginning: bytes

    def is_in(self, folder: Path) -> bool:
        """Return whether the file is in a folder."""
        path = folder / self.name
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(self.beginning)) == self.beginning


def own_folder(out: Path, sign: Sign | None = None, *, force: bool = False, remedy: str = FORCE) -> None:
    """Make a folder for results, or take one that exists. Its hidden files are never written, and do not
    count.

    Args:
        out: the folder.
        sign: a file that a version without markers left in its folders.
        force: whether the folder, and its files, may be those of others.
        remedy: what to do if the folder is refused.

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
    """Make a folder for these files, or take one that exists. Other files in it do not matter.

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
    """Name the file in an error of the block: where a disk is full, Python names none."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def is_own(out: Path, name: str) -> bool:
    """Return whether the kit has written a file, by its path in the folder."""
    return name in _marker(out).split("\n")


def record(out: Path, names: Iterable[str]) -> None:
    """Say that files are the kit's, before they are written."""
    text = _marker(out)
    known = text.split("\n")
    new = [name for name in names if name not in known and "\n" not in name]
    if new:
        cut_off = "\n" if text and not text.endswith("\n") else ""  # on a full disk
        lines = [*([] if text else [_FIRST_LINE]), *new]
        with (
            naming(out / MARKER),
            (out / MARKER).open("a", encoding="utf-8", errors="surrogateescape") as file,
        ):
            file.write(cut_off + "".join(f"{line}\n" for line in lines))


def write_own(out: Path, name: str, content: bytes) -> Path:
    """Write a file of the kit, whole or not at all; its path."""
    record(out, [name])
    path = out / name
    partial = path.with_name(f"{path.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with naming(path):
            partial.write_bytes(content)
            partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # on a full disk it would take the space of what comes next
        raise
    return path


def _marker(out: Path) -> str:
    if not (out / MARKER).is_file():
        return ""
    return read_input(out / MARKER).decode("utf-8", "surrogateescape")


@contextmanager
def complaining(folder: Path) -> Iterator[None]:
    """What goes wrong with files is bad input, but for a full disk."""
    try:
        yield
    except OSError as error:
        if is_full_disk(error):
            raise
        problem = f"output folder {folder} cannot be written: {error.strerror}"
        raise BadInput(f"{problem}; choose another") from None
