"""Setup and steps of an input activity clock."""

from typing import Annotated, Literal

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..vocabulary import Restore, Setup, Snapshot, Step

Nanoseconds = Annotated[int, Meta(ge=-(2**53 - 1), le=2**53 - 1)]

Reason = Literal["backpressure", "alignment", "busy-downstream", "no-data"]
"""Why an input is not polled."""


class ClockSetup(Setup, frozen=True, omit_defaults=True):
    """A clock that reads `nanoseconds` at the start: the origin is arbitrary."""

    nanoseconds: Nanoseconds = 0


class AdvanceStep(Step, frozen=True, tag="advance"):
    """So many ns pass; less than 0 is refused."""

    never_sent = "time that goes back"

    nanoseconds: Nanoseconds


class PauseStep(Step, frozen=True, tag="pause", omit_defaults=True):
    """From now on the input is not polled, for `reason`."""

    reason: Reason = "backpressure"


class ResumeStep(Step, frozen=True, tag="resume", omit_defaults=True):
    """`reason` ends."""

    never_sent = "a resumption without a pause"

    reason: Reason = "backpressure"


class ReadStep(Step, frozen=True, tag="read"):
    """The reading comes out."""


ClockStep = AdvanceStep | PauseStep | ResumeStep | ReadStep | Snapshot | Restore


class ClockScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="clock"):
    """A scenario of steps on an input activity clock."""

    setup: ClockSetup
    history: tuple[ClockStep, ...]
