"""Times and spans of an event log, in milliseconds, as text."""

from datetime import UTC, datetime

from ..wire.timestamps import MAX, MIN

_FIRST_DATE = 10**11
"""Greater numbers of ms are shown as a date (since March 1973)."""

_LAST_DATE = 253402300799999


def time_text(milliseconds: int) -> str:
    """Return a time as text: `4500 ms`, `MAX`, `2023-11-14 22:13:20.000`."""
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
