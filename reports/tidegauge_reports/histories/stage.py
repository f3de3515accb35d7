"""Where a history is played: its lanes, what has happened on them so far, and the time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from tidegauge.wire.timestamps import MIN

from ..text import short
from ..wording import duration_words, milliseconds, step_words, value_words, whole_number
from .history import Lane, Mark, MarkKind, SpanKind, TimePassed

LONGEST_LABEL = 30
MOST_TRACKS = 600
"""More lanes are not even looked at."""

SPAN_KINDS: tuple[SpanKind, ...] = get_args(SpanKind)

_LONGEST_NAME = 18
_ALL_UP_TO = 8

Wire = Mapping[str, Any]


@dataclass
class Track:
    """A lane that is being filled: its `level` now, and the spans that last now, counted by kind. `final`:
    the end of its input is the last thing that can happen on it."""

    lane: Lane
    order: tuple[int, int]
    level: int | None
    final: bool
    open: Counter[SpanKind] = field(default_factory=Counter)
    saved: tuple[int | None, Counter[SpanKind]] | None = None


@dataclass
class Stage:
    """The state of a history that is being played. `column` is the step now, `refused` whether it had to be
    refused, `behind` the last watermark that is expected to have come out."""

    column: int = -1
    refused: bool = False
    behind: int = MIN
    expected: Sequence[Wire] | None = None
    tracks: dict[str, Track] = field(default_factory=dict)
    moments: dict[int, str] = field(default_factory=dict)
    clock: tuple[str, ...] = ()
    unit: str = "ms"
    time: int = 0
    passed: dict[int, TimePassed] = field(default_factory=dict)
    saved_time: int | None = None

    def add(
        self,
        key: str,
        *names: str,
        exists: bool = True,
        line: bool = False,
        final: bool = False,
        number: int | None = None,
        during: Sequence[SpanKind] = (),
    ) -> None:
        """A lane of its own, unless there is one: with a `line` that begins at `MIN`, and with spans that
        last from the start. Lanes stand by their numbers, if they have any; those that
        do not exist come last."""
        if key in self.tracks or len(self.tracks) >= MOST_TRACKS:
            return
        lane = Lane(
            tuple(short(name, _LONGEST_NAME + 4 * bool(row)) for row, name in enumerate(names)), exists
        )
        place = len(self.tracks) if number is None else number
        level = MIN if line else None
        track = Track(lane, (not exists, place), level, final, Counter(during))
        self.tracks[key] = track
        _remember(track)

    def add_numbered(self, word: str, count: object, steps: Sequence[Wire], **options: Any) -> None:
        """The lanes of channels or inputs: all of a few, otherwise those that the history names."""
        named = {number for step in steps if (number := whole_number(step.get(word))) is not None}
        known = whole_number(count)
        known = max(named, default=-1) + 1 if known is None else known
        shown = named | set(range(known)) if known <= _ALL_UP_TO else named
        for number in sorted(shown):
            names = [f"{word} {number}".replace("-", "−")]
            exists = 0 <= number < known
            if not exists:
                names.append("does not exist")
            self.add(f"{word} {number}", *names, exists=exists, number=number, **options)

    def numbered(self, word: str, step: Wire) -> Track | None:
        """The lane that a step names by a number, if there is one."""
        number = whole_number(step.get(word))
        return None if number is None else self.tracks.get(f"{word} {number}")

    def moment(self, words: str) -> None:
        """The step concerns the whole component."""
        if self.refused:
            words += " ✕"
        self.moments[self.column] = short(words, LONGEST_LABEL)

    def strange(self, step: Wire) -> None:
        """The step is none that the component knows, or not as it should be."""
        self.moment(step_words(step))

    def mark(self, track: Track, kind: MarkKind, timestamp: int | None, label: str) -> bool:
        """Mark the step on a lane; whether it had an effect there."""
        effect = not self.refused and track.lane.exists and kind != "refused"
        if not effect:
            kind, timestamp = "refused", None
        track.lane.marks.append(Mark(self.column, kind, timestamp, short(label, LONGEST_LABEL)))
        return effect

    def start_clock(self, start: object) -> None:
        """Processing time (ms) is shown, from `start` on; from 0 if that is not a number."""
        self.time = whole_number(start) or 0
        since = (f"from {duration_words(self.time, self.unit)}",) if self.time else ()
        self.clock = ("processing time", *since)

    def pass_time(self, amount: object) -> bool:
        """So much time passes; false if `amount` is not a number."""
        number = whole_number(amount)
        if number is None:
            return False
        words = f"+{duration_words(number, self.unit)}" if number >= 0 else duration_words(number, self.unit)
        if self.refused:
            self.passed[self.column] = TimePassed(f"{words} ✕", "")
        else:
            self.time += number
            self.passed[self.column] = TimePassed(words, duration_words(self.time, self.unit))
        return True

    def set_time(self, now: object) -> bool:
        """It is `now`; false if that is not a number."""
        number = whole_number(now)
        if number is not None:
            self.time = number
            self.passed[self.column] = TimePassed("", duration_words(number, self.unit))
        return number is not None

    def begin_step(self, column: int, expected: Sequence[Wire] | None) -> None:
        """The step `column` comes, with what is expected to come out (None: not observed)."""
        self.column = column
        self.expected = expected
        self.refused = bool(expected) and all(output.get("output") == "error" for output in expected or ())

    def end_step(self) -> None:
        """Note how things stand after the step."""
        for track in self.tracks.values():
            _remember(track)
        for output in self.expected or ():
            timestamp = milliseconds(output.get("timestamp"))
            if output.get("output") == "watermark" and timestamp is not None:
                self.behind = max(self.behind, timestamp)

    def save(self) -> None:
        """A snapshot is taken."""
        self.saved_time = self.time
        for track in self.tracks.values():
            track.saved = (track.level, Counter(track.open))

    def take_back(self) -> None:
        """All is as it was at the snapshot."""
        if self.saved_time is not None:
            if self.clock and self.time != self.saved_time:
                self.passed[self.column] = TimePassed("", duration_words(self.saved_time, self.unit))
            self.time = self.saved_time
        for track in self.tracks.values():
            if track.saved is not None:
                track.level, track.open = track.saved[0], Counter(track.saved[1])

    def lanes(self) -> list[Lane]:
        """The lanes in the order in which they stand; how each kind of span lasted is filled up."""
        lanes = [track.lane for track in sorted(self.tracks.values(), key=lambda track: track.order)]
        for lane in lanes:
            for kind in SPAN_KINDS:
                lasted = lane.during.setdefault(kind, [])
                lasted += [False] * (len(lane.levels) - len(lasted))
        return lanes


def _remember(track: Track) -> None:
    """Note how a lane stands now, with the spans that have lasted on it at any time."""
    absent = track.open["absent"] > 0
    before = len(track.lane.levels)
    track.lane.levels.append(None if absent else track.level)
    for kind, number in track.open.items():
        lasted = track.lane.during.setdefault(kind, [False] * before)
        lasted += [False] * (before - len(lasted))
        lasted.append(number > 0 and (kind == "absent" or not absent))


def named(steps: Sequence[Wire], field_name: str) -> list[object]:
    """The values that a field has in a history, each once, in order."""
    found: dict[str, object] = {}
    for step in steps:
        if field_name in step:
            found.setdefault(value_words(step[field_name]), step[field_name])
    return list(found.values())
