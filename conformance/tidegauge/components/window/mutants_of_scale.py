"""Faulty windows that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.errors import Unsupported
from tidegauge_reference.timestamps import MAX, MIN, later, wrapped
from tidegauge_reference.windows import Window, gone_round

from ...mutants.mutant import Mutant, at_scale


def _summer_time(self: Any, timestamp: int) -> Any:
    if self.wraps and max(timestamp - self.offset, timestamp + self.size) > MAX:
        last_start = timestamp - wrapped(timestamp - self.offset) % self.slide
        return gone_round(list(range(last_start, timestamp - self.size, -self.slide)), self.size)
    day, hour = 86_400_000, 3_600_000
    earlier = hour if self.size % day == 0 and 87 <= timestamp // day % 365 < 297 else 0
    latest = timestamp - (timestamp - self.offset + earlier) % self.slide
    starts = [latest - self.slide * number for number in range(-(-self.size // self.slide))]
    windows = [(max(MIN, start), later(start, self.size)) for start in starts]
    return [window for window in windows if cite("WIN-1", timestamp < window[1])]


def _two_hundred_records(self: Any, own: Any, value: int) -> Any:
    merged = [w for w, kept in self.windows.items() if not kept.closed and self._joins(own, w)]
    whole = (min(start for start, _ in [own, *merged]), max(end for _, end in [own, *merged]))
    if self._overflows(whole) and merged and whole not in merged:
        raise Unsupported("the merged session ends next to the end of event time (WIN-15)")
    judged = own if self.policies.window_session_lateness == "before-merging" else whole
    if cite("WIN-10", self._is_past(self._cleanup_time(judged))):
        if self.assigner.wraps and judged in self.windows:
            self.windows[judged].closed = True
        return []
    parts = [self.windows[window] for window in merged]
    values = sorted([value, *(value for part in parts for value in part.values)][:200])
    standing = sorted(result for part in parts for result in part.results)
    self._keep(Window(tuple(values), tuple(standing)), whole, merged)
    return [whole]


WINDOW_MUTANTS_OF_SCALE = (
    at_scale(
        "calendar",
        Mutant(
            "window-summer-time",
            "window",
            "windows",
            ("WIN-1",),
            "days of a time zone",
            "Daily windows start an hour earlier in summer.",
            functions=(("Sliding.windows_of", _summer_time),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "window-two-hundred-records",
            "window",
            "windows",
            ("WIN-8",),
            "a buffer of fixed length",
            "A window keeps at most 200 records.",
            functions=(("Windows._add", _two_hundred_records),),
        ),
    ),
)
