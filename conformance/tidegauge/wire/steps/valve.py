"""Setup and steps of a valve."""

from typing import Annotated

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

Channel = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class ValveSetup(Setup, frozen=True):
    """A valve with `channels` inputs, numbered from 0."""

    channels: Annotated[int, Meta(ge=1, le=1024)]


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """A watermark (ms) arrives on a channel; `MAX` is the end of that input."""

    channel: Channel
    timestamp: Timestamp


class IdleStep(Step, frozen=True, tag="idle"):
    """The channel has no data for now."""

    channel: Channel


class ActiveStep(Step, frozen=True, tag="active"):
    """The channel has data again."""

    channel: Channel


ValveStep = WatermarkStep | IdleStep | ActiveStep | Snapshot | Restore


class ValveScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="valve"):
    """A scenario of steps on one valve."""

    setup: ValveSetup
    history: tuple[ValveStep, ...]
