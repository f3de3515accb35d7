"""Setup and steps of the low-watermark service."""

from typing import Annotated

from msgspec import Meta, Struct

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

TaskNumber = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
"""A task of a vertex (`taskId`): from 0, in the order in which they started; never used again."""


class JobVertex(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vertex of a job, named as `jobId/jobVertexId`, with `tasks` tasks at the start; those with a number
    below `partitions` have partitions. Whether it is a source at all, whether its tasks cooperate with the
    service, and whether its source listens to the notifications and emits them."""

    name: str
    tasks: Annotated[int, Meta(ge=1, le=1024)]
    partitions: Annotated[int, Meta(ge=0, le=1024)]
    source: bool = True
    cooperating: bool = True
    listening: bool = True


class LowWatermarkSetup(Setup, frozen=True):
    """The service of a job with these vertices, each with a name of its own."""

    vertices: Annotated[tuple[JobVertex, ...], Meta(min_length=1)]


class TriggerStep(Step, frozen=True, tag="trigger"):
    """It is `timestamp` (ms), time for a new round."""

    timestamp: Timestamp


class JoinStep(Step, frozen=True, tag="join"):
    """A task starts, without partitions; it gets the next number of its vertex."""

    vertex: str


class LeaveStep(Step, frozen=True, tag="leave"):
    """A task is gone: it has failed or ended."""

    vertex: str
    task: TaskNumber


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """The task's source emits a watermark (ms) of its own; `MAX` is the end of its input."""

    vertex: str
    task: TaskNumber
    timestamp: Timestamp


class PartitionsStep(Step, frozen=True, tag="partitions"):
    """The task has `count` partitions from now on."""

    vertex: str
    task: TaskNumber
    count: Annotated[int, Meta(ge=0, le=2**31 - 1)]


class RetrieveStep(Step, frozen=True, tag="retrieve"):
    """RetrieveLowWatermark of the round of `timestamp` (ms) arrives at the task."""

    vertex: str
    task: TaskNumber
    timestamp: Timestamp


class ReplyStep(Step, frozen=True, tag="reply"):
    """ReplyLowWatermark of the task arrives at the coordinator of its vertex."""

    vertex: str
    task: TaskNumber
    low_watermark: Timestamp


class NotifyStep(Step, frozen=True, tag="notify"):
    """NotifyNewLowWatermark with the result (ms) of the round of `timestamp` (ms) arrives at the task."""

    vertex: str
    task: TaskNumber
    low_watermark: Timestamp
    timestamp: Timestamp


LowWatermarkStep = (
    TriggerStep
    | JoinStep
    | LeaveStep
    | WatermarkStep
    | PartitionsStep
    | RetrieveStep
    | ReplyStep
    | NotifyStep
    | Snapshot
    | Restore
)


class LowWatermarkScenario(
    BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="low_watermark"
):
    """A scenario of steps on the low-watermark service."""

    setup: LowWatermarkSetup
    history: tuple[LowWatermarkStep, ...]
