"""The inputs of subtasks: the channels of a valve and the splits of a source, and their silences."""

from collections import deque
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tidegauge.wire.timestamps import MAX, MIN

from ..counts import Count
from ..examples import examples_of
from ..rows import Flags, Indexes, Numbers, Rows
from .stretches import Course

MOST_PARTS = 10_000
"""The maximum number of inputs that are kept per operator."""

_NEVER = np.iinfo(np.int64).min


class Silence(Struct, frozen=True):
    """A period in which an input has no rows, but can hold back the watermark.

    begin, end: processing times in ms. watermark: the watermark of the input (ms), None if it has none.
    """

    begin: int
    end: int
    watermark: int | None


class Part(Struct, frozen=True):
    """An input of a subtask (a channel or a split), up to the end of the log.

    watermark: the last watermark that the input delivered (ms), None if there was none. at: the processing
    time of its last row (ms). holds: whether the input can hold back the watermark: it is neither idle nor
    finished. timed_at: the processing time of its last record or watermark. is_away: whether the input has
    been idle since then. silence: the longest silence that is over. pauses: the number of pauses between two
    rows, by the exponent of the next lower power of two (ms). away: the longest absence before a return
    behind the watermark (ms). lags: how far its watermarks are behind the clock (ms), the lowest in each
    stretch. upstream: the name that the log gives a channel in the column `split`.
    """

    watermark: int | None
    at: int
    holds: bool = True
    timed_at: int | None = None
    is_away: bool = False
    silence: Silence | None = None
    pauses: dict[int, int] = {}
    away: int = 0
    lags: Course = Course(kept="lowest")
    upstream: str = ""

    def pause(self, share: float) -> int | None:
        """Return a duration (ms), a power of two, that this share of the pauses does not exceed."""
        reached, wanted = 0, share * sum(self.pauses.values())
        for exponent in sorted(self.pauses):
            reached += self.pauses[exponent]
            if reached >= wanted:
                return int(2 << exponent)
        return None


class InputsFold:
    """Computes the inputs of subtasks. Between batches, it keeps the inputs of the last subtask."""

    def __init__(self) -> None:
        self._operator: tuple[str, str] | None = None
        self._subtask = 0
        self._parts: dict[str, Part] = {}
        self._open: set[str] = set()  # the inputs with rows in the current stretch

    def of(self, rows: Rows, operator: tuple[str, str], new: Indexes) -> tuple[dict[str, Part], Count]:
        """Return the inputs that changed, up to their last row, and their returns after idle periods."""
        of_parts = new[((rows.channel >= 0) | (rows.split >= 0))[new]]
        kinds = rows.is_kind("record", "watermark", "idle", "active", "assigned", "finished")
        segments = _Segments.of(rows, of_parts[kinds[of_parts]])
        returns = Count()
        changed: dict[str, Part] = {}
        starts = deque(new[rows.starts_stretch[new]].tolist())
        if self._operator != operator:
            self._operator = operator
            self._begin_subtask(rows, int(new[0]))
        for begin, end in zip(segments.begins, segments.ends, strict=True):
            row = int(segments.rows[begin])
            while starts and starts[0] <= rows.start[row]:
                changed |= self._begin_stretch(rows, starts.popleft())
            name = f"{self._subtask} {_name(rows, row)}"
            known = self._parts.get(name)
            segment = _Segment(rows, segments, begin, end, known if name in self._open else None)
            returns.add(segment.returns())
            changed[name] = self._parts[name] = segment.after(known)
            self._open.add(name)
        for start in starts:
            changed |= self._begin_stretch(rows, start)
        return changed, returns

    def _begin_subtask(self, rows: Rows, row: int) -> None:
        self._subtask = rows.table["subtask"][row].as_py()
        self._parts = {}
        self._open = set()

    def _begin_stretch(self, rows: Rows, row: int) -> dict[str, Part]:
        """Begin a stretch, and return the inputs that it changes: a restart ends their silences."""
        self._open = set()
        if rows.begins_subtask[row]:
            self._begin_subtask(rows, row)
        elif rows.is_kind("restarted")[row]:
            at = int(rows.processing_time[row])
            for name, part in self._parts.items():
                silence = Silence(part.at, at, part.watermark) if part.holds else None
                self._parts[name] = replace(part, holds=False, silence=_longer(part.silence, silence))
            return dict(self._parts)
        return {}


class _Segments(Struct):
    """Rows in segments: a segment has the rows of one input in one stretch. `begins`, `ends`: of segments."""

    rows: Indexes
    begins: list[int]
    ends: list[int]
    time: Numbers
    holds: Flags
    is_timed: Flags
    is_mark: Flags
    is_idle: Flags

    @staticmethod
    def of(rows: Rows, some: Indexes) -> "_Segments":
        channels = int(rows.channel.max(initial=0)) + 1
        part = np.where(rows.channel[some] >= 0, rows.channel[some], rows.split[some] + channels)
        width = channels + int(rows.split.max(initial=0)) + 1
        key = rows.start[some] * width + part
        order = np.argsort(key, kind="stable")
        some, key = some[order], key[order]
        begins = np.flatnonzero(np.diff(key, prepend=-1)).tolist()
        event = rows.event_time[some]
        is_plain = rows.has_event_time[some] & (event != MAX) & (event != MIN)
        return _Segments(
            rows=some,
            begins=begins,
            ends=[*begins[1:], len(some)][: len(begins)],
            time=rows.processing_time[some],
            holds=~rows.is_kind("idle", "finished")[some],
            is_timed=rows.is_kind("record", "watermark")[some] & is_plain,
            is_mark=rows.is_kind("watermark")[some] & rows.has_event_time[some],
            is_idle=rows.is_kind("idle")[some],
        )


class _Segment:
    """The rows of one input in one stretch. `continued`: the input so far, None at its first rows there."""

    def __init__(self, rows: Rows, segments: _Segments, begin: int, end: int, continued: Part | None) -> None:
        here = slice(begin, end)
        self._rows = rows
        self._continued = continued
        self._at = segments.rows[here]
        self._time = segments.time[here]
        self._is_mark = segments.is_mark[here]
        self._places = np.arange(end - begin)
        holds, timed, idle = segments.holds[here], segments.is_timed[here], segments.is_idle[here]
        self._holds = bool(holds[-1])
        first = self._time[0] if continued is None else continued.at
        self._pauses = np.maximum(np.diff(self._time, prepend=first), 0)
        self._is_pause = np.append(continued is not None and continued.holds, holds[:-1])
        self._timed = np.flatnonzero(timed)
        self._idle = np.flatnonzero(idle)

    def _aways(self) -> tuple[Indexes, Numbers]:
        """Return the timed rows after an idle period, and the times of the timed rows before it."""
        timed, continued = self._timed, self._continued
        if not len(timed):
            return timed, timed
        if len(self._idle):
            idle = np.searchsorted(self._idle, timed)
            was_idle = np.diff(idle, prepend=0) > 0
        else:
            was_idle = np.zeros(len(timed), dtype=bool)
        before = np.append(_NEVER, self._time[timed[:-1]])
        if continued is not None:
            was_idle[0] |= continued.is_away
            before[0] = _NEVER if continued.timed_at is None else continued.timed_at
        chosen = was_idle & (before != _NEVER)
        return timed[chosen], before[chosen]

    def returns(self) -> Count:
        """Count the returns of the input, and those behind the watermark that was output in between."""
        places, before = self._aways()
        self._away = 0
        if not len(places):
            return Count()
        back = self._at[places]
        output = self._rows.last(self._rows.watermarks, back)
        reached = self._rows.event_time[output]
        far = reached - self._rows.event_time[back]
        behind = (output >= 0) & (reached != MAX) & (reached != MIN) & (far > 0)
        back, output, far = back[behind], output[behind], far[behind]
        if not len(back):
            return Count(len(places))
        away = self._rows.processing_time[back] - before[behind]
        self._away = int(away.max())
        says = "is active again at {this}, {far} behind the watermark {other}"
        first = examples_of(self._rows, back, says, output, far)
        return Count(len(places), len(back), int(far.max()), self._away, first)

    def after(self, known: Part | None) -> Part:
        """Return the input after these rows. `known`: the input before them, also from an earlier stretch."""
        known = known or Part(None, int(self._time[-1]))
        continued = self._continued
        marks = self._at[self._is_mark]
        watermark = known.watermark
        if len(marks):
            watermark = int(self._rows.event_time[marks[-1]])
        event = self._rows.event_time[marks]
        is_plain = (event != MAX) & (event != MIN)
        times = self._rows.processing_time[marks[is_plain]]
        lags = Course.of(times, times - event[is_plain], kept="lowest")
        last_timed = self._timed[-1] if len(self._timed) else None
        is_away = bool(len(self._idle)) if last_timed is None else bool((self._idle > last_timed).any())
        if last_timed is None and continued is not None:
            is_away |= continued.is_away
        timed_at = None if continued is None else continued.timed_at
        return Part(
            watermark=watermark,
            at=int(self._time[-1]),
            holds=self._holds,
            timed_at=timed_at if last_timed is None else int(self._time[last_timed]),
            is_away=is_away,
            silence=_longer(known.silence, self._silence(known.watermark)),
            pauses=dict(self._counted(known.pauses)),
            away=max(known.away, self._away),
            lags=known.lags.merged(lags),
            upstream=self._upstream() or known.upstream,
        )

    def _upstream(self) -> str:
        """Return the last name in these rows of a channel; "" if there is none."""
        named = self._at[(self._rows.channel[self._at] >= 0) & (self._rows.split[self._at] >= 0)]
        return str(self._rows.table["split"][int(named[-1])]) if len(named) else ""

    def _silence(self, watermark: int | None) -> Silence | None:
        """Return the longest silence that ends with one of these rows. `watermark`: that before the rows."""
        if not self._is_pause.any():
            return None
        place = int(np.argmax(np.where(self._is_pause, self._pauses, -1)))
        end = int(self._time[place])
        before = np.flatnonzero(self._is_mark[:place])
        if len(before):
            watermark = int(self._rows.event_time[self._at[before[-1]]])
        return Silence(end - int(self._pauses[place]), end, watermark)

    def _counted(self, pauses: dict[int, int]) -> Iterator[tuple[int, int]]:
        durations = np.maximum(self._pauses[self._is_pause], 1)
        numbers = np.bincount(np.log2(durations).astype(np.int64)) if len(durations) else np.zeros(0, int)
        for exponent in {*pauses, *np.flatnonzero(numbers).tolist()}:
            more = int(numbers[exponent]) if exponent < len(numbers) else 0
            yield exponent, pauses.get(exponent, 0) + more


def _longer(first: Silence | None, second: Silence | None) -> Silence | None:
    """Return the longer silence; the first one if both are equally long."""
    if first is None or second is None:
        return first or second
    return second if second.end - second.begin > first.end - first.begin else first


def _name(rows: Rows, row: int) -> str:
    channel = int(rows.channel[row])
    return f"channel {channel}" if channel >= 0 else f"split {rows.table['split'][row].as_py()}"
