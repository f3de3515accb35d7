"""The log of Spark's file sink, which lists the files of a folder that a streaming query has committed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tidegauge_spark.source.files.folder.listing import FoundFile
from tidegauge_spark.source.planning.broken_log import BrokenLogError

SINK_LOG: Final = "_spark_metadata"
"""The folder of the log, in the folder that the sink writes."""

_BATCH: Final = re.compile(r"([0-9]+)(\.compact)?")
_VERSION: Final = "v1"


class SinkLog:
    """The log of a sink, of which only new entries are read."""

    def __init__(self, read: Callable[[str], bytes], described: str) -> None:
        """read: returns the content of a file of the log. described: the name of the log in messages."""
        self._read, self._described = read, described
        self._known: dict[str, list[FoundFile]] = {}

    @property
    def found(self) -> bool:
        """Whether the log had entries when it was last read."""
        return bool(self._known)

    def committed(self, names: Iterable[str]) -> dict[str, FoundFile]:
        """Return the committed files, by the last part of their names.

        names: the files in the folder of the log. The name of a file in the log is its whole path, wherever
        it was when the log was written. Its modification time is taken from the log, which copies preserve.
        If that time does not increase from one entry to the next, it is increased by 1 ns: the log is in the
        order in which files were committed, also when it is compacted.
        Raises `BrokenLogError` for a log that does not have Spark's format.
        """
        batches = {int(found[1]): each for each in names if (found := _BATCH.fullmatch(each)) is not None}
        compact = [number for number, name in batches.items() if name.endswith(".compact")]
        first = max(compact, default=0)
        files: dict[str, FoundFile] = {}
        last = max(batches, default=-1)
        needed = range(first, last + 1)
        latest = 0
        for number in needed:
            if number not in batches:
                raise BrokenLogError(
                    f"the log {self._described} has no batch {number}, and has batch {last}: restore it, or "
                    f"remove {SINK_LOG} if all files of the folder are to be read"
                )
            for file in self._batch(batches[number]):
                latest = max(file.modified, latest + 1)
                files[file.name.rpartition("/")[2]] = file._replace(modified=latest)
        self._known = {batches[number]: self._known[batches[number]] for number in needed}
        return files

    def _batch(self, name: str) -> list[FoundFile]:
        if name not in self._known:
            self._known[name] = list(self._parsed(name))
        return self._known[name]

    def _parsed(self, name: str) -> Iterable[FoundFile]:
        lines = self._read(name).decode("utf-8", "replace").splitlines()
        try:
            if lines[:1] != [_VERSION]:
                raise ValueError(f"its version is {lines[:1]}, not {_VERSION}")
            for line in lines[1:]:
                entry: dict[str, Any] = json.loads(line)
                if entry["action"] != "add":
                    raise ValueError(f"the action {entry['action']!r} is not known")
                path = unquote(urlsplit(entry["path"]).path)
                yield FoundFile(path, int(entry["size"]), int(entry["modificationTime"]) * 1_000_000)
        except (ValueError, KeyError, TypeError) as error:
            raise BrokenLogError(
                f"the file {name} of the log {self._described} is not one of Spark's file sink ({error!r}): "
                f"restore it, or remove {SINK_LOG} if all files of the folder are to be read"
            ) from error
