"""Durations as arguments of calls: a number of milliseconds, a `timedelta`, a text such as "30 seconds"."""

from __future__ import annotations

from datetime import timedelta

from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX

Duration = int | str | timedelta
"""A number is in milliseconds."""


def milliseconds_of(duration: Duration | None, name: str, at_least: int = 0) -> int:
    """Return a duration, called `name` in messages, in ms.

    Raises `IllegalArgumentError` for a duration that is missing, shorter than `at_least` (ms), longer than 64
    bits of ms or not a whole number of ms (GEN-15).
    """
    milliseconds = _whole_milliseconds(duration, name)
    if not at_least <= milliseconds <= MAX:
        raise IllegalArgumentError(f"{name} is {at_least} to {MAX} ms, not {milliseconds}")
    return milliseconds


def _whole_milliseconds(duration: Duration | None, name: str) -> int:
    if isinstance(duration, str):
        try:
            return parse_duration(duration)
        except ValueError as error:
            raise IllegalArgumentError(f"{name} {duration!r} {error}") from None
    if isinstance(duration, timedelta):
        milliseconds, rest = divmod(duration, timedelta(milliseconds=1))
        if rest:
            raise IllegalArgumentError(f"{name} {duration} is not a whole number of milliseconds")
        return milliseconds
    if not isinstance(duration, int) or isinstance(duration, bool):
        raise IllegalArgumentError(f'{name} is a number of ms or "30 seconds", not {duration!r}')
    return duration
