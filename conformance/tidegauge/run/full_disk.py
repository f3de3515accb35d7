"""A disk that takes no more: no fault of the input, and no verdict; a run continues once there is space."""

import errno
from pathlib import Path

NUMBERS = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS))
"""What is raised where a disk is full, a quota or a limit is reached, or a disk has failed."""

_ENOUGH = bytes(1 << 16)


def is_full_disk(error: OSError) -> bool:
    """Return whether a file could not be written because of its disk."""
    return error.errno in NUMBERS


def check_disk(folder: Path) -> None:
    """Write some bytes into a folder, and remove them. Raises `OSError` if the disk does not take them."""
    file = folder / "space"
    try:
        file.write_bytes(_ENOUGH)
    finally:
        file.unlink(missing_ok=True)
