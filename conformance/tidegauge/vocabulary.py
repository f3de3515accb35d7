"""What every component's steps and outputs share. Tagged structs: their JSON is the wire form.

A component adds its own steps and setup in `components/<name>/vocabulary.py`; outputs are shared.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .timestamps import Timestamp

PROTOCOL = 1
"""Version of the wire form."""

ErrorCode = Literal["illegal-argument", "illegal-state", "unsupported"]


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """How a component is built; each component has its own."""


class Step(Struct, frozen=True, forbid_unknown_fields=True, tag_field="step"):
    """One thing that happens to a component."""


class Snapshot(Step, frozen=True, tag="snapshot"):
    """The component's state is saved. Needs the capability `snapshot`; outputs nothing."""


class Restore(Step, frozen=True, tag="restore"):
    """A new component takes over from the last snapshot. Needs the capability `snapshot`."""


class Output(Struct, frozen=True, forbid_unknown_fields=True, tag_field="output"):
    """One thing that a component sends; `to` is the receiver, order counts within one receiver only."""


class Watermark(Output, frozen=True, tag="watermark"):
    """Everything up to `timestamp` (ms) has arrived."""

    timestamp: Timestamp
    to: str = "downstream"


class Idle(Output, frozen=True, tag="idle"):
    """The sender has no data for now."""

    to: str = "downstream"


class Active(Output, frozen=True, tag="active"):
    """The sender has data again."""

    to: str = "downstream"


class Error(Output, frozen=True, tag="error"):
    """The step was refused and changed nothing; never a text."""

    error: ErrorCode
    to: str = "caller"


EventKind = Literal["record", "report", "announcement", "finished", "restarted"]


class LogEvent(Output, frozen=True, tag="log", omit_defaults=True):
    """A line of a job's event log, in the order of its outputs. Times in ms.

    `record`: `count` records of consecutive numbers left a subtask, the last of `event_time`. `report` and
    `announcement`: a watermark and a bound. `processing_time` is that of the source's own clock.
    """

    kind: EventKind
    source: str
    subtask: Annotated[int, Meta(ge=0)]
    event_time: Timestamp
    processing_time: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    count: Annotated[int, Meta(ge=1)] = 1
    split: str = ""
    channel: int | None = None
    to: str = "log"


AnyOutput = Watermark | Idle | Active | Error | LogEvent
