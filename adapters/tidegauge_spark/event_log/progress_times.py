"""Times as the progress of a query has them."""

from __future__ import annotations

from datetime import datetime


def milliseconds_of(text: str) -> int:
    """Return a time of a progress, such as "2026-01-01T00:00:00.000Z", in ms since 1970."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)
