"""The size of the scenarios in which the engine agrees. A pass proves nothing beyond this size."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from .base_scenario import Origin
from .scenario import Scenario


class World(Struct):
    """The maximum size of several scenarios.

    Attributes:
        steps: the number of steps of the longest scenario.
        parts: the largest number of parts in scenarios of scale, by the name of the parts: `{"channels":
            65}`.
        digits: the number of digits of the largest number in scenarios of scale.
    """

    steps: int = 0
    parts: dict[str, int] = {}
    digits: int = 0

    def merge(self, other: World) -> None:
        """Include the scenarios of another world."""
        self.steps, self.digits = max(self.steps, other.steps), max(self.digits, other.digits)
        for what, number in other.parts.items():
            self.parts[what] = max(self.parts.get(what, 0), number)


def world_of(scenario: Scenario) -> World:
    """Return the size of one scenario."""
    world = World(len(scenario.history))
    if scenario.origin.kind == "scale":
        what, number = _parts(scenario.origin)
        world.parts, world.digits = {what: number} if number else {}, _digits(scenario)
    return world


def _parts(origin: Origin) -> tuple[str, int]:
    """Return the name and the number of the parts, from a kind of scale such as `65-channels`."""
    number, _, what = str(origin.of).partition("-")
    return (what, int(number)) if number.isdecimal() and what != "steps" else ("", 0)


def _digits(scenario: Scenario) -> int:
    numbers = (
        abs(int(value))
        for struct in (scenario.setup, *scenario.history)
        for value in asdict(struct).values()
        if isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdecimal())
    )
    return len(str(max(numbers, default=0)))
