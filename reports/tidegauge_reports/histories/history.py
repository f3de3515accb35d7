"""A history on a valve, read from a counterexample: what happened on each channel, and what came out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tidegauge.results import Counterexample
from tidegauge.timestamps import MAX, MIN

from ..text import short
from ..wording import milliseconds, timestamp_words, value_words, whole_number

LONGEST_DRAWN = 120
"""Histories with more steps are not drawn."""

MOST_LANES = 40
"""Histories that name more channels are not drawn."""

_ALL_CHANNELS_UP_TO = 8
_LONGEST_LABEL = 24


@dataclass(frozen=True)
class Mark:
    """Something that happens on a channel at the step `column` (from 0).

    `ignored` is a watermark that the specification ignores: it is not greater than the channel's, or the
    channel is idle or finished. `other` is anything that changes nothing on the channel.
    """

    column: int
    kind: Literal["watermark", "ignored", "end", "idle", "active", "other"]
    timestamp: int | None
    label: str


@dataclass
class ChannelLane:
    """One channel. `levels` and `idle` hold its watermark and whether it is idle before the first step and
    after each one. A channel that does not exist has marks only."""

    number: int
    exists: bool
    marks: list[Mark] = field(default_factory=list)
    levels: list[int] = field(default_factory=lambda: [MIN])
    idle: list[bool] = field(default_factory=lambda: [False])


@dataclass
class OutputLine:
    """What came out. For each step: the watermarks in order (`rises`), the `labels` of all outputs (None:
    not observed at this step), and the last watermark and status after it (`levels`, `idle`, which begin
    with those before the first step). `silent_from` is the step from which no answer came."""

    rises: list[list[int]] = field(default_factory=list)
    labels: list[tuple[str, ...] | None] = field(default_factory=list)
    levels: list[int] = field(default_factory=lambda: [MIN])
    idle: list[bool] = field(default_factory=lambda: [False])
    silent_from: int | None = None


@dataclass(frozen=True)
class History:
    """All that is drawn. `whole_valve` names the steps that concern no channel (snapshot, restore)."""

    steps: int
    channels: list[ChannelLane]
    whole_valve: dict[int, str]
    expected: OutputLine
    got: OutputLine
    spans: list[tuple[int, int]]


def read_history(counterexample: Counterexample) -> History | None:
    """The history behind a counterexample; None if it is not one on a valve, or cannot be drawn."""
    records = counterexample.steps
    if counterexample.scenario.get("component") != "valve" or not 1 <= len(records) <= LONGEST_DRAWN:
        return None
    steps = [record.step for record in records]
    channels = _lanes(counterexample.scenario, steps)
    if len(channels) > MOST_LANES:
        return None
    whole_valve: dict[int, str] = {}
    for column, step in enumerate(steps):
        if whole_number(step.get("channel")) is None:
            whole_valve[column] = short(value_words(step.get("step", "?")), _LONGEST_LABEL)
    for lane in channels:
        _play(lane, steps, whole_valve)
    observed = [record.expected is not None or record.got is not None for record in records]
    expected = _outputs([record.expected for record in records], whole_valve, observed)
    got = _outputs([record.got for record in records], whole_valve, observed)
    return History(len(records), channels, whole_valve, expected, got, _spans(observed))


def _lanes(scenario: Mapping[str, Any], steps: list[dict[str, Any]]) -> list[ChannelLane]:
    """The channels to show: all of a few, otherwise those that the history names; unknown ones last."""
    setup = scenario.get("setup")
    number = whole_number(setup.get("channels")) if isinstance(setup, dict) else None
    named = {channel for step in steps if (channel := whole_number(step.get("channel"))) is not None}
    known = number if number is not None else max(named, default=-1) + 1
    if known <= _ALL_CHANNELS_UP_TO:
        named |= set(range(known))
    lanes = [ChannelLane(channel, 0 <= channel < known) for channel in sorted(named)]
    return sorted(lanes, key=lambda lane: not lane.exists)


def _play(lane: ChannelLane, steps: list[dict[str, Any]], whole_valve: dict[int, str]) -> None:
    """Fill a lane with what happens on its channel."""
    saved = (MIN, False)
    for column, step in enumerate(steps):
        level, idle = lane.levels[-1], lane.idle[-1]
        if whole_valve.get(column) == "snapshot":
            saved = (level, idle)
        elif whole_valve.get(column) == "restore":
            level, idle = saved
        elif whole_number(step.get("channel")) == lane.number:
            mark = _mark(column, step, level, idle) if lane.exists else _refused(column, step)
            lane.marks.append(mark)
            if mark.kind in ("watermark", "end") and mark.timestamp is not None:
                level = mark.timestamp
            elif mark.kind in ("idle", "active"):
                idle = mark.kind == "idle"
        lane.levels.append(level)
        lane.idle.append(idle)


def _mark(column: int, step: Mapping[str, Any], level: int, idle: bool) -> Mark:
    name = step.get("step")
    timestamp = milliseconds(step.get("timestamp"))
    if name == "watermark" and timestamp is not None:
        words = timestamp_words(timestamp)
        if idle or timestamp <= level:
            return Mark(column, "ignored", timestamp, f"{words} ignored")
        return (
            Mark(column, "end", timestamp, "MAX: end")
            if timestamp == MAX
            else Mark(column, "watermark", timestamp, words)
        )
    if name in ("idle", "active") and level != MAX:
        return Mark(column, "idle" if name == "idle" else "active", None, str(name))
    return _refused(column, step)


def _refused(column: int, step: Mapping[str, Any]) -> Mark:
    """A step that changes nothing on the channel, with its name and timestamp."""
    words = value_words(step.get("step", "?"))
    if "timestamp" in step:
        timestamp = milliseconds(step["timestamp"])
        words += " " + (value_words(step["timestamp"]) if timestamp is None else timestamp_words(timestamp))
    return Mark(column, "other", None, short(words, _LONGEST_LABEL))


def _outputs(
    given: list[list[dict[str, Any]] | None], whole_valve: dict[int, str], observed: list[bool]
) -> OutputLine:
    """What came out, from the outputs of each step (None at an observed step: no answer)."""
    found = OutputLine()
    saved = (MIN, False)
    for column, outputs in enumerate(given):
        level, idle = found.levels[-1], found.idle[-1]
        if whole_valve.get(column) == "snapshot":
            saved = (level, idle)
        elif whole_valve.get(column) == "restore":
            level, idle = saved
        rises: list[int] = []
        for output in outputs or ():
            timestamp = milliseconds(output.get("timestamp"))
            if output.get("output") == "watermark" and timestamp is not None:
                rises.append(timestamp)
                level = timestamp
            elif output.get("output") in ("idle", "active"):
                idle = output["output"] == "idle"
        if outputs is None and observed[column] and found.silent_from is None:
            found.silent_from = column
        found.rises.append(rises)
        found.labels.append(None if outputs is None else tuple(map(_output_label, outputs)))
        found.levels.append(level)
        found.idle.append(idle)
    return found


def _output_label(output: Mapping[str, Any]) -> str:
    """An output as short as it can be said: the watermark's value, `IDLE`, an error's code."""
    name = value_words(output.get("output", "?"))
    timestamp = milliseconds(output.get("timestamp"))
    if name == "watermark":
        said = value_words(output.get("timestamp", "?")) if timestamp is None else timestamp_words(timestamp)
    elif name == "error":
        said = value_words(output.get("error", "?"))
    else:
        said = name.upper()
    receiver = output.get("to", "downstream")
    if receiver not in ("downstream", "caller"):
        said += f" → {value_words(receiver)}"
    return short(said, _LONGEST_LABEL)


def _spans(observed: list[bool]) -> list[tuple[int, int]]:
    """First and last step of each observed span that is longer than one step."""
    spans = []
    start = 0
    for column, seen in enumerate(observed):
        if seen:
            if column > start:
                spans.append((start, column))
            start = column + 1
    return spans
