"""Setup and steps of the watermarks of several splits, and of an operator's inputs."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class SplitsSetup(Setup, frozen=True):
    """How it is built."""


SplitsStep = Snapshot | Restore


class SplitsScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="splits"):
    """A history of steps on the watermarks of several splits, and of an operator's inputs."""

    setup: SplitsSetup
    history: tuple[SplitsStep, ...]
