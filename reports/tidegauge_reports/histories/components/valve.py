"""A valve: a lane for each channel, with its watermark and the spans in which it is idle."""

from collections.abc import Sequence

from ..acts import begins, ends, watermark
from ..stage import Stage, Wire
from .drawing import Drawing


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    stage.add_numbered("channel", setup.get("channels"), steps, line=True, final=True)


def _play(stage: Stage, step: Wire) -> bool:
    track = stage.numbered("channel", step)
    if track is None:
        return False
    match step.get("step"):
        case "watermark":
            watermark(stage, track, step, idle="unheard")
        case "idle":
            begins(stage, track, "idle", "idle")
        case "active":
            ends(stage, track, "idle", "active")
        case _:
            return False
    return True


VALVE = Drawing(_begin, _play, plain=True)
