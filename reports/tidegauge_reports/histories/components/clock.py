"""An input activity clock: a lane for each reason to pause, the time that passes, and what is read."""

from collections.abc import Sequence

from ...wording import duration_words, value_words, whole_number
from ..acts import begins, ends
from ..history import SpanKind
from ..stage import Stage, Wire
from .drawing import Drawing

_USUAL = "backpressure"
_NAMES = {"busy-downstream": "busy downstream", "no-data": "no data"}


def add_reasons(stage: Stage, steps: Sequence[Wire]) -> None:
    """A lane for each reason that the history names."""
    for step in steps:
        if step.get("step") in ("pause", "resume"):
            reason = value_words(step.get("reason", _USUAL))
            stage.add(reason, _NAMES.get(reason, reason))


def play_clock(stage: Stage, step: Wire) -> bool:
    """Draw a step of the clock; false if it is none."""
    name = step.get("step")
    if name == "advance":
        return stage.pass_time(step.get("nanoseconds"))
    track = stage.tracks.get(value_words(step.get("reason", _USUAL)))
    if track is None or name not in ("pause", "resume"):
        return False
    kind: SpanKind = "no data" if step.get("reason") == "no-data" else "blocked"
    act = begins if name == "pause" else ends
    act(stage, track, kind, name, counted=True)
    return True


def _begin(stage: Stage, _: Wire, steps: Sequence[Wire]) -> None:
    add_reasons(stage, steps)
    stage.clock, stage.unit = ("time passed",), "ns"


def _play(stage: Stage, step: Wire) -> bool:
    if step.get("step") == "read":
        stage.moment("read")
        return True
    return play_clock(stage, step)


def _setup(setup: Wire) -> str:
    reading = whole_number(setup.get("nanoseconds", 0))
    return f"The clock reads {duration_words(reading, 'ns')} at the start" if reading else ""


CLOCK = Drawing(_begin, _play, _setup)
