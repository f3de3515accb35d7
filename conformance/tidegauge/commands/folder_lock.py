"""A lock for commands that read the user's own folder and then write into it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..run.own_folder import complaining


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other commands while the block runs. Wait until no other command has the lock.

    The lock is on the folder itself, so that no file is left behind. A folder that does not exist is made,
    and removed again if nothing was written into it. Raises `BadInput` if the folder cannot be written.
    """
    with complaining(folder):
        place, is_new = _opened(folder)
    try:
        yield
    finally:
        if is_new:
            with suppress(OSError):  # the folder is not empty
                folder.rmdir()
        os.close(place)


def _opened(folder: Path) -> tuple[int, bool]:
    """Return the descriptor of the folder, with the lock, and whether the folder is new."""
    while True:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        place = os.open(folder, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks has none
            fcntl.flock(place, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(place), folder.stat()):
                return place, is_new
        os.close(place)  # another command has removed the folder meanwhile
