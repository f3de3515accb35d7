"""What came out of a history, from the outputs of each step."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidegauge.wire.timestamps import MIN

from ..text import short
from ..wording import grouped_words, milliseconds, output_words, timestamp_words, value_words
from .history import STRIPS, Answer, Lane, StripKind

_LONGEST_LABEL = 34

Wire = Mapping[str, Any]
Outputs = list[dict[str, Any]] | None

_BEGINS: dict[str, tuple[StripKind, bool]] = {
    "idle": ("idle", True),
    "active": ("idle", False),
    "blocked": ("blocked", True),
    "unblocked": ("blocked", False),
}
_LEVELS = {
    "watermark": ("timestamp", ""),
    "announcement": ("bound", "bound"),
    "low-watermark": ("timestamp", "low watermark"),
    "notify-new-low-watermark": ("low_watermark", "result"),
}
"""Outputs that have a height: the field that gives it and the name of the line; ns are heights too."""

_PART_OF_A_WHOLE = ("announcement", "notify-new-low-watermark")
_PAUSES = {"splits-paused": True, "splits-resumed": False}


def read_answer(
    given: Sequence[Outputs], steps: Sequence[Wire], observed: Sequence[bool], plain: bool
) -> Answer:
    """The answer in `given`, the outputs of each step (None at an observed step: no answer). `plain`: a
    watermark is said by its value alone."""
    found = Answer()
    levels: dict[str, int | None] = {}
    during: dict[StripKind, bool] = dict.fromkeys(STRIPS, False)
    saved = (dict(levels), dict(during))
    found.during = {kind: [False] for kind in STRIPS}
    for column, outputs in enumerate(given):
        name = steps[column].get("step")
        if name == "snapshot":
            saved = (dict(levels), dict(during))
        elif name == "restore":
            levels, during = dict.fromkeys(levels, None) | saved[0], dict(saved[1])
        points: list[int] = []
        for output in outputs or ():
            if (height := height_of(output)) is not None:
                line, value = height
                points.append(value)
                if line not in found.levels:
                    found.levels[line] = [MIN if line == "" else None] * (column + 1)
                levels[line] = value
            _lasts(output, during)
        found.points.append(points)
        found.windows.append([span for output in outputs or () if (span := _window(output))])
        found.labels.append(None if outputs is None else _labels(outputs, plain))
        if outputs is None and observed[column] and found.silent_from is None:
            found.silent_from = column
        for line, course in found.levels.items():
            level = levels.get(line)
            course.append(MIN if level is None and line == "" else level)
        for kind, lasted in found.during.items():
            lasted.append(during[kind])
    return found


def share_lines(expected: Answer, got: Answer) -> None:
    """Where only one of two answers has watermarks, the other has a line, too: that of none."""
    for one, other in ((expected, got), (got, expected)):
        if "" in one.levels and "" not in other.levels:
            other.levels = {"": [MIN] * len(one.levels[""]), **other.levels}


def height_of(output: Wire) -> tuple[str, int] | None:
    """The line that an output belongs to and its height there, if it has one."""
    name = output.get("output")
    if name == "reading":
        value = milliseconds(output.get("nanoseconds"))
        return None if value is None else ("reading", value)
    field, line = _LEVELS.get(name, ("", "")) if isinstance(name, str) else ("", "")
    timestamp = milliseconds(output.get(field)) if field else None
    if timestamp is None:
        return None
    if line:
        receiver = value_words(output.get("to", ""))
        line += f" {receiver.rpartition('/')[0] if name in _PART_OF_A_WHOLE else receiver}"
    return short(line, _LONGEST_LABEL), timestamp


def tell_lanes(
    side: str, given: Sequence[Outputs], steps: Sequence[Wire], lane_of: Callable[[str], Lane | None]
) -> None:
    """Mark on its lane what an output tells it: a timestamp, or that it is held back. `lane_of` gives the
    lane of a receiver or of a split; `side` is `expected` or `got`."""
    paused: set[str] = set()
    saved: set[str] = set()
    for column, outputs in enumerate(given):
        if steps[column].get("step") == "snapshot":
            saved = set(paused)
        elif steps[column].get("step") == "restore":
            paused = set(saved)
        for output in outputs or ():
            height = height_of(output)
            lane = lane_of(value_words(output.get("to", "")))
            if height is not None and lane is not None and "/" in value_words(output["to"]):
                lane.told.setdefault(side, []).append((column, height[1]))
            splits = output.get("splits")
            pauses = _PAUSES.get(value_words(output.get("output")))
            if pauses is not None and isinstance(splits, list):
                named = {split for split in map(value_words, splits) if lane_of(split) is not None}
                paused = paused | named if pauses else paused - named
        for split in sorted(paused):
            if (lane := lane_of(split)) is not None:
                lasted = lane.paused.setdefault(side, [False] * (len(given) + 1))
                lasted[column + 1] = True


def _lasts(output: Wire, during: dict[StripKind, bool]) -> None:
    name = value_words(output.get("output"))
    if name in _BEGINS:
        kind, lasts = _BEGINS[name]
        during[kind] = lasts
    elif name == "record-attributes":
        during["backlog"] = output.get("backlog") is True


def _window(output: Wire) -> tuple[int, int] | None:
    if output.get("output") != "fire":
        return None
    start, end = milliseconds(output.get("start")), milliseconds(output.get("end"))
    return None if start is None or end is None else (start, end)


def _labels(outputs: list[dict[str, Any]], plain: bool) -> tuple[str, ...]:
    """The outputs as short as they can be said."""
    if plain:
        return tuple(short(_plain(output), _LONGEST_LABEL) for output in outputs)
    return tuple(row for said in grouped_words(outputs) for row in _rows(said))


def _rows(words: str) -> list[str]:
    """An output in a row, or, if it has many receivers, in one for what it says and one for each of them."""
    said, to, receivers = words.rpartition(" to ")
    if not to or len(words) <= _LONGEST_LABEL:
        return [short(words, _LONGEST_LABEL)]
    return [
        short(f"{said} to", _LONGEST_LABEL),
        *(short(name, _LONGEST_LABEL) for name in receivers.split(", ")),
    ]


def _plain(output: Wire) -> str:
    """`20` for the watermark 20, the code alone for an error."""
    name = output.get("output")
    timestamp = milliseconds(output.get("timestamp"))
    if name == "watermark" and timestamp is not None and output.get("to", "downstream") == "downstream":
        return timestamp_words(timestamp)
    if name == "error" and output.get("to", "caller") == "caller":
        return value_words(output.get("error", "?"))
    return output_words(output)
