"""The windows of Bytewax and of Apache Beam for Python as the reference with their differences, and no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.in_process import InProcessSession
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Outputs
from tidegauge_reference import MAX, windows
from tidegauge_reference.windows import Interval, Session, Window, WindowOutput, Windows


class WindowsOfBytewax(Windows):
    """A record behind the watermark is late, and a session includes the moment of its end."""

    def record(self, timestamp: int, value: int) -> list[WindowOutput]:
        if timestamp <= self.current_watermark:
            return [("late", value)]
        return super().record(timestamp, value)

    def watermark(self, timestamp: int) -> list[WindowOutput]:
        previous, self.current_watermark = self.current_watermark, timestamp
        due = [window for window in self.windows if previous < self._last_moment(window) <= timestamp]
        outputs = self._results(self._in_order(due))
        for window in due:
            del self.windows[window]
        return [*outputs, ("watermark", timestamp)]

    def _last_moment(self, window: Interval) -> int:
        return min(window[1], MAX) if isinstance(self.assigner, Session) else window[1] - 1

    def _cleanup_time(self, window: Interval) -> int:
        return self._last_moment(window)

    def _fires_at_once(self, window: Interval) -> bool:
        return False

    def expired_state(self) -> list[WindowOutput]:
        over = [kept for window, kept in self.windows.items() if window[1] - 1 <= self.current_watermark]
        return [("state-size", sum(len(kept.values) for kept in over))]


class WindowsOfBeam(Windows):
    """Late records vanish, 1 ms later than the reference drops them, and are late before sessions are merged.
    Sessions that touch are separate. A record fires its windows the latest first. Nothing is dropped."""

    def record(self, timestamp: int, value: int) -> list[WindowOutput]:
        taken = [window for own in self.assigner.windows_of(timestamp) for window in self._add(own, value)]
        return self._results([window for window in taken if self._fires_at_once(window)])

    def _add(self, own: Interval, value: int) -> list[Interval]:
        if self._cleanup_time(own) < self.current_watermark:
            return []
        merged = [window for window in self.windows if window[0] < own[1] and own[0] < window[1]]
        if not isinstance(self.assigner, Session):
            merged = [window for window in self.windows if window == own]
        whole = (min(start for start, _ in [own, *merged]), max(end for _, end in [own, *merged]))
        values = [value, *(value for window in merged for value in self.windows.pop(window).values)]
        self.windows[whole] = Window(tuple(sorted(values)))
        return [whole]

    def _over(self, window: Interval) -> bool:
        return False


def outputs_of(kind: type[Windows], scenario: Scenario, policies: Any) -> list[Outputs]:
    """What an engine with those windows outputs."""
    component = COMPONENTS["window"]
    module: Any = SimpleNamespace(Windows=kind, Session=windows.Session, Sliding=windows.Sliding)
    session = InProcessSession(lambda: component.build(module, scenario.setup, policies), component.calls)
    return [tuple(session.step(step)) for step in scenario.history]
