"""A source subtask: its splits, the bound that is announced, backpressure, and the time that passes."""

from collections.abc import Sequence

from ...wording import duration_words, value_words, whole_number
from ..acts import begins, ends, record, sets, watermark
from ..stage import Stage, Wire, named
from .drawing import Drawing

_MAIN = "(main output)"
_MOMENTS = {"tick": "tick", "report": "time to report", "end-of-input": "end of input"}


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    written = {_key(step) for step in steps if step.get("step") == "watermark"}
    assigned = {_key(step) for step in steps if step.get("step") == "assign"}
    for split in named(steps, "split"):
        key = _MAIN if split is None else value_words(split)
        if split is None:
            stage.add(key, "main output", line=key in written)
            continue
        names = (f"split {key}",) if key in assigned else (f"split {key}", "never assigned")
        stage.add(key, *names, line=key in written, exists=key in assigned, during=["absent"])
    kinds = {value_words(step.get("step")) for step in steps}
    if "backpressure" in kinds:
        stage.add(" backpressure", "backpressure")
    if "announcement" in kinds:
        stage.add(" bound", "bound", "as announced")
    stage.start_clock(setup.get("start", 0))


def _play(stage: Stage, step: Wire) -> bool:
    name = step.get("step")
    if not isinstance(name, str):
        return False
    if name in _MOMENTS:
        stage.moment(_MOMENTS[name])
        return True
    if name == "advance":
        return stage.pass_time(step.get("milliseconds"))
    if name == "announcement" and (bound := stage.tracks.get(" bound")):
        return sets(stage, bound, step, "bound")
    if name == "backpressure" and (pressure := stage.tracks.get(" backpressure")):
        if step.get("on") is True:
            begins(stage, pressure, "blocked", "on")
        else:
            ends(stage, pressure, "blocked", "off")
        return True
    return _on_output(stage, step)


def _on_output(stage: Stage, step: Wire) -> bool:
    """A step that names a split or the main output."""
    track = stage.tracks.get(_key(step)) if "split" in step else None
    if track is None:
        return False
    match step.get("step"):
        case "assign":
            if stage.mark(track, "ends", None, "assigned"):
                track.open.clear()
        case "finish":
            begins(stage, track, "absent", "finished")
        case "record":
            return record(stage, track, step, needs_reading=True)
        case "watermark":
            watermark(stage, track, step, idle="wakes")
        case "idle":
            begins(stage, track, "idle", "idle")
        case "active":
            ends(stage, track, "idle", "active")
        case _:
            return False
    return True


def _key(step: Wire) -> str:
    return _MAIN if step.get("split") is None else value_words(step["split"])


def _setup(setup: Wire) -> str:
    words = [value_words(setup.get("generator", "bounded-out-of-orderness"))]
    if bound := whole_number(setup.get("max_out_of_orderness", 0)):
        words[0] += f" of {duration_words(bound, 'ms')}"
    if timeout := whole_number(setup.get("idle_timeout")):
        words.append(f"idle after {duration_words(timeout, 'ms')}")
    if setup.get("aligned") is False:
        words.append("without alignment")
    if setup.get("can_pause") is False:
        allowed = setup.get("allow_unaligned_splits") is True
        words.append("splits cannot be paused" + (", which is allowed" if allowed else ""))
    if setup.get("per_split_outputs") is False:
        words.append("one output for all splits")
    return f"Generator: {'; '.join(words)}"


SOURCE = Drawing(_begin, _play, _setup, line="bound or watermark arrives")
