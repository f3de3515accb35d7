"""Contracts: steps that upstream never sends to a component, such as a watermark that does not rise.

A contract excludes these steps from the scenarios of an engine that relies on its upstream.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from ...wire.shapes import NeverSent
from ...wire.timestamps import MIN, from_wire
from ...wire.vocabulary import Restore, Snapshot, Step

PARTS = ("source", "subtask", "vertex", "task", "channel", "split", "input")
"""The fields by which a step names the part of the input that it comes from."""

_INPUTS = ("record", "watermark", "idle", "active")
_STATUSES = ("idle", "active")
_ENDS = ("finish", "end-of-input")

WORDS: dict[NeverSent, str] = {
    "falling-watermark": "a watermark that does not rise",
    "input-after-end": "input after its end",
    "repeated-status": "a repeated status",
    "record-ahead": "a record more than 1 ms ahead of the watermark",
}
"""What upstream never sends, in words."""


class Upstream:
    """Tracks the watermark, status and end of each part, as far as a contract restricts them."""

    def __init__(self, contract: Sequence[NeverSent]) -> None:
        self.contract = contract
        self._watermarks: dict[object, int] = {}
        self._statuses: dict[object, str] = {}
        self._ended: set[object] = set()
        self._saved: Upstream | None = None

    def breach(self, step: Step) -> str:
        """Return how a step breaks the contract, in words; empty if the step keeps the contract."""
        tag, part = tag_of(step), _part(step)
        if "input-after-end" in self.contract and part in self._ended and tag in (*_INPUTS, *_ENDS):
            return WORDS["input-after-end"]
        falls = tag == "watermark" and from_wire(_timestamp(step)) <= self._watermarks.get(part, MIN)
        if falls and "falling-watermark" in self.contract:
            return WORDS["falling-watermark"]
        is_repeated = tag in _STATUSES and self._statuses.get(part, "active") == tag
        if is_repeated and "repeated-status" in self.contract:
            return WORDS["repeated-status"]
        if "record-ahead" in self.contract and tag == "record" and self._is_ahead(step, part):
            return WORDS["record-ahead"]
        return ""

    def _is_ahead(self, record: Step, part: object) -> bool:
        timestamp = _timestamp(record)
        return timestamp != "MIN" and from_wire(timestamp) - 1 > self._watermarks.get(part, MIN)

    def send(self, step: Step) -> None:
        """Record a step that upstream sends."""
        if isinstance(step, Snapshot):
            self._saved = None
            self._saved = deepcopy(self)
        elif isinstance(step, Restore) and self._saved is not None:
            saved = deepcopy(self._saved)
            self._watermarks, self._statuses = saved._watermarks, saved._statuses
            self._ended = saved._ended
        tag, part = tag_of(step), _part(step)
        if tag == "watermark":
            self._watermarks[part] = max(self._watermarks.get(part, MIN), from_wire(_timestamp(step)))
        if tag in _STATUSES:
            self._statuses[part] = tag
        if ends_input(step):
            self._ended.add(part)


def ends_input(step: Step) -> bool:
    """Return whether a step ends the input that it comes from."""
    return tag_of(step) in _ENDS or (tag_of(step) == "watermark" and _timestamp(step) == "MAX")


def breach_of(contract: Sequence[NeverSent], history: Iterable[Step]) -> str:
    """Return the first thing in a history that upstream never sends; empty if there is none."""
    upstream = Upstream(contract)
    for step in history:
        if breach := upstream.breach(step):
            return breach
        upstream.send(step)
    return ""


def tag_of(step: Step | type[Step]) -> str:
    """Return the name of a step without the prefix for an input or a split: `watermark`, `record`."""
    return str(step.__struct_config__.tag).removeprefix("input-").removeprefix("split-")


def _part(step: Step) -> object:
    return tuple(getattr(step, field, None) for field in PARTS)


def _timestamp(step: Any) -> int | str:
    timestamp: int | str = step.timestamp
    return timestamp
