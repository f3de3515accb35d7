"""Format rows, keys and states of a processor as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from .playing.played import TimerChange
from .playing.trace import Key
from .processor_under_test import ProcessorUnderTest


def key_text(subject: ProcessorUnderTest, key: Key) -> str:
    """Return a key as text, with the names of its columns."""
    return " ".join(f"{name}={value_text(value)}" for name, value in zip(subject.keys, key, strict=True))


def time_text(subject: ProcessorUnderTest, ms: int) -> str:
    """Return a time as text in the form of the user's rows: a timestamp, or a number of ms."""
    if subject.has_numbers_as_times:
        return str(ms)
    return (datetime(1970, 1, 1) + timedelta(milliseconds=ms)).isoformat(sep=" ")


def clock_text(subject: ProcessorUnderTest, ms: int) -> str:
    """Return a time as short text: a timestamp without its date, or a number of ms."""
    if subject.has_numbers_as_times:
        return str(ms)
    return (datetime(1970, 1, 1) + timedelta(milliseconds=ms)).time().isoformat(timespec="milliseconds")


def timers_text(subject: ProcessorUnderTest, changes: Sequence[TimerChange]) -> str:
    """Return changes of timers of one key as text: "deleted at 90000; set at 120000, 150000"."""
    times: dict[str, list[str]] = {}
    for change in changes:
        times.setdefault(change.what, []).append(time_text(subject, change.timer))
    return "; ".join(f"{what} at {', '.join(dict.fromkeys(several))}" for what, several in times.items())


def when_text(subject: ProcessorUnderTest, now: int) -> str:
    """Return text for the watermark or the processing time `now` (ms); empty in time mode None."""
    if subject.mode == "None":
        return ""
    if subject.mode == "EventTime" and not now:
        return " before the first watermark"
    clock = "watermark" if subject.mode == "EventTime" else "time"
    return f" at the {clock} {time_text(subject, now)}"


def row_text(row: Mapping[str, Any]) -> str:
    """Return a row as text, with the names of its columns."""
    columns = [f"{name}={'null' if value is None else value_text(value)}" for name, value in row.items()]
    return f"({' '.join(columns)})"


def state_text(states: Mapping[str, Any]) -> str:
    """Return states as text, with their names."""
    return ", ".join(f"{name} = {_state(value)}" for name, value in states.items())


def _state(value: Any) -> str:
    if isinstance(value, dict):
        entries = (f"{_state(where)}: {_state(entry)}" for where, entry in list(value.items())[:3])
        return "{" + ", ".join(entries) + (", ..." if len(value) > 3 else "") + "}"
    if isinstance(value, tuple) and len(value) == 1:
        return value_text(value[0])
    return value_text(value)


def value_text(value: Any) -> str:
    """Return a value as text in the form in which a user would write it."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(value, date | Decimal):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(entry)}" for name, entry in value.items()) + "}"
    return value if isinstance(value, str) else repr(value)


def lines_text(lines: Sequence[int]) -> str:
    """Lines of a file, those that follow one another together: "lines 3, 7-9"."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(texts)}"
