"""Setups and steps of backlog detection by watermark lag."""

from typing import Annotated

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import LARGEST_PLAIN, Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

WATERMARK_LAG = "watermark-lag"
"""The capability to be a detector; an engine without it has only the combiner."""

Channel = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Milliseconds = Annotated[int, Meta(ge=-LARGEST_PLAIN, le=LARGEST_PLAIN)]
ProcessingTime = Annotated[int, Meta(ge=0, le=LARGEST_PLAIN)]


class BacklogSetup(Setup, frozen=True, tag_field="kind"):
    """How it is built: one of the two below."""


class DetectorSetup(BacklogSetup, frozen=True, tag="detector"):
    """One subtask of a source, in a job without any option set."""


class CombinerSetup(BacklogSetup, frozen=True, tag="combiner"):
    """Where `channels` inputs meet, numbered from 0; on those `without_strategy` none is declared."""

    channels: Annotated[int, Meta(ge=1, le=1024)]
    without_strategy: tuple[Annotated[int, Meta(ge=0)], ...] = ()


class ConfigureStep(Step, frozen=True, tag="configure"):
    """The job sets an option to a duration in ms."""

    option: str
    milliseconds: Milliseconds


class ClockStep(Step, frozen=True, tag="clock"):
    """The processing time (ms)."""

    now: ProcessingTime


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """The subtask emits a watermark (ms); `MAX` is the end of its input."""

    timestamp: Timestamp


class IdleStep(Step, frozen=True, tag="idle"):
    """The subtask has no data for now."""


class ActiveStep(Step, frozen=True, tag="active"):
    """The subtask has data again."""


class OtherStep(Step, frozen=True, tag="other"):
    """Whether another strategy of the source claims backlog."""

    backlog: bool


class AttributesStep(Step, frozen=True, tag="attributes"):
    """Record attributes arrive on a channel of the combiner."""

    channel: Channel
    backlog: bool


BacklogStep = (
    ConfigureStep
    | ClockStep
    | WatermarkStep
    | IdleStep
    | ActiveStep
    | OtherStep
    | AttributesStep
    | Snapshot
    | Restore
)


class BacklogScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="backlog"):
    """A scenario of steps on a detector or on a combiner."""

    setup: DetectorSetup | CombinerSetup
    history: tuple[BacklogStep, ...]
