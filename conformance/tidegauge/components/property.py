"""Properties: predicates over transcripts that need no reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript

Holds = bool | None
"""True: it holds; False: it is violated; None: its situation did not arise."""


@dataclass(frozen=True)
class Property:
    """Something that must be true of what an engine outputs, whatever else it does.

    `holds_under` are the policies that a conforming engine needs for it to hold; `rules` those whose breach
    can show in it. `variants` makes the further scenarios (renamed apart by the caller) whose transcripts are
    compared with the first one's; `holds` looks at all of them. `needs_steps`: it must see each step.
    """

    name: str
    sentence: str
    rules: tuple[str, ...]
    holds: Callable[[Sequence[Scenario], Sequence[Transcript]], Holds]
    holds_under: Mapping[str, str]
    variants: Callable[[Scenario], Sequence[Any]] = lambda scenario: ()
    needs: tuple[str, ...] = ()
    needs_steps: bool = False
