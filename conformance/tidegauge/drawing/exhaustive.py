"""All histories of one length in a small world, by their numbers: none is kept, and none comes before another
is made."""

from dataclasses import dataclass
from functools import lru_cache

from ..components.component import Component, CoverScope
from ..wire.base_scenario import Origin
from ..wire.scenario import BadInput, Scenario
from ..wire.unknown_names import unknown
from ..wire.vocabulary import Step

LONGEST = 64
"""Steps of the longest histories; of a world with two steps there are 2^64 of them."""


@dataclass(frozen=True)
class Exhaustive:
    """All histories of `length` steps on the setup of a scope. A number stands for the history whose steps
    are its digits, in base of the number of steps that the scope has, the first step the highest digit."""

    component: Component
    scope: CoverScope
    length: int

    @property
    def name(self) -> str:
        """The name by which `exhaustive` finds it: `3-channels-2-timestamps@8`."""
        return f"{self.scope.name}@{self.length}"

    @property
    def size(self) -> int:
        """How many histories there are; more than 2^63 for long ones."""
        return int(len(self.scope.alphabet) ** self.length)

    def scenario(self, index: int) -> Scenario:
        """The scenario of a number from 0 to `size - 1`."""
        steps: list[Step] = []
        remaining = index
        for _ in range(self.length):
            remaining, digit = divmod(remaining, len(self.scope.alphabet))
            steps.append(self.scope.alphabet[digit])
        return self.component.scenario(
            id=f"{self.component.name}:exhaustive:{self.name}:{index}",
            setup=self.scope.setup,
            history=tuple(reversed(steps)),
            origin=Origin("cover", index=index, of=self.name),
            groups=(self.length - 1, 1) if self.length > 1 else (),
        )


def worlds_of(component: Component) -> list[str]:
    """The names of the scopes that a component's covers have."""
    return list(dict.fromkeys(scope.name for group in component.covers.values() for scope in group))


@lru_cache(maxsize=16)
def known_exhaustive(component: Component, name: str) -> Exhaustive | None:
    """All histories of that name; None if there is no such scope, or the length is no number up to
    `LONGEST`."""
    scope_name, _, length = name.rpartition("@")
    scopes = {scope.name: scope for group in component.covers.values() for scope in group}
    scope = scopes.get(scope_name) or component.world(scope_name)
    is_number = length.isascii() and length.isdecimal() and len(length) < 4
    if scope is None or not is_number or not 0 < int(length) <= LONGEST:
        return None
    return Exhaustive(component, scope, int(length))


def exhaustive(component: Component, name: str) -> Exhaustive:
    """All histories of that name (`3-channels-2-timestamps@8`). Raises `BadInput` if there is none."""
    found = known_exhaustive(component, name)
    if found is None:
        scope, _, length = name.rpartition("@")
        if scope in worlds_of(component) or component.world(scope):
            raise BadInput(f"--length {length} is not from 1 to {LONGEST}")
        raise BadInput(unknown(f"scope of {component.name}", scope, worlds_of(component)))
    return found
