"""Backlog: a detector's watermark beside the processing time, or the channels of a combiner."""

from collections.abc import Sequence

from tidegauge.wire.timestamps import MIN

from ...wording import milliseconds, value_words
from ..acts import begins, ends, note, sets
from ..stage import Stage, Track, Wire
from .drawing import Drawing

_THRESHOLD = "pipeline.backlog.watermark-lag-threshold"


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    kinds = {value_words(step.get("step")) for step in steps}
    if setup.get("kind") == "combiner" or "channels" in setup:
        stage.add_numbered("channel", setup.get("channels"), steps)
        without = setup.get("without_strategy")
        for number in without if isinstance(without, list) else []:
            if (track := stage.tracks.get(f"channel {value_words(number)}")) and track.lane.exists:
                track.lane.names = (track.lane.names[0], "no strategy")
        return
    if "configure" in kinds:
        stage.add("options", "options")
    stage.add("subtask", "subtask", line=True)
    if "other" in kinds:
        stage.add("other", "other strategy")
    stage.clock = ("processing time",)


def _play(stage: Stage, step: Wire) -> bool:
    name = step.get("step")
    if name == "attributes":
        track = stage.numbered("channel", step)
        if track is None:
            return False
        _claims(stage, track, step)
        return True
    if name == "clock":
        return stage.set_time(step.get("now"))
    if name == "configure" and "options" in stage.tracks:
        option = value_words(step.get("option"))
        said = "threshold" if option == _THRESHOLD else option.removeprefix("pipeline.")
        note(stage, stage.tracks["options"], f"{said} {value_words(step.get('milliseconds'))} ms")
        return True
    if name == "other" and "other" in stage.tracks:
        _claims(stage, stage.tracks["other"], step)
        return True
    subtask = stage.tracks.get("subtask")
    if subtask is None:
        return False
    match name:
        case "watermark" if milliseconds(step.get("timestamp")) == MIN:
            note(stage, subtask, "MIN")
        case "watermark":
            return sets(stage, subtask, step, "timestamp")
        case "idle":
            begins(stage, subtask, "idle", "idle")
        case "active":
            ends(stage, subtask, "idle", "active")
        case _:
            return False
    return True


def _claims(stage: Stage, track: Track, step: Wire) -> None:
    """Somebody says that there is backlog, or that there is none."""
    if step.get("backlog") is True:
        begins(stage, track, "claims", "backlog")
    else:
        ends(stage, track, "claims", "no backlog")


BACKLOG = Drawing(_begin, _play, line="watermark of the subtask")
