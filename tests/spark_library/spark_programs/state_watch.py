"""Kills the driver while the state of an operator is being committed: when a new file of it appears."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from spark_programs.kill_points import Kill

OPERATORS: Final = {
    "the state of Spark's windows is being committed": "stateStoreSave",
    "the state of the join is being committed": "symmetricHashJoin",
    "the state of sessions is being committed": "sessionWindowStateStoreSave",
    "the state of deduplication is being committed": "dedupe",
    "the state of the valve is being committed": '"valve"',
    "the state of own windows is being committed": '"windows"',
}
"""What the metadata of an operator say, by the point that is about its state."""

LOOKS_EVERY = 0.0005
"""Seconds between two looks at the folders. The files of a commit appear within some 10 ms."""


class StateWatch(threading.Thread):
    """Looks at the state in a checkpoint, and passes the point of a kill for each file that appears.

    A commit writes several files for each partition of an operator, each under a temporary name first: what is new in
    RocksDB, and what lists it. So the kill comes before, between or after them. jvm: the process that writes, killed
    first.
    """

    def __init__(self, kill: Kill, state: Path, jvm: int) -> None:
        super().__init__(daemon=True)
        assert kill.point in OPERATORS
        self._kill, self._state, self._jvm = kill, state, jvm
        self._operator: Path | None = None

    def run(self) -> None:
        """Look until the kill is due."""
        known = self._files()
        while True:
            files = self._files()
            for _ in files - known:
                if self._kill.is_due(self._kill.point):
                    os.kill(self._jvm, signal.SIGKILL)
                    self._kill.carry_out()
            known |= files
            time.sleep(LOOKS_EVERY)

    def _files(self) -> set[str]:
        if self._operator is None:
            self._operator = self._found()
        return set() if self._operator is None else _under(self._operator)

    def _found(self) -> Path | None:
        """Return the folder of the operator, None as long as it has none."""
        for operator in self._state.glob("[0-9]*"):
            for metadata in operator.glob("_metadata/**/[!.]*"):
                with suppress(OSError):
                    if OPERATORS[self._kill.point] in metadata.read_text().replace("\\", ""):
                        return operator
        return None


def _under(folder: Path) -> set[str]:
    """The files below a folder, but those about the operator itself."""
    found: set[str] = set()
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "_metadata":
                    found |= _under(Path(entry.path))
            else:
                found.add(entry.path)
    return found
