"""The driver's report to a companion about the reader beside it: a file that each batch replaces.

The companion is planned in a Python process of the driver that sees neither the progress of its query nor the
other sources. The listener in the driver sees both.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class ReaderReport:
    """How far the reader has read in completed batches, and the event times that it has found there.

    round: the last round of the companion in these batches. at: when the last of these batches was triggered
    (ms since 1970). ends: the next offset of each partition. unread: the partitions that had more records
    when that batch was planned. maxima: the largest event time (ms) of each partition in this run of the
    query, all from before `ends`. complete: whether `maxima` covers all of these records. others: the
    smallest watermark (ms) of the other sources of the query, None if it is not known.
    """

    round: int
    at: int
    ends: Mapping[str, int]
    unread: tuple[str, ...]
    maxima: Mapping[str, int]
    complete: bool
    others: int | None

    def write(self, file: Path) -> None:
        """Replace the content of a file atomically."""
        new = file.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)), encoding="utf-8")
        os.replace(new, file)

    @classmethod
    def read(cls, file: Path) -> ReaderReport | None:
        """Return the report in a file, None if there is none."""
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return cls(**{**stored, "unread": tuple(stored["unread"])})
