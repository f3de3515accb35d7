"""The only list of components: whatever goes over all of them finds them here."""

from functools import cache

from ..mutants.mutant import Mutant
from ..wire.vocabulary import Setup
from .backlog.binding import BACKLOG
from .clock.binding import CLOCK
from .component import Component
from .coordinator.binding import COORDINATOR
from .generator.binding import GENERATOR
from .idleness.binding import IDLENESS
from .job.binding import JOB
from .low_watermark.binding import LOW_WATERMARK
from .source.binding import SOURCE
from .splits.binding import SPLITS
from .valve.binding import VALVE
from .window.binding import WINDOW

COMPONENTS: dict[str, Component] = {
    component.name: component
    for component in (
        CLOCK,
        GENERATOR,
        IDLENESS,
        SPLITS,
        VALVE,
        SOURCE,
        COORDINATOR,
        LOW_WATERMARK,
        BACKLOG,
        WINDOW,
        JOB,
    )
}


@cache
def load_mutants() -> dict[str, Mutant]:
    """The named mutants of all components, by name."""
    return {mutant.name: mutant for component in COMPONENTS.values() for mutant in component.mutants}


def component_by_setup(setup: Setup) -> Component:
    """The component that `setup` builds."""
    return next(component for component in COMPONENTS.values() if isinstance(setup, component.setup))
