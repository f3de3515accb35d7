"""A temporary folder that does not outlive its process for long, however the process ends."""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "tidegauge-spark-"
_MEMORY = Path("/dev/shm")  # a checkpoint on disk costs 60 ms more each micro-batch
_MEMORY_WANTED = 1 << 30
_LOCK = ".lock"


class TemporaryFolder:
    """A folder of this process, in memory if there is room, or in `parent`.

    It is locked as long as the process lives. What processes that were killed left behind is removed when
    the next folder is made.
    """

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or _parent()
        for abandoned in parent.glob(f"{_PREFIX}*"):
            _remove_abandoned(abandoned)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def subfolder(self, prefix: str) -> Path:
        """A new, empty folder in it."""
        return Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=self.path))

    def remove(self) -> None:
        """Remove it with all it holds."""
        os.close(self._lock)
        shutil.rmtree(self.path, ignore_errors=True)


def _parent() -> Path:
    try:
        if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _MEMORY_WANTED:
            return _MEMORY
    except OSError:
        pass
    return Path(tempfile.gettempdir())


def _remove_abandoned(folder: Path) -> None:
    """Remove a folder whose process is gone, that is whose lock is free; ours only."""
    try:
        if folder.stat().st_uid != os.getuid():
            return
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return  # another's, or just being made
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return
    finally:
        os.close(lock)
