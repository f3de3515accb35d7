"""An input with idleness: its records, why its clock pauses, and the time that passes."""

from collections.abc import Sequence

from ...wording import duration_words, value_words, whole_number
from ..acts import record
from ..stage import Stage, Wire
from .clock import add_reasons, play_clock
from .drawing import Drawing


def _begin(stage: Stage, _: Wire, steps: Sequence[Wire]) -> None:
    if any(step.get("step") == "record" for step in steps):
        stage.add("records", "records")
    add_reasons(stage, steps)
    stage.clock, stage.unit = ("time passed",), "ns"


def _play(stage: Stage, step: Wire) -> bool:
    if step.get("step") == "tick":
        stage.moment("tick")
        return True
    if step.get("step") == "record" and "records" in stage.tracks:
        return record(stage, stage.tracks["records"], step)
    return play_clock(stage, step)


def _setup(setup: Wire) -> str:
    timeout = whole_number(setup.get("timeout"))
    words = f"Idle after {'?' if timeout is None else duration_words(timeout, 'ns')}"
    bound = whole_number(setup.get("max_out_of_orderness", 0))
    generator = value_words(setup.get("generator", "?"))
    if bound:
        generator += f" of {duration_words(bound, 'ms')}"
    return f"{words}; generator: {generator}"


IDLENESS = Drawing(_begin, _play, _setup)
