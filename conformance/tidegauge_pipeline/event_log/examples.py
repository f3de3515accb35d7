"""Rows that break a property, in a sentence each."""

from datetime import UTC, datetime

import numpy as np

from tidegauge.wire.timestamps import MAX, MIN

from .counts import MOST_EXAMPLES, Example
from .properties import NAMES
from .rows import Indexes, Numbers, Rows

_FIRST_DATE = 10**11
"""Greater numbers of ms are shown as a date (since March 1973), too."""

_LAST_DATE = 253402300799999


def time_text(milliseconds: int) -> str:
    """A time: `4500 ms`, `MAX`, `2023-11-14 22:13:20.000`."""
    if milliseconds in (MIN, MAX):
        return "MIN" if milliseconds == MIN else "MAX"
    if _FIRST_DATE <= milliseconds <= _LAST_DATE:
        at = datetime.fromtimestamp(milliseconds / 1000, UTC)
        return f"{at:%Y-%m-%d %H:%M:%S}.{milliseconds % 1000:03}"
    return f"{milliseconds} ms"


def span_text(milliseconds: int) -> str:
    """Return a span of time as text: `40 ms`, `2.5 s`, `3 min 20 s`, `2 h 5 min`, `40 days`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds, minutes = milliseconds / 1000, milliseconds // 60_000
    if minutes < 1:
        return f"{seconds:g} s"
    if minutes < 60:
        return f"{minutes} min {seconds % 60:g} s"
    if minutes < 48 * 60:
        return f"{minutes // 60:,} h {minutes % 60} min"
    return f"{minutes // 1440:,} days"


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
