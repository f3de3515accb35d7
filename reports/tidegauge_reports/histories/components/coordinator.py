"""Source coordinators: a lane for each subtask, with what it reported and the bounds it is told."""

from collections.abc import Sequence
from typing import Any

from tidegauge.wire.timestamps import MAX

from ...wording import value_words, whole_number
from ..acts import begins, ends, sets
from ..stage import MOST_TRACKS, Stage, Track, Wire
from .drawing import Drawing

_ALL_UP_TO = 8


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    sources = setup.get("sources")
    for source in sources[:MOST_TRACKS] if isinstance(sources, list) else []:
        if isinstance(source, dict):
            _add(stage, source, steps, running=True)
    for step in steps:
        if step.get("step") == "start":
            _add(stage, step, steps, running=False)
    for step in steps:
        if "source" in step and "subtask" in step:
            stage.add(_key(step, step["subtask"]), f"subtask {_key(step, step['subtask'])}", "does not exist",
                      exists=False)  # fmt: skip


def _add(stage: Stage, source: Wire, steps: Sequence[Wire], running: bool) -> None:
    """The lanes of a source: of all subtasks if they are few, otherwise of those that the history names."""
    identity = value_words(source.get("source"))
    count = whole_number(source.get("subtasks")) or 0
    named = {
        number
        for step in steps
        if value_words(step.get("source")) == identity
        and (number := whole_number(step.get("subtask"))) is not None
    }
    if count <= _ALL_UP_TO:
        named |= set(range(count))
    for number in sorted(named):
        if 0 <= number < count:
            stage.add(
                _key(source, number),
                f"subtask {_key(source, number)}",
                *_captions(source),
                line=True,
                during=() if running else ("absent", "down"),
            )


def _captions(source: Wire) -> list[str]:
    group, name = source.get("watermark_group"), value_words(source.get("name"))
    drift = value_words(source.get("max_allowed_watermark_drift"))
    known = "no alignment" if group is None else f"group {value_words(group)}, drift {drift}"
    return [known] if name == value_words(source.get("source")) else [known, f"name {name}"]


def _play(stage: Stage, step: Wire) -> bool:
    name = step.get("step")
    if name in ("announce", "restart", "start"):
        stage.moment(f"{name} {value_words(step.get('source'))}")
        if not stage.refused and name != "announce":
            for subtask in _tracks(stage, step):
                subtask.open["absent"], subtask.open["down"] = 0, 1
        return True
    track = stage.tracks.get(_key(step, step.get("subtask")))
    if track is None:
        return False
    match name:
        case "report":
            return sets(stage, track, step, "watermark")
        case "finish":
            if stage.mark(track, "end", MAX, "finished"):
                track.level = MAX
        case "ready":
            ends(stage, track, "down", "ready")
        case "failed" | "reset":
            begins(stage, track, "down", str(name))
        case _:
            return False
    return True


def _tracks(stage: Stage, step: Wire) -> list[Track]:
    """The lanes of the source that a step names."""
    source = _key(step, "")
    return [track for key, track in stage.tracks.items() if key.rpartition("/")[0] + "/" == source]


def _key(source: Wire, subtask: Any) -> str:
    return f"{value_words(source.get('source'))}/{value_words(subtask)}"


COORDINATOR = Drawing(_begin, _play, line="watermark reported")
