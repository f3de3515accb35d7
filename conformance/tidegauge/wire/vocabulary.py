"""What every component's steps and outputs share. Tagged structs: their JSON is the wire form.

A component adds its own steps and setup in `steps/<name>.py`; outputs are shared. Here, and in scenarios and
transcripts, `gc=False` keeps Python from looking for cycles through millions of objects that have none.
"""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from .timestamps import Timestamp

PROTOCOL = 1
"""Version of the wire form."""

ErrorCode = Literal["illegal-argument", "illegal-state", "unsupported"]


class Setup(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How a component is built; each component has its own."""


class Step(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="step"):
    """One thing that happens to a component. `never_sent`: what can be written though no runtime does it;
    it is refused by `illegal-argument` or `illegal-state`, and engines that rely on their runtime do not
    get it."""

    never_sent: ClassVar[str] = ""


class Snapshot(Step, frozen=True, tag="snapshot"):
    """The component's state is saved. Needs the capability `snapshot`; outputs nothing."""


class Restore(Step, frozen=True, tag="restore"):
    """A new component takes over from the last snapshot. Needs the capability `snapshot`."""


class Output(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="output"):
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


EventKind = Literal[
    "record",
    "idle",
    "active",
    "report",
    "announcement",
    "finished",
    "restarted",
    "watermark",
    "fire",
    "late",
    "state-size",
]


class LogEvent(Output, frozen=True, tag="log", omit_defaults=True):
    """A line of a job's event log, in the order of its outputs. Times in ms.

    `record`: `count` records of consecutive numbers left a subtask, the last of `event_time`. `report` and
    `announcement`: a watermark and a bound. `idle`, `active`: of a subtask. `processing_time` is that of
    the source's own clock. Of the operator behind all sources (its `source` is empty): `watermark`; `fire`,
    a window that ends before `event_time` with `count` records; `late`, a record that came too late for its
    windows; `state-size`, with `count` records kept.
    """

    kind: EventKind
    source: str
    subtask: Annotated[int, Meta(ge=0)]
    event_time: Timestamp
    processing_time: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    count: Annotated[int, Meta(ge=0)] = 1
    split: str = ""
    channel: int | None = None
    to: str = "log"


class Reading(Output, frozen=True, tag="reading"):
    """What a clock shows, in ns of relative time."""

    nanoseconds: int
    to: str = "caller"


class Record(Output, frozen=True, tag="record"):
    """A record with its timestamp (ms); `MIN` if it has none."""

    timestamp: Timestamp
    to: str = "downstream"


class Alignment(Output, frozen=True, tag="alignment"):
    """How a strategy is aligned: with which group, at most how far ahead and how often told so (ms)."""

    watermark_group: str
    max_allowed_watermark_drift: int
    update_interval: int
    to: str = "caller"


class Report(Output, frozen=True, tag="report"):
    """A source subtask says which watermark (ms) it emitted last; `MAX`: do not wait for me."""

    watermark: Timestamp
    to: str = "coordinator"


class Announcement(Output, frozen=True, tag="announcement"):
    """The bound (ms) up to which the source subtask `to` may read."""

    bound: Timestamp
    to: str


class Blocked(Output, frozen=True, tag="blocked"):
    """The source subtask is beyond its bound and asks not to be polled."""

    to: str = "runtime"


class Unblocked(Output, frozen=True, tag="unblocked"):
    """The source subtask may be polled again."""

    to: str = "runtime"


class SplitsPaused(Output, frozen=True, tag="splits-paused"):
    """The reader is to read no further in these splits."""

    splits: tuple[str, ...]
    to: str = "reader"


class SplitsResumed(Output, frozen=True, tag="splits-resumed"):
    """The reader is to go on with these splits."""

    splits: tuple[str, ...]
    to: str = "reader"


class RetrieveLowWatermark(Output, frozen=True, tag="retrieve-low-watermark"):
    """The service asks the task `to` for its low watermark, in the round of `timestamp`."""

    timestamp: Timestamp
    to: str


class NotifyNewLowWatermark(Output, frozen=True, tag="notify-new-low-watermark"):
    """The service tells the task `to` the low watermark (ms) that the round of `timestamp` found."""

    low_watermark: Timestamp
    timestamp: Timestamp
    to: str


class ReplyLowWatermark(Output, frozen=True, tag="reply-low-watermark"):
    """The task `task` answers the service with its current low watermark (ms)."""

    task: str
    low_watermark: Timestamp
    to: str = "coordinator"


class LowWatermark(Output, frozen=True, tag="low-watermark"):
    """A task without partitions emits the low watermark (ms) of the others, `to` the operators below it."""

    timestamp: Timestamp
    to: str


class RecordAttributes(Output, frozen=True, tag="record-attributes"):
    """Whether what follows is backlog."""

    backlog: bool
    to: str = "downstream"


class Fire(Output, frozen=True, tag="fire"):
    """The result of a window [start, end) (ms): the values of the records in it, in ascending order."""

    start: Timestamp
    end: Timestamp
    values: tuple[int, ...]
    to: str = "downstream"


class Retract(Output, frozen=True, tag="retract"):
    """An earlier result of a window is taken back."""

    start: Timestamp
    end: Timestamp
    values: tuple[int, ...]
    to: str = "downstream"


class Late(Output, frozen=True, tag="late"):
    """A record that came too late for every window, by its value."""

    value: int
    to: str = "late"


class Drop(Output, frozen=True, tag="drop"):
    """A record came too late and was dropped, which is only counted."""

    to: str = "metrics"


class StateSize(Output, frozen=True, tag="state-size"):
    """How many records are kept of windows that nothing can be added to any more."""

    records: Annotated[int, Meta(ge=0)]
    to: str = "caller"


AnyOutput = (
    Watermark
    | Idle
    | Active
    | Error
    | LogEvent
    | Reading
    | Record
    | Alignment
    | Report
    | Announcement
    | Blocked
    | Unblocked
    | SplitsPaused
    | SplitsResumed
    | RetrieveLowWatermark
    | NotifyNewLowWatermark
    | ReplyLowWatermark
    | LowWatermark
    | RecordAttributes
    | Fire
    | Retract
    | Late
    | Drop
    | StateSize
)
