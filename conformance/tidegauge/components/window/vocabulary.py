"""Setup and steps of windows and lateness."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class WindowSetup(Setup, frozen=True):
    """How it is built."""


WindowStep = Snapshot | Restore


class WindowScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="window"):
    """A history of steps on windows and lateness."""

    setup: WindowSetup
    history: tuple[WindowStep, ...]
