"""Durations as options have them: `500ms`, `30s`, `5m`, `2h`."""

import re

from tidegauge.wire.scenario import BadInput

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"(\d+)\s*([a-z]+)")


def milliseconds(option: str, text: str) -> int:
    """Return a duration in ms. Raises `BadInput` that names the option."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or found[2] not in _UNITS:
        raise BadInput(f"{option} {text!r} is no duration: write 500ms, 30s, 5m or 2h")
    return int(found[1]) * _UNITS[found[2]]
