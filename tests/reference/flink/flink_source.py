"""Around the reference's source subtask: what Flink's task does with its operator, as the recorders drove it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegauge_reference import FLINK_2_3, IllegalArgument, Policies
from tidegauge_reference.clock import PausableClock
from tidegauge_reference.generators import Generator
from tidegauge_reference.idleness import WatermarksWithIdleness
from tidegauge_reference.source_operator import SourceOperator, SourceSettings

Outputs = list[tuple[Any, ...]]


def settings(generator: Callable[[], Generator], idle_timeout: int | None, **others: Any) -> SourceSettings:
    """Settings with a generator that is idle after `idle_timeout` (ms), if there is one."""

    def make(clock: PausableClock, policies: Policies) -> Generator:
        if idle_timeout is None:
            return generator()
        return WatermarksWithIdleness(generator(), idle_timeout * 10**6, clock, policies)

    return SourceSettings(make, **others)


class Task:
    """It has two timers with a fixed delay, which fire in the order of their times and, at one time, of their
    scheduling: that of the periodic watermarks (`watermark_interval`, ms; 0: none) from its start, though it
    does nothing before the operator is polled for the first time, and that of the reports (`update_interval`)
    from that moment. Splits that come before it wait for it."""

    def __init__(
        self,
        source: SourceSettings,
        watermark_interval: int,
        update_interval: int | None,
        policies: Policies = FLINK_2_3,
    ) -> None:
        self.operator = SourceOperator(source, policies)
        self.update_interval = update_interval
        self.polled = False
        self.waiting: list[str] = []
        self.now = source.start
        self.timers: list[tuple[int, int, int, Callable[[], Outputs]]] = []
        self.scheduled = 0
        if watermark_interval:
            self._schedule(watermark_interval, self._tick)

    def poll(self) -> bool:
        """The operator is asked for input; whether it asks its reader."""
        if not self.polled:
            self.polled = True
            for split in self.waiting:
                self.assign(split)
            if self.update_interval is not None:
                self._schedule(self.update_interval, self.operator.report)
        return not self.operator.alignment.blocked

    def assign(self, split: str) -> Outputs:
        """A split comes; Flink takes no notice of one that is there already."""
        if not self.polled:
            self.waiting.append(split)
            return []
        try:
            return self.operator.assign(split)
        except IllegalArgument:
            return []

    def finish(self, split: str) -> Outputs:
        """A split is finished; Flink takes no notice of one that is not there."""
        try:
            return self.operator.finish(split)
        except IllegalArgument:
            return []

    def advance(self, milliseconds: int, jump: bool = False) -> Outputs:
        """Time passes and timers fire, each at its time or, with `jump`, all at the end."""
        outputs: Outputs = []
        end = self.now + milliseconds
        if jump:
            self.operator.advance(milliseconds)
            self.now = end
        while self.timers and min(self.timers)[0] <= end:
            timer = min(self.timers)
            self.timers.remove(timer)
            time, _, interval, fire = timer
            if not jump:
                self.operator.advance(time - self.now)
                self.now = time
            self._schedule(interval, fire, time)
            outputs += fire()
        if not jump:
            self.operator.advance(end - self.now)
            self.now = end
        return outputs

    def _tick(self) -> Outputs:
        return self.operator.tick() if self.polled else []

    def _schedule(self, interval: int, fire: Callable[[], Outputs], since: int | None = None) -> None:
        time = (self.now if since is None else since) + interval
        self.timers.append((time, self.scheduled, interval, fire))
        self.scheduled += 1
