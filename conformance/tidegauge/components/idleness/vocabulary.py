"""Setup and steps of idleness judged on the input activity clock."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class IdlenessSetup(Setup, frozen=True):
    """How it is built."""


IdlenessStep = Snapshot | Restore


class IdlenessScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="idleness"):
    """A history of steps on idleness judged on the input activity clock."""

    setup: IdlenessSetup
    history: tuple[IdlenessStep, ...]
