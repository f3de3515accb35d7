"""Windows: the records and the watermark of the input; windows that fire are drawn where they come out."""

from collections.abc import Sequence
from typing import Any

from ...wording import value_words
from ..acts import begins, ends, record, watermark
from ..stage import Stage, Wire
from .drawing import Drawing


def _begin(stage: Stage, _setup: Wire, _steps: Sequence[Wire]) -> None:
    stage.add("input", "input", line=True)


def _play(stage: Stage, step: Wire) -> bool:
    track = stage.tracks["input"]
    match step.get("step"):
        case "record":
            return record(stage, track, step, value_words(step.get("value", "?")))
        case "watermark":
            watermark(stage, track, step)
        case "idle":
            begins(stage, track, "idle", "idle")
        case "active":
            ends(stage, track, "idle", "active")
        case "expired-state":
            stage.moment("ask for old state")
        case _:
            return False
    return True


def _setup(setup: Wire) -> str:
    assigner = setup.get("assigner")
    words = [f"{_assigner(assigner)} windows" if isinstance(assigner, dict) else "Windows"]
    if lateness := setup.get("allowed_lateness"):
        words.append(f"lateness up to {value_words(lateness)} ms")
    if setup.get("trigger") == "per-record":
        words.append("fire at every record")
    words.append(value_words(setup.get("accumulation", "accumulating")))
    if setup.get("late_output") is False:
        words.append("no late output")
    return ", ".join(words)


def _assigner(assigner: dict[str, Any]) -> str:
    """`Tumbling (size 5)`."""
    fields = [f"{key} {value_words(value)}" for key, value in assigner.items() if key != "assigner" and value]
    return f"{value_words(assigner.get('assigner', '?')).capitalize()} ({', '.join(fields)})"


WINDOW = Drawing(_begin, _play, _setup)
