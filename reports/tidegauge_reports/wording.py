"""Steps and outputs, given in their wire form, in words."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from string import Formatter
from typing import Any

from tidegauge.wire.timestamps import MAX, MIN, from_wire

NOTHING = "nothing"
NO_ANSWER = "no answer"

_NEAR_THE_EDGE = 10_000
_USUAL_RECEIVERS = ("downstream", "caller")
_RECEIVER_BY_OUTPUT = {
    "blocked": "runtime",
    "unblocked": "runtime",
    "splits-paused": "reader",
    "splits-resumed": "reader",
    "report": "coordinator",
    "reply-low-watermark": "coordinator",
    "late": "late",
    "drop": "metrics",
}
_OUTPUTS = {
    "watermark": "watermark {timestamp}",
    "idle": "IDLE",
    "active": "ACTIVE",
    "error": "error {error}",
    "reading": "reading {nanoseconds}",
    "record": "record {timestamp}",
    "alignment": "group {watermark_group}, drift {max_allowed_watermark_drift}, every {update_interval} ms",
    "report": "report {watermark}",
    "announcement": "bound {bound}",
    "blocked": "BLOCKED",
    "unblocked": "UNBLOCKED",
    "splits-paused": "pause {splits}",
    "splits-resumed": "resume {splits}",
    "retrieve-low-watermark": "ask, round {timestamp}",
    "notify-new-low-watermark": "tell {low_watermark}, round {timestamp}",
    "reply-low-watermark": "reply {low_watermark} of {task}",
    "low-watermark": "low watermark {timestamp}",
    "record-attributes": "{backlog}",
    "fire": "fire [{start}, {end}): {values}",
    "retract": "retract [{start}, {end}): {values}",
    "late": "LATE: {value}",
    "drop": "DROPPED",
    "state-size": "{records} kept",
}
_FIELDS = {
    name: {field for _, field, _, _ in Formatter().parse(words) if field} for name, words in _OUTPUTS.items()
}
_PLACES = (
    ("channel", "channel {}: "),
    ("input", "input {}: "),
    ("split", "split {}: "),
    ("source", "source {}: "),
    ("vertex", "vertex {}: "),
)
_UNITS = {"nanoseconds": "ns", "milliseconds": "ms"}
_SAID_BY_VALUE = ("timestamp", "error", "bound", "reason", "watermark", "low_watermark", "option", "assigner")


def whole_number(value: object) -> int | None:
    """`value` if it is a whole number of at most 64 bits, otherwise None."""
    if isinstance(value, int) and not isinstance(value, bool) and MIN <= value <= MAX:
        return value
    return None


def milliseconds(value: object) -> int | None:
    """The timestamp behind a wire form, or None if it is not one."""
    if isinstance(value, str) and len(value) <= 20:
        try:
            return whole_number(from_wire(value))
        except ValueError:
            return None
    return whole_number(value)


def timestamp_words(value: int) -> str:
    """A timestamp: `MIN` and `MAX` by name, those close to them by their distance."""
    if value in (MIN, MAX):
        return "MIN" if value == MIN else "MAX"
    if MAX - value < _NEAR_THE_EDGE:
        return f"MAX−{MAX - value}"
    if value - MIN < _NEAR_THE_EDGE:
        return f"MIN+{value - MIN}"
    return str(value)


def value_words(value: object) -> str:
    """The value of any field; timestamps in their wire form."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number beyond 64 bits"
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        return "a value beyond all bounds"


def duration_words(number: int, unit: str) -> str:
    """A duration in ns or ms, in the largest unit that makes it whole: `3 s`, `1,500 ms`, `3 s 1 ns`."""
    if unit == "ns":
        for length, name in ((10**9, "s"), (10**6, "ms")):
            if number and number % length == 0:
                return f"{number // length:,} {name}".replace("-", "−")
        if number > 10**9:
            return f"{number // 10**9:,} s {number % 10**9:,} ns"
    return f"{number:,} {unit}".replace("-", "−")


def step_words(step: Mapping[str, Any]) -> str:
    """A step: `channel 0: watermark 10`, `subtask a/1: report 5`, `snapshot`."""
    rest = {key: value for key, value in step.items() if key != "step"}
    name = value_words(step.get("step", "(no step)"))
    before = _place(rest)
    if name in ("pause", "resume"):
        rest.setdefault("reason", "backpressure")
    if name in ("retrieve", "notify") and "timestamp" in rest:
        rest["round"] = rest.pop("timestamp")
    return " ".join([before + name, *(_field_words(field, value) for field, value in rest.items())]).rstrip()


def output_words(output: Mapping[str, Any]) -> str:
    """An output: `watermark 10`, `IDLE`, `error illegal-argument`; with its receiver if it is unusual."""
    said = _said(output)
    receiver = _receiver(output)
    return f"{said} to {receiver}" if receiver else said


def outputs_words(outputs: Sequence[Mapping[str, Any]]) -> str:
    """All outputs of a step, in order."""
    return ", then ".join(grouped_words(outputs)) or NOTHING


def grouped_words(outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The outputs of a step in order; the same one to several receivers in a row is said once."""
    words = []
    for said, same in groupby(outputs, _said):
        receivers = [_receiver(output) for output in same]
        if all(receivers):
            words.append(f"{said} to {', '.join(receivers)}")
        else:
            words += [f"{said} to {receiver}" if receiver else said for receiver in receivers]
    return words


def _said(output: Mapping[str, Any]) -> str:
    """What an output says, whoever receives it."""
    name = value_words(output.get("output", "(no output)"))
    fields = {key: value for key, value in output.items() if key not in ("output", "to")}
    if fields.keys() == _FIELDS.get(name):
        return _OUTPUTS[name].format(**{key: _output_value(key, value) for key, value in fields.items()})
    return " ".join([name, *(f"{value_words(key)}={value_words(value)}" for key, value in fields.items())])


def _receiver(output: Mapping[str, Any]) -> str:
    """Who receives an output; empty if that goes without saying."""
    if "to" not in output:
        return ""
    receiver = value_words(output["to"])
    usual = _RECEIVER_BY_OUTPUT.get(value_words(output.get("output")))
    return "" if receiver == usual or (usual is None and receiver in _USUAL_RECEIVERS) else receiver


def _output_value(field: str, value: object) -> str:
    if field == "backlog" and isinstance(value, bool):
        return "BACKLOG" if value else "NO BACKLOG"
    if field in _UNITS and (number := whole_number(value)) is not None:
        return duration_words(number, _UNITS[field])
    if field in ("values", "splits") and isinstance(value, list):
        return ", ".join(map(value_words, value))
    return value_words(value)


def _place(fields: dict[str, Any]) -> str:
    """Where a step happens; what says so is taken out of `fields`."""
    for whole, part, word in (("source", "subtask", "subtask"), ("vertex", "task", "task")):
        if whole in fields and part in fields:
            return f"{word} {value_words(fields.pop(whole))}/{value_words(fields.pop(part))}: "
    for field, words in _PLACES:
        if field in fields:
            value = fields.pop(field)
            return "main output: " if value is None and field == "split" else words.format(value_words(value))
    return ""


def _field_words(field: str, value: object) -> str:
    words = value_words(value)
    if field in _SAID_BY_VALUE:
        return words
    if field in _UNITS and (number := whole_number(value)) is not None:
        return duration_words(number, _UNITS[field])
    if isinstance(value, bool) and field in ("backlog", "on", "deferred"):
        told = {"backlog": ("backlog", "no backlog"), "on": ("on", "off"), "deferred": ("deferred", "")}
        return told[field][0 if value else 1]
    return f"{value_words(field).replace('_', ' ')} {words}"
