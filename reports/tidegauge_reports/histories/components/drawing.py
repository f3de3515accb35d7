"""What a component says of the drawing of its histories."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..stage import Stage, Wire


@dataclass(frozen=True)
class Drawing:
    """`begin(stage, setup, steps)` adds the lanes; `play(stage, step)` draws a step, and is false if the step
    is none of the component's or not in its wire form. `setup` says in words what was built. `plain`:
    watermarks that come out are said by their value alone. `line`: what a
    step in the line of a lane is, for the legend."""

    begin: Callable[[Stage, Wire, Sequence[Wire]], None]
    play: Callable[[Stage, Wire], bool]
    setup: Callable[[Wire], str] = lambda setup: ""
    plain: bool = False
    line: str = "watermark arrives"


STEPS_ALONE = Drawing(begin=lambda stage, setup, steps: None, play=lambda stage, step: False)
"""No lanes: each step is a moment with the name of the step, above the outputs."""
