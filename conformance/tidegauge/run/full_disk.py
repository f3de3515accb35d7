"""Full disks: neither bad input nor an error of the engine. A run continues once there is space."""

import errno
from pathlib import Path

NUMBERS = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS))
"""The errors of a full disk, of a quota or size limit that is reached, and of a disk that has failed."""

_ENOUGH = bytes(1 << 16)


def is_full_disk(error: OSError) -> bool:
    """Return whether a file could not be written because of its disk."""
    return error.errno in NUMBERS


def check_disk(folder: Path) -> None:
    """Write some bytes into a folder, and remove them. Raises `OSError` if they cannot be written."""
    file = folder / "space"
    try:
        file.write_bytes(_ENOUGH)
    finally:
        file.unlink(missing_ok=True)
