"""Setup and steps of a source subtask."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class SourceSetup(Setup, frozen=True):
    """How it is built."""


SourceStep = Snapshot | Restore


class SourceScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="source"):
    """A history of steps on a source subtask."""

    setup: SourceSetup
    history: tuple[SourceStep, ...]
