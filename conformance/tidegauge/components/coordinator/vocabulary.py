"""Setup and steps of the source coordinators of a job."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class CoordinatorSetup(Setup, frozen=True):
    """How it is built."""


CoordinatorStep = Snapshot | Restore


class CoordinatorScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="coordinator"):
    """A history of steps on the source coordinators of a job."""

    setup: CoordinatorSetup
    history: tuple[CoordinatorStep, ...]
