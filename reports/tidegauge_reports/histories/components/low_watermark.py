"""The low-watermark service: a lane for each task, with its own watermark and what reaches or leaves it."""

from collections.abc import Sequence
from typing import Any

from ...wording import milliseconds, timestamp_words, value_words, whole_number
from ..acts import begins, ends, note, watermark
from ..history import SpanKind
from ..stage import MOST_TRACKS, Stage, Wire
from .drawing import Drawing

_ALL_UP_TO = 8


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    given = setup.get("vertices")
    vertices = [vertex for vertex in given if isinstance(vertex, dict)] if isinstance(given, list) else []
    for vertex in vertices[:MOST_TRACKS]:
        name = value_words(vertex.get("name"))
        tasks = whole_number(vertex.get("tasks")) or 0
        joins = sum(step.get("step") == "join" and value_words(step.get("vertex")) == name for step in steps)
        partitions = whole_number(vertex.get("partitions")) or 0
        numbers = _named(steps, name) | set(range(tasks, tasks + joins))
        if tasks <= _ALL_UP_TO:
            numbers |= set(range(tasks))
        for number in sorted(numbers):
            if 0 <= number < tasks + joins:
                absent: list[SpanKind] = ["absent"] if number >= tasks else []
                reads = vertex.get("source") is not False
                empty: list[SpanKind] = ["empty"] if reads and number >= min(tasks, partitions) else []
                key = f"{name}/{number}"
                stage.add(key, f"task {key}", *_captions(vertex), line=True, during=[*absent, *empty])
    for step in steps:
        if "vertex" in step and "task" in step:
            stage.add(_key(step), f"task {_key(step)}", "does not exist", exists=False)


def _named(steps: Sequence[Wire], vertex: str) -> set[int]:
    return {
        number
        for step in steps
        if value_words(step.get("vertex")) == vertex
        and (number := whole_number(step.get("task"))) is not None
    }


def _captions(vertex: Wire) -> list[str]:
    told = (
        ("source", "is no source"),
        ("cooperating", "does not cooperate"),
        ("listening", "does not listen"),
    )
    return [words for field, words in told if vertex.get(field) is False]


def _play(stage: Stage, step: Wire) -> bool:
    name = step.get("step")
    if name == "trigger":
        stage.moment(f"trigger {_time(step, 'timestamp')}")
        return True
    if name == "join":
        return _join(stage, step)
    track = stage.tracks.get(_key(step))
    if track is None:
        return False
    match name:
        case "leave":
            begins(stage, track, "absent", "leaves")
        case "watermark":
            watermark(stage, track, step)
        case "partitions" if step.get("count") == 0:
            begins(stage, track, "empty", "no partitions")
        case "partitions":
            ends(stage, track, "empty", f"{value_words(step.get('count'))} partitions")
        case "retrieve":
            note(stage, track, f"is asked, round {_time(step, 'timestamp')}")
        case "reply":
            words = f"its reply {_time(step, 'low_watermark')} arrives"
            note(stage, track, words, milliseconds(step.get("low_watermark")))
        case "notify":
            words = f"is told {_time(step, 'low_watermark')}"
            note(stage, track, words, milliseconds(step.get("low_watermark")))
        case _:
            return False
    return True


def _join(stage: Stage, step: Wire) -> bool:
    """The next task of a vertex starts: the first that has not been there."""
    vertex = value_words(step.get("vertex"))
    for key, track in stage.tracks.items():
        never_there = all(level is None for level in track.lane.levels)
        if key.rpartition("/")[0] == vertex and never_there and track.lane.exists:
            ends(stage, track, "absent", "joins")
            return True
    return False


def _time(step: Wire, field: str) -> str:
    timestamp = milliseconds(step.get(field))
    return value_words(step.get(field)) if timestamp is None else timestamp_words(timestamp)


def _key(step: Wire) -> str:
    return f"{value_words(step.get('vertex'))}/{_number(step.get('task'))}"


def _number(task: Any) -> str:
    return value_words(task)


LOW_WATERMARK = Drawing(_begin, _play, line="watermark of its own")
