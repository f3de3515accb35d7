"""Mutants of windows that resemble a value of a policy. Each is faulty under every value of the policy."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument, Unsupported
from tidegauge_reference.timestamps import MAX, later
from tidegauge_reference.windows import Session, Window

from ...mutants.mutant import Mutant


def _joins_at_one_end(self: Any, own: Any, window: Any) -> Any:
    if self.assigner.wraps and (window == own or MAX in (window[1] - 1, own[1] - 1)):
        return window == own
    if isinstance(self.assigner, Session):
        overlaps = window[0] < own[1] and own[0] < window[1]
        return cite("WIN-2", overlaps or window[1] == own[0])
    return window == own


def _joins_without_the_last_millisecond(self: Any, own: Any, window: Any) -> Any:
    if self.assigner.wraps and (window == own or MAX in (window[1] - 1, own[1] - 1)):
        return window == own
    if isinstance(self.assigner, Session):
        overlaps = window[0] < own[1] - 1 and own[0] < window[1] - 1
        return cite("WIN-2", window == own or overlaps)
    return window == own


def _late_but_merged(self: Any, own: Any, value: int) -> Any:
    merged = [w for w, kept in self.windows.items() if not kept.closed and self._joins(own, w)]
    whole = (min(start for start, _ in [own, *merged]), max(end for _, end in [own, *merged]))
    late = cite("WIN-10", self._is_past(self._cleanup_time(own)))
    if late and not merged:
        return []
    parts = [self.windows[window] for window in merged]
    values = sorted([*([] if late else [value]), *(value for part in parts for value in part.values)])
    standing = sorted(result for part in parts for result in part.results)
    self._keep(Window(tuple(values), tuple(standing)), whole, merged)
    return [] if late else [whole]


def _late_before_its_session(self: Any, own: Any, value: int) -> Any:
    behind = isinstance(self.assigner, Session) and self._is_past(self._allowed_until(own[0]))
    merged = [w for w, kept in self.windows.items() if not kept.closed and self._joins(own, w)]
    whole = (min(start for start, _ in [own, *merged]), max(end for _, end in [own, *merged]))
    if self._overflows(whole) and merged and whole not in merged:
        raise Unsupported("the merged session ends next to the end of event time (WIN-15)")
    if cite("WIN-10", behind or self._is_past(self._cleanup_time(whole))):
        return []
    parts = [self.windows[window] for window in merged]
    values = sorted([value, *(value for part in parts for value in part.values)])
    standing = sorted(result for part in parts for result in part.results)
    self._keep(Window(tuple(values), tuple(standing)), whole, merged)
    return [whole]


def _expired_with_its_last_record(self: Any) -> Any:
    # A session that ends at 5 accepts no record at the watermark 4, even if it fires at 5 (`inclusive`).
    sessions = isinstance(self.assigner, Session)
    moments = {w: self._allowed_until(w[1] - 1) if sessions else self._cleanup_time(w) for w in self.windows}
    expired = (w for w, moment in moments.items() if self._is_past(moment))
    return [("state-size", sum(len(self.windows[window].values) for window in expired))]


def _late_and_added(self: Any, timestamp: int, value: int) -> Any:
    if cite("WIN-15", timestamp in self._no_moments()):
        raise IllegalArgument("timestamp must be a moment of event time, not MIN or MAX (WIN-15)")
    own_windows = self.assigner.windows_of(timestamp)
    taken = [window for own in reversed(own_windows) for window in self._add(own, value)]
    firing = [window for window in taken if self._fires_at_once(window)]
    earliest_first = self.policies.window_order_at_a_record == "earliest-first"
    results = self._results(self._in_order(firing) if earliest_first else firing[::-1])
    if not cite("WIN-11", self._is_past(self._allowed_until(timestamp))):
        return results
    return [*results, *self._rejected(value)]


def _in_time_at_the_watermark(self: Any, moment: int) -> Any:
    return moment < self.current_watermark or moment == self.current_watermark == MAX


def _over_at_the_watermark(self: Any, window: Any) -> Any:
    cleanup_time = self._cleanup_time(window)
    timed = self.trigger == "event-time" and self._complete_at(window) == MAX
    endless = cleanup_time == MAX and not timed and self.policies.window_endless_state == "kept"
    return cleanup_time <= self.current_watermark and not endless


def _kept_as_the_newest(self: Any, window: Any, whole: Any, merged: Any) -> None:
    for part in merged:
        del self.windows[part]
    self.windows[whole] = window


def _in_the_order_kept(_: Any, due: Any) -> Any:
    return due


def _complete_before_its_end(_: Any, window: Any) -> Any:
    return window[1] - 1


def _cleanup_from_its_end(self: Any, window: Any) -> Any:
    last = 0 if isinstance(self.assigner, Session) else 1
    return later(window[1] - last, self.allowed_lateness)


def _complete_at_its_end(_: Any, window: Any) -> Any:
    return later(window[1] - 1, 1)


def _vanished(*_: Any) -> Any:
    cite("WIN-12")
    return []


def _counted_as_well(self: Any, value: int) -> Any:
    return [("late", value), ("drop",)] if cite("WIN-12", self.late_output) else [("drop",)]


def _window(name: str, rules: tuple[str, ...], bug: str, summary: str, **functions: Any) -> Mutant:
    replaced = tuple((f"Windows.{function}", other) for function, other in functions.items())
    return Mutant(f"window-{name}", "window", "windows", rules, bug, summary, functions=replaced)


WINDOW_MUTANTS_OF_CHOICES = (
    _window(
        "session-ends-too-early",
        ("WIN-2",),
        "an inclusive end that is compared like an exclusive one",
        "Sessions that share only their last millisecond are not merged.",
        _joins=_joins_without_the_last_millisecond,
    ),
    _window(
        "touching-at-one-end",
        ("WIN-2",),
        "a range query that is closed at one end",
        "A record joins the session that ends at its timestamp, but not the one that starts where its own "
        "session ends.",
        _joins=_joins_at_one_end,
    ),
    _window(
        "late-before-merging",
        ("WIN-2", "WIN-10"),
        "FLINK-5713",
        "Lateness is decided by the session of the record alone, and a late record still extends the kept "
        "session.",
        _add=_late_but_merged,
    ),
    _window(
        "late-before-its-session",
        ("WIN-10", "WIN-2"),
        "a check of the record in front of the lookup of its session",
        "A record of sessions is late once the watermark has reached it, although its session is open.",
        _add=_late_before_its_session,
        expired_state=_expired_with_its_last_record,
    ),
    _window(
        "late-and-added",
        ("WIN-11", "WIN-10"),
        "a filter beside the windows",
        "A record behind the watermark is treated as late, and is added to its open windows, too.",
        record=_late_and_added,
    ),
    _window(
        "dropped-before-it-is-over",
        ("WIN-10", "WIN-13"),
        "two comparisons for one border",
        "At the cleanup time of a window its records are dropped, and further records are accepted.",
        _is_past=_in_time_at_the_watermark,
        _over=_over_at_the_watermark,
    ),
    _window(
        "in-order-of-the-last-record",
        ("WIN-6",),
        "a cache in order of access",
        "A watermark fires windows in the order in which they received their last records.",
        _keep=_kept_as_the_newest,
        _closing_order=_in_the_order_kept,
    ),
    _window(
        "session-with-two-ends",
        ("WIN-3", "WIN-10", "WIN-13"),
        "an exclusive end for the timer and an inclusive end for the state",
        "A session fires when the watermark reaches its last timestamp, and its allowed lateness counts from "
        "its end.",
        _complete_at=_complete_before_its_end,
        _cleanup_time=_cleanup_from_its_end,
    ),
    _window(
        "all-ends-inclusive",
        ("WIN-3", "WIN-10", "WIN-13"),
        "one comparison for windows whose ends differ in kind",
        "Windows of all kinds include the moment of their end, as sessions of some engines do.",
        _complete_at=_complete_at_its_end,
    ),
    _window(
        "late-without-a-trace",
        ("WIN-12", "WIN-11"),
        "E24",
        "A late record is neither output nor counted, even if there is a late output.",
        _rejected=_vanished,
    ),
    _window(
        "late-and-counted",
        ("WIN-12",),
        "a counter in front of the late output",
        "A late record is counted as dropped, even if the late output has it.",
        _rejected=_counted_as_well,
    ),
)
