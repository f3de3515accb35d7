"""Setup and steps of a clock that can be paused."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class ClockSetup(Setup, frozen=True):
    """How it is built."""


ClockStep = Snapshot | Restore


class ClockScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="clock"):
    """A history of steps on a clock that can be paused."""

    setup: ClockSetup
    history: tuple[ClockStep, ...]
