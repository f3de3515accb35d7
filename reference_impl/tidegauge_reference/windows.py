"""WIN: windows and lateness."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from .choices import before
from .citation import cite
from .errors import IllegalArgument, Unsupported
from .outputs import ACTIVE, IDLE, Output, watermark
from .policies import CORE, INITIAL_WATERMARK, Policies
from .timestamps import MAX, MIN, later, wrapped

Trigger = Literal["event-time", "per-record"]
Accumulation = Literal["discarding", "accumulating", "accumulating-and-retracting"]

Interval = tuple[int, int]
Values = tuple[int, ...]
Result = tuple[int, int, Values]
WindowOutput = Output | tuple[str, int, int, Values]
WindowsState = tuple[int, tuple[tuple[Interval, Values, tuple[Result, ...], bool], ...]]


def gone_round(starts: list[int], size: int) -> list[Interval]:
    """Windows of `size` ms where sums of 64 bits go round. An end of 2^63 stays as it is: the last moment of
    its window is `MAX`."""
    return [(wrapped(start), wrapped(start + size - 1) + 1) for start in starts]


@dataclass(frozen=True)
class Sliding:
    """Windows of `size` ms, one every `slide` ms, one of them at `offset` ms. Tumbling: both are equal.
    `wraps`: whether sums go round where event time ends, as a policy says."""

    size: int
    slide: int
    offset: int = 0
    wraps: bool = False

    def __post_init__(self) -> None:
        if min(self.size, self.slide) < 1:
            raise IllegalArgument(f"size {self.size} and slide {self.slide} must be at least 1 ms (WIN-1)")

    def windows_of(self, timestamp: int) -> list[Interval]:
        """The windows that `timestamp` (ms) belongs to, the latest first."""
        if self.wraps and max(timestamp - self.offset, timestamp + self.size) > MAX:
            last_start = timestamp - wrapped(timestamp - self.offset) % self.slide
            return gone_round(list(range(last_start, timestamp - self.size, -self.slide)), self.size)
        latest = timestamp - (timestamp - self.offset) % self.slide
        starts = [latest - self.slide * number for number in range(-(-self.size // self.slide))]
        windows = [(max(MIN, start), later(start, self.size)) for start in starts]
        return [window for window in windows if cite("WIN-1", timestamp < window[1])]


@dataclass(frozen=True)
class Session:
    """A window lasts until nothing has come for `gap` ms."""

    gap: int
    wraps: bool = False

    def __post_init__(self) -> None:
        if self.gap < 1:
            raise IllegalArgument(f"gap must be at least 1 ms, not {self.gap} (WIN-2)")

    def windows_of(self, timestamp: int) -> list[Interval]:
        """The session that a record of `timestamp` (ms) would have if it were the only one."""
        return gone_round([timestamp], self.gap) if self.wraps else [(timestamp, later(timestamp, self.gap))]


@dataclass(slots=True)
class Window:
    """What is kept of a window: the values for its next result, ascending, and the results that stand. A
    session that is `closed` merges with nothing any more."""

    values: Values = ()
    results: tuple[Result, ...] = ()
    closed: bool = False


@dataclass
class Windows:
    """Collects records in windows of event time and outputs the results; lateness in ms.

    A record has a timestamp (ms) and a `value` by which results name it. One without a timestamp raises
    `IllegalArgument` (WIN-15), and so does an impossible argument of the constructor.
    """

    assigner: Sliding | Session
    allowed_lateness: int = 0
    trigger: Trigger = "event-time"
    accumulation: Accumulation = "accumulating"
    late_output: bool = True
    policies: Policies = CORE
    current_watermark: int = field(init=False)
    windows: dict[Interval, Window] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.current_watermark = INITIAL_WATERMARK[self.policies.initial_watermark]
        if self.policies.window_beyond_event_time == "wraps":
            self.assigner = replace(self.assigner, wraps=True)
        if self.allowed_lateness < 0:
            raise IllegalArgument(f"allowed lateness {self.allowed_lateness} is negative (WIN-10)")
        if self.trigger not in get_args(Trigger):
            raise IllegalArgument(f"trigger {self.trigger!r} does not exist (WIN-5)")
        if self.accumulation not in get_args(Accumulation):
            raise IllegalArgument(f"mode {self.accumulation!r} does not exist (WIN-8)")

    def record(self, timestamp: int, value: int) -> list[WindowOutput]:
        """A record arrives, on whatever channel."""
        if cite("WIN-15", timestamp in self._no_moments()):
            raise IllegalArgument("timestamp must be a moment of event time, not MIN or MAX (WIN-15)")
        is_behind = self._is_past(self._allowed_until(timestamp))
        is_late = self.policies.window_late_record == "record" and cite("WIN-10", is_behind)
        own_windows = [] if is_late else self.assigner.windows_of(timestamp)
        taken = [window for own in reversed(own_windows) for window in self._add(own, value)]
        if taken:
            firing = [window for window in taken if self._fires_at_once(window)]
            earliest_first = self.policies.window_order_at_a_record == "earliest-first"
            return self._results(self._in_order(firing) if earliest_first else firing[::-1])
        if not cite("WIN-11", is_behind):
            return []
        return self._rejected(value)

    def watermark(self, timestamp: int) -> list[WindowOutput]:
        """Everything up to `timestamp` (ms) has arrived."""
        if cite("WIN-7", timestamp <= self.current_watermark):
            return []
        previous, self.current_watermark = self.current_watermark, timestamp
        by_time = not cite("WIN-5", self.trigger == "per-record")
        due = [
            w for w in self.windows if by_time and cite("WIN-3", previous < self._complete_at(w) <= timestamp)
        ]
        outputs = self._results(self._closing_order(due))
        for window in [w for w in self.windows if w[1] - 1 <= timestamp]:
            if cite("WIN-13", self._over(window)):
                del self.windows[window]
        return before("WIN-6", outputs, [watermark(timestamp)])

    def idle(self) -> list[WindowOutput]:
        """Upstream has no data for now."""
        cite("WIN-14")
        return [IDLE]

    def active(self) -> list[WindowOutput]:
        """Upstream has data again."""
        cite("WIN-14")
        return [ACTIVE]

    def expired_state(self) -> list[WindowOutput]:
        """How many records are kept of windows that nothing can be added to any more (WIN-13)."""
        expired = (w for w in self.windows if self._is_past(self._cleanup_time(w)))
        return [("state-size", sum(len(self.windows[window].values) for window in expired))]

    def _rejected(self, value: int) -> list[WindowOutput]:
        """What is output of a late record."""
        if cite("WIN-12", self.late_output):
            return [("late", value)]
        return [("drop",)] if self.policies.window_dropped_record == "counted" else []

    def _no_moments(self) -> tuple[int, ...]:
        """The timestamps that no window covers."""
        if not self.assigner.wraps:
            return MIN, MAX
        return () if isinstance(self.assigner, Session) else (MIN,)

    def _allowed_until(self, timestamp: int) -> int:
        if self.assigner.wraps:
            return wrapped(timestamp + self.allowed_lateness)
        return later(timestamp, self.allowed_lateness)

    def _is_past(self, moment: int) -> bool:
        """Whether what is accepted until `moment` (ms) is late now. After the end of all input it is."""
        if self.policies.window_late_at_watermark == "in-time" and moment < MAX:
            return moment < self.current_watermark
        return moment <= self.current_watermark

    def _add(self, own: Interval, value: int) -> list[Interval]:
        """Add a record to its window `own`, or to the session it becomes a part of; none if it is late."""
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
        values = sorted([value, *(value for part in parts for value in part.values)])
        standing = sorted(result for part in parts for result in part.results)
        self._keep(Window(tuple(values), tuple(standing)), whole, merged)
        return [whole]

    def _keep(self, window: Window, whole: Interval, merged: list[Interval]) -> None:
        """Keep a window instead of those `merged` into it, in the place of the one that starts first:
        `windows` are in the order of their creation."""
        first = min(merged, default=whole)
        for part in merged:
            if part != first:
                del self.windows[part]
        if whole != first:
            self.windows = {whole if w == first else w: kept for w, kept in self.windows.items()}
        self.windows[whole] = window

    def _overflows(self, window: Interval) -> bool:
        reached = wrapped(self._complete_at(window) + self.allowed_lateness) <= self.current_watermark
        return self.assigner.wraps and reached

    def _joins(self, own: Interval, window: Interval) -> bool:
        if self.assigner.wraps and (window == own or MAX in (window[1] - 1, own[1] - 1)):
            return window == own
        if isinstance(self.assigner, Session):
            overlaps = window[0] < own[1] and own[0] < window[1]
            touches = own[1] == window[0] or window[1] == own[0]
            joined = touches and self.policies.window_touching_sessions == "merge"
            return cite("WIN-2", overlaps or joined)
        return window == own

    def _fires_at_once(self, window: Interval) -> bool:
        per_record = cite("WIN-5", self.trigger == "per-record")
        return per_record or cite("WIN-4", self._complete_at(window) <= self.current_watermark)

    def _in_order(self, windows: list[Interval]) -> list[Interval]:
        cite("WIN-6")
        return sorted(windows, key=lambda window: (window[1], window[0]))

    def _closing_order(self, due: list[Interval]) -> list[Interval]:
        """The order in which a watermark fires windows; they come in the order of their creation."""
        if self.policies.window_order_at_a_watermark == "by-creation":
            return due
        latest_first = self.policies.window_order_at_a_watermark == "latest-first"
        return self._in_order(due)[::-1] if latest_first else self._in_order(due)

    def _results(self, windows: list[Interval]) -> list[WindowOutput]:
        """Fire each of `windows`."""
        outputs: list[WindowOutput] = []
        for window in windows:
            kept = self.windows[window]
            result = (window[0], wrapped(window[1]), kept.values)
            if cite("WIN-9", self.accumulation == "accumulating-and-retracting"):
                outputs += [("retract", *standing) for standing in kept.results]
                kept.results = (result,)
            outputs.append(("fire", *result))
            if cite("WIN-8", self.accumulation == "discarding"):
                kept.values = ()
        return outputs

    def _complete_at(self, window: Interval) -> int:
        """The watermark (ms) at which no record of a window is missing."""
        if self.policies.window_session_end == "inclusive" and isinstance(self.assigner, Session):
            return later(window[1] - 1, 1)
        return window[1] - 1

    def _cleanup_time(self, window: Interval) -> int:
        return later(self._complete_at(window), self.allowed_lateness)

    def _over(self, window: Interval) -> bool:
        cleanup_time = self._cleanup_time(window)
        timed = self.trigger == "event-time" and self._complete_at(window) == MAX
        endless = cleanup_time == MAX and not timed and self.policies.window_endless_state == "kept"
        return self._is_past(cleanup_time) and not endless

    def state(self) -> WindowsState:
        """All of the state, hashable, which `restore` needs: equal states behave alike from here on. The
        order of creation belongs to the state where a policy shows it."""
        windows = [(w, kept.values, kept.results, kept.closed) for w, kept in self.windows.items()]
        by_creation = self.policies.window_order_at_a_watermark == "by-creation"
        return self.current_watermark, tuple(windows if by_creation else sorted(windows))

    snapshot = state

    def restore(self, saved: WindowsState) -> None:
        """Become the windows that `saved` was taken from."""
        cite("WIN-16")
        self.current_watermark, windows = saved
        self.windows = {w: Window(values, results, closed) for w, values, results, closed in windows}
