"""Rows that break a property, in a sentence each."""

import numpy as np

from tidegauge.words.log_times import span_text, time_text

from .counts import MOST_EXAMPLES, Example
from .properties import NAMES
from .rows import Indexes, Numbers, Rows


def examples_of(
    rows: Rows,
    some: Indexes,
    says: str,
    because: Indexes | None = None,
    far: Numbers | None = None,
) -> list[Example]:
    """The first of some rows by processing time. `says` is the name of a property, or a sentence with
    `{this}`."""
    first = np.argsort(rows.processing_time[some], kind="stable")[:MOST_EXAMPLES]
    sentence = NAMES[says].says if says in NAMES else says
    return [
        _example(
            rows,
            int(some[place]),
            sentence,
            -1 if because is None else int(because[place]),
            0 if far is None else int(far[place]),
        )
        for place in first
    ]


def _example(rows: Rows, index: int, sentence: str, because: int, far: int) -> Example:
    row = rows.table.slice(index, 1).to_pylist()[0]
    other = rows.table.slice(because, 1).to_pylist()[0] if because >= 0 else {}
    said = sentence.format(
        this=_event_time(row),
        other=_event_time(other),
        kind=row["kind"],
        far=span_text(far) if far else "far",
        part=other.get("split") or other.get("channel", "?"),
    )
    return Example(row["processing_time"], row["subtask"], row["sequence"], said, other.get("sequence"))


def _event_time(row: dict[str, object]) -> str:
    at = row.get("event_time")
    return time_text(at) if isinstance(at, int) else "no event time"
