"""What can happen on a lane; each act marks it and changes how the lane stands."""

from typing import Any, Literal

from tidegauge.wire.timestamps import MAX, MIN

from ..wording import milliseconds, timestamp_words, value_words
from .history import SpanKind
from .stage import Stage, Track, Wire


def watermark(
    stage: Stage,
    track: Track,
    step: Wire,
    field: str = "timestamp",
    *,
    idle: Literal["unheard", "wakes", "heard"] = "heard",
    after: str = "",
) -> None:
    """A watermark arrives; the lane's line only rises. `idle`: what it does on an idle lane."""
    timestamp = milliseconds(step.get(field))
    words = _timestamp(step, field)
    if timestamp is None or stage.refused or not track.lane.exists:
        stage.mark(track, "refused", None, f"watermark {words}")
        return
    unheard = idle == "unheard" and track.open["idle"] > 0
    if idle == "wakes":
        track.open["idle"] = 0
    if unheard or timestamp <= (MIN if track.level is None else track.level):
        stage.mark(track, "ignored", timestamp, f"{words} ignored{after}")
    else:
        track.level = timestamp
        ends = timestamp == MAX
        stage.mark(track, "end" if ends else "watermark", timestamp, f"{words}{': end' * ends}{after}")


def sets(stage: Stage, track: Track, step: Wire, field: str, before: str = "", after: str = "") -> bool:
    """The lane's line is at a timestamp from now on, be it higher or lower; false if it is none."""
    timestamp = milliseconds(step.get(field))
    if timestamp is None:
        return False
    if stage.mark(track, "watermark", timestamp, f"{before}{timestamp_words(timestamp)}{after}"):
        track.level = timestamp
    return True


def record(stage: Stage, track: Track, step: Wire, name: str = "", *, needs_reading: bool = False) -> bool:
    """A record comes, which may have a `name`: then it is late if it is expected to be put aside or dropped,
    otherwise if it is not above the last watermark. With `needs_reading` it comes out if it is read at all.
    False if it has no timestamp in its wire form."""
    timestamp = milliseconds(step.get("timestamp"))
    if timestamp is None:
        return False
    words = f"{name} at {timestamp_words(timestamp)}" if name else timestamp_words(timestamp)
    if timestamp == MIN:
        words = f"{name} without a time".strip()
    if stage.refused:
        words = f"record {words}"
    if needs_reading and stage.expected is not None and not _outputs(stage, "record"):
        stage.mark(track, "unread", timestamp, f"{words} not read")
    elif _put_aside(stage) if name else _behind(stage, timestamp):
        stage.mark(track, "late", timestamp, f"{words} late")
    else:
        stage.mark(track, "record", timestamp, words)
    return True


def _put_aside(stage: Stage) -> bool:
    return bool(_outputs(stage, "late") or _outputs(stage, "drop"))


def _behind(stage: Stage, timestamp: int) -> bool:
    """Whether a record is behind the watermarks that came out before it, with the time it goes out with."""
    out = [milliseconds(output.get("timestamp")) for output in _outputs(stage, "record")]
    times = [time for time in out if time is not None] or [timestamp]
    return any(MIN < time <= stage.behind for time in times)


def begins(stage: Stage, track: Track, kind: SpanKind, label: str, *, counted: bool = False) -> None:
    """A span begins on the lane; `counted`: once more if it lasts already."""
    if track.final and track.level == MAX:
        stage.mark(track, "refused", None, label)
        return
    more = track.open[kind] + 1 if counted else 1
    if stage.mark(track, "begins", None, f"{label} ({more})" if more > 1 else label):
        track.open[kind] = more


def ends(stage: Stage, track: Track, kind: SpanKind, label: str, *, counted: bool = False) -> None:
    """A span ends on the lane; `counted`: once."""
    if track.final and track.level == MAX:
        stage.mark(track, "refused", None, label)
        return
    left = track.open[kind] - 1 if counted and track.open[kind] else 0
    if stage.mark(track, "ends", None, f"{label} ({left} left)" if left else label):
        track.open[kind] = left


def note(stage: Stage, track: Track, label: str, timestamp: int | None = None) -> None:
    """Something that changes nothing that is drawn."""
    stage.mark(track, "note", timestamp, label)


def _outputs(stage: Stage, name: str) -> list[Any]:
    return [output for output in stage.expected or () if output.get("output") == name]


def _timestamp(step: Wire, field: str) -> str:
    value = step.get(field, "?")
    timestamp = milliseconds(value)
    return value_words(value) if timestamp is None else timestamp_words(timestamp)
