"""Timestamps as times of a day, where all of a history are: 11:45 instead of 42300000."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidegauge.wire.timestamps import MAX, MIN

from ..time_words import time_words
from .geometry import timestamps_of
from .history import Answer, History, Mark, TimePassed

_HOUR, _DAY = 3_600_000, 86_400_000
_DURATION = re.compile(r"\b([0-9][0-9,]*) ms")
_NUMBER = re.compile(r"\b[0-9]+\b")


def with_clock_times(history: History) -> History:
    """The history with its timestamps as times of a day (UTC) in all labels that are a timestamp, if each of
    them, in ms, is one between 01:00 and 24:00; otherwise the history as it is."""
    times = [time for time in set(timestamps_of(history)) if time not in (MIN, MAX)]
    if not times or not all(_HOUR <= time < _DAY for time in times):
        return history
    words = {str(time): clock_words(time) for time in times}
    for lane in history.lanes:
        lane.marks[:] = [_renamed(mark, words) for mark in lane.marks]
    return replace(
        history,
        clock=tuple(map(_with_duration, history.clock)),
        passed={column: _passed(passed) for column, passed in history.passed.items()},
        expected=_answer(history.expected, words),
        got=_answer(history.got, words),
    )


def clock_words(time: int) -> str:
    """A time of a day in ms: `11:45`, `11:45:30`, `11:45:30.005`."""
    minutes, rest = divmod(time, 60_000)
    seconds, milliseconds = divmod(rest, 1_000)
    said = f"{minutes // 60:02}:{minutes % 60:02}"
    if rest:
        said += f":{seconds:02}"
    return f"{said}.{milliseconds:03}" if milliseconds else said


def _passed(passed: TimePassed) -> TimePassed:
    return TimePassed(_with_duration(passed.words), _with_duration(passed.makes))


def _with_duration(text: str) -> str:
    """`+1,800,000 ms` as `+30 min`; a time of a day, `= 42,300,000 ms`, as `= 11:45`."""

    def said(found: re.Match[str]) -> str:
        number = int(found[1].replace(",", ""))
        is_time = not text.startswith(("+", "−")) and _HOUR <= number < _DAY
        return clock_words(number) if is_time else time_words(number)

    return _DURATION.sub(said, text)


def _renamed(mark: Mark, words: Mapping[str, str]) -> Mark:
    return replace(mark, label=_label(mark.label, words))


def _answer(answer: Answer, words: Mapping[str, str]) -> Answer:
    return replace(answer, labels=[None if said is None else _labels(said, words) for said in answer.labels])


def _labels(said: Iterable[str], words: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(_label(text, words) for text in said)


def _label(text: str, words: Mapping[str, str]) -> str:
    """`fire [42300000, 43200000): 3` with each whole number that is a timestamp replaced."""
    return _NUMBER.sub(lambda found: words.get(found[0], found[0]), text)
