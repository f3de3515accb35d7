"""Under what a mutant is examined."""

from dataclasses import dataclass
from typing import Any

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import read_absent

from ..components.job.binding import OVERSHOOT_MS, REACTION_MS
from ..components.registry import COMPONENTS
from ..engine.of_the_reference import OfTheReference
from ..version import __version__
from ..wire.implementation import Implementation


@dataclass(frozen=True)
class Conditions:
    """A component under a profile's policies; `changed` are policies with another value."""

    component: str
    profile: str = "core"
    changed: tuple[tuple[str, str], ...] = ()
    budget: str = "default"
    seed: int = 1

    @property
    def text(self) -> str:
        """The policies in words."""
        changed = ", ".join(f"{policy} = {value}" for policy, value in self.changed)
        return f"{self.profile}, {changed}" if changed else self.profile

    @property
    def entry(self) -> str:
        """The component's module in the reference."""
        return COMPONENTS[self.component].module.__name__.rpartition(".")[2]

    @property
    def values(self) -> dict[str, Any]:
        """The value of each policy."""
        return vars(PROFILES[self.profile]) | dict(self.changed)


class ReferenceUnderTest(OfTheReference):
    """The reference as an engine under `conditions`, or a copy of it: `module` is the component's module and
    `policies` are of the copy's own class."""

    def __init__(self, conditions: Conditions, module: Any = None, policies: Any = Policies) -> None:
        super().__init__({})
        self.conditions = conditions
        self.component = component = COMPONENTS[conditions.component]
        entry, values = module or component.module, policies(**conditions.values)
        setattr(self, component.name, lambda setup: component.build(entry, setup, values))

    def describe(self) -> Implementation:
        """It claims the component with all that engines of it can do, as far as the profile has it."""
        claimed = (self.component.name, *self.component.extras)
        absent = read_absent()[self.conditions.profile]
        return Implementation(
            name="a copy of the reference",
            version=__version__,
            capabilities=tuple(name for name in claimed if name not in absent),
            profile=self.conditions.profile,
            overshoot_ms=OVERSHOOT_MS,
            reaction_ms=REACTION_MS,
        )
