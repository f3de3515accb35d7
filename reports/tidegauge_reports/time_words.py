"""Spans as people say them, in milliseconds, and the moments of a document."""

from dataclasses import dataclass
from datetime import UTC, datetime

_YEAR = 31_557_600_000


@dataclass(frozen=True)
class Unit:
    """A unit of time and its length in ms."""

    name: str
    length: float


_UNITS = (
    Unit("ms", 1),
    Unit("s", 1_000),
    Unit("min", 60_000),
    Unit("h", 3_600_000),
    Unit("days", 86_400_000),
    Unit("years", _YEAR),
    Unit("million years", _YEAR * 1e6),
)


def unit_for(span: float) -> Unit:
    """The unit in which a span, and points within it, read well: seconds from 1 s to 10 min."""
    fitting = [unit for unit in _UNITS if span >= (unit.length if unit.name == "s" else 10 * unit.length)]
    return fitting[-1] if fitting else _UNITS[0]


def time_words(time: float) -> str:
    """A time in its unit, with one decimal place if it needs one: `3.3 s`, `30 s`, `73.1 million years`."""
    unit = unit_for(abs(time))
    text = f"{time / unit.length:,.1f}".removesuffix(".0")
    return f"{text} {unit.name}".replace("-", "−")


def moment_of(text: str) -> datetime | None:
    """Return the moment that a text in ISO 8601 names, in UTC; None if it names none.

    A time without a zone is UTC, so that the same results give the same page on every machine.
    """
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
