"""Setup and steps of backlog detection by watermark lag."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class BacklogSetup(Setup, frozen=True):
    """How it is built."""


BacklogStep = Snapshot | Restore


class BacklogScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="backlog"):
    """A history of steps on backlog detection by watermark lag."""

    setup: BacklogSetup
    history: tuple[BacklogStep, ...]
