"""Steps and outputs, given in their wire form, in words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tidegauge.timestamps import MAX, MIN, from_wire

NOTHING = "nothing"
NO_ANSWER = "no answer"

_USUAL_RECEIVER = {"watermark": "downstream", "idle": "downstream", "active": "downstream", "error": "caller"}
_NEAR_THE_EDGE = 10_000


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
    return json.dumps(value, ensure_ascii=False, default=repr)


def step_words(step: Mapping[str, Any]) -> str:
    """A step: `channel 0: watermark 10`, `snapshot`."""
    return _words(step, "step", {})


def output_words(output: Mapping[str, Any]) -> str:
    """An output: `watermark 10`, `IDLE`, `error illegal-argument`; with its receiver if it is unusual."""
    return _words(output, "output", _USUAL_RECEIVER)


def outputs_words(outputs: Sequence[Mapping[str, Any]]) -> str:
    """All outputs of a step, in order."""
    return ", then ".join(map(output_words, outputs)) or NOTHING


def _words(entry: Mapping[str, Any], tag: str, usual_receiver: Mapping[str, str]) -> str:
    name = value_words(entry.get(tag, f"(no {tag})"))
    parts = [name.upper() if tag == "output" and name in ("idle", "active") else name]
    before = after = ""
    for field, value in entry.items():
        if field == tag:
            continue
        if field == "channel":
            before = f"channel {value_words(value)}: "
        elif field == "to" and tag == "output":
            after = "" if value == usual_receiver.get(name) else f" to {value_words(value)}"
        elif field in ("timestamp", "error"):
            parts.append(value_words(value))
        else:
            parts.append(f"{value_words(field)}={value_words(value)}")
    return before + " ".join(parts) + after
