"""Splits of a source, or inputs of an operator: a lane for each, with its watermark and its idleness."""

from collections.abc import Sequence

from tidegauge.wire.timestamps import MIN

from ...wording import value_words
from ..acts import begins, ends, watermark
from ..stage import Stage, Wire, named
from .drawing import Drawing


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    if setup.get("parts") == "inputs" or "inputs" in setup:
        stage.add_numbered("input", setup.get("inputs"), steps, line=True)
    added = {value_words(step.get("split")) for step in steps if step.get("step") == "add-split"}
    for split in named(steps, "split"):
        name = value_words(split)
        names = (f"split {name}",) if name in added else (f"split {name}", "never added")
        stage.add(name, *names, exists=name in added, line=True, during=["absent"])


def _play(stage: Stage, step: Wire) -> bool:
    track = stage.numbered("input", step) or stage.tracks.get(value_words(step.get("split")))
    name = step.get("step")
    if name == "tick":
        stage.moment("tick")
        return True
    if track is None or not isinstance(name, str):
        return False
    after = " deferred" if step.get("deferred") is True else ""
    match name.removeprefix("input-"):
        case "add-split":
            if stage.mark(track, "ends", None, "added"):
                track.level = MIN
                track.open.clear()
        case "remove-split":
            begins(stage, track, "absent", "removed")
        case "watermark":
            watermark(stage, track, step, idle="wakes", after=after)
        case "idle":
            begins(stage, track, "idle", f"idle{after}")
        case "active":
            ends(stage, track, "idle", f"active{after}")
        case _:
            return False
    return True


SPLITS = Drawing(_begin, _play, plain=True)
