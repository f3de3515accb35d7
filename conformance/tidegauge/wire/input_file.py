"""Reads the input of users: regular files and streams of a size that fits into memory."""

import errno
import stat
from pathlib import Path
from typing import BinaryIO

_MIB = 1 << 20

MOST_BYTES = 64 * _MIB
"""The maximum size of a document. The largest document of a run has a tenth of it."""

MOST_BYTES_BY_HAND = _MIB
"""The maximum size of a document that people write, such as a profile."""

_KINDS = {
    stat.S_IFIFO: "a FIFO, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
    stat.S_IFDIR: "a folder, not a file",
}


def read_input(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: if the path does not name a regular file, if the file is larger than `most_bytes`, or if it
            cannot be read. `strerror` is the reason, worded to follow "cannot be read: ".
    """
    check_input(path, most_bytes)
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)  # files of /proc report the size 0
    if len(content) > most_bytes:
        raise _too_large(path, most_bytes)
    return content


def read_input_text(path: Path) -> str:
    """Return the text of a document that people write, without a byte order mark. Raises the errors of
    `read_input`, and `UnicodeDecodeError`."""
    return read_input(path, MOST_BYTES_BY_HAND).decode("utf-8-sig").replace("\r\n", "\n")


def check_input(path: Path, most_bytes: int) -> int:
    """Return the size of a file that a library is going to read (bytes). Raises the errors of
    `read_input`."""
    found = path.stat()
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        number = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise OSError(number, _KINDS.get(kind, "not a file"), str(path))
    if found.st_size > most_bytes:
        raise _too_large(path, most_bytes)
    return found.st_size


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return the content of a stream. Raises `OSError` if it is larger than `MOST_BYTES`."""
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _too_large(Path(name), MOST_BYTES)
    return content


def _too_large(path: Path, most_bytes: int) -> OSError:
    return OSError(errno.EFBIG, f"larger than {most_bytes // _MIB} MiB", str(path))
