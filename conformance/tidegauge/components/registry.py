"""The components the kit knows, by name."""

from ..component import Component
from ..vocabulary import Setup
from .job.binding import JOB
from .valve.binding import VALVE

COMPONENTS: dict[str, Component] = {component.name: component for component in (VALVE, JOB)}


def component_by_setup(setup: Setup) -> Component:
    """The component that `setup` builds."""
    return next(component for component in COMPONENTS.values() if isinstance(setup, component.setup))
