"""What a source says in band beside its records, in plain Python: watermarks, statuses, record attributes.

A planning tells how each split stands; the decisions are those of the clock (chapter CLOCK), of idleness
(IDLE), of the combination of splits (SPLIT), of the low watermark (LOW) and of backlog (BACKLOG).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidegauge_spark.decisions.activity_clock import REASONS, ClockState, InputActivityClock
from tidegauge_spark.decisions.backlog import BacklogDetector, BacklogOutput, DetectorState
from tidegauge_spark.decisions.low_watermark.rounds import RoundsState
from tidegauge_spark.decisions.low_watermark.service import VertexState
from tidegauge_spark.decisions.low_watermark.source import SourceLowWatermarks
from tidegauge_spark.decisions.low_watermark.task import LowWatermarkTaskState
from tidegauge_spark.decisions.splits import CombinationState, SplitWatermarks
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import NoWatermarks
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness

_NANOSECONDS = 1_000_000
_ALIGNMENT = REASONS[1]


class SplitMoment(NamedTuple):
    """How a split stands after a planning.

    subtask: who reads it. arrived: whether records of it were planned. watermark: what they bring it to (ms),
    `MIN` if it had none yet. blocked: whether it has, or may have, records that are not read: alignment,
    admission control or its owner holds it back. finished: whether all of it is planned.
    """

    subtask: int
    arrived: bool
    watermark: int
    blocked: bool
    finished: bool


@dataclass
class _Watched:
    """A split: who reads it, its activity clock, and what watches that; both None without an idle timeout."""

    subtask: int
    blocked: bool = False
    clock: InputActivityClock | None = None
    watch: WatermarksWithIdleness | None = None


class SourceSignals:
    """All subtasks of one source: what goes downstream beside the records.

    A split is idle when it was found empty for longer than the timeout, by a clock that stands still while
    the split is blocked. A subtask without splits emits the low watermark of the source, as long as others of
    its subtasks are active, and can be given splits at any time.
    """

    def __init__(self, subtasks: int, idle_timeout: int | None = None, threshold: int | None = None) -> None:
        """Start without splits. idle_timeout: ms, None: nothing is ever idle. threshold: the watermark lag
        from which on there is a backlog (ms), None: none."""
        self._idle_timeout = idle_timeout
        self._looked_at = 0
        self._splits: dict[str, _Watched] = {}
        self._combined = [SplitWatermarks() for _ in range(subtasks)]
        self._combined_idle = [False] * subtasks
        self._emitted = [MIN] * subtasks
        self._idle = [False] * subtasks
        self._detectors = [BacklogDetector(threshold) for _ in range(subtasks)]
        self._low = SourceLowWatermarks("source", subtasks)

    @classmethod
    def restored(
        cls, state: Mapping[str, Any], idle_timeout: int | None, threshold: int | None
    ) -> SourceSignals:
        """Return signals that go on where those with this state stood, settings being as in `__init__`.

        Raises `ValueError` for what is no such state.
        """
        try:
            restored = cls(len(state["emitted"]), idle_timeout, threshold)
            restored._restore(state)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"no state of signals: {error!r}") from error
        return restored

    @property
    def emitted(self) -> tuple[int, ...]:
        """The last watermark of each subtask (ms), `MIN` if there was none."""
        return tuple(self._emitted)

    @property
    def idle_splits(self) -> frozenset[str]:
        """The splits that nobody waits for, since they have been empty for so long."""
        return frozenset(
            name
            for name, watched in self._splits.items()
            if watched.watch is not None and watched.watch.is_idle
        )

    @property
    def blocked_splits(self) -> frozenset[str]:
        """The splits whose clocks stand still."""
        return frozenset(name for name, watched in self._splits.items() if watched.blocked)

    def planned(
        self, now: int, looked_at: int, splits: Mapping[str, SplitMoment], ended: bool
    ) -> dict[int, list[BacklogOutput]]:
        """Take a planning; return what each subtask says, in this order.

        now: the processing time (ms) that watermarks are compared with. looked_at: the processing time (ms,
        never less than before) of which it is known what was in the splits. ended: whether the source is at
        its end: no split will ever come.
        """
        elapsed = max(0, looked_at - self._looked_at)
        self._looked_at += elapsed
        for name in [name for name in self._splits if name not in splits]:
            self._remove(name)
        for name, moment in splits.items():
            if moment.arrived or not moment.finished or name in self._splits:
                self._take(name, moment, elapsed)
        found = [self._tick(subtask) for subtask in range(len(self._emitted))]
        for name in [name for name, moment in splits.items() if moment.finished and name in self._splits]:
            self._remove(name)
        found = [max(mark, self._tick(subtask)) for subtask, mark in enumerate(found)]
        return self._said(now, found, ended)

    def state(self) -> dict[str, Any]:
        """Return all that is remembered, of what JSON knows."""
        return {
            "looked_at": self._looked_at,
            "emitted": list(self._emitted),
            "idle": list(self._idle),
            "backlog": [detector.state().sent for detector in self._detectors],
            "combined": [list(each.state()) for each in self._combined],
            "combined_idle": list(self._combined_idle),
            "detectors": [list(each.state()) for each in self._detectors],
            "low": {name: list(each) for name, each in self._low.state().items()},
            "splits": {name: _stored(watched) for name, watched in self._splits.items()},
            "idle_splits": sorted(self.idle_splits),
            "blocked_splits": sorted(self.blocked_splits),
        }

    def _take(self, name: str, moment: SplitMoment, elapsed: int) -> None:
        """Tell the combination of the subtask what a split has to say."""
        combined = self._combined[moment.subtask]
        watched = self._splits.get(name)
        if watched is None:
            watched = self._splits[name] = self._new(moment.subtask)
            combined.add_split(name)
        if moment.arrived:
            combined.watermark(name, moment.watermark, deferred=True)
        if watched.clock is not None and watched.watch is not None:
            if not moment.blocked:  # what is blocked now may have been so all the time
                watched.clock.advance(elapsed * _NANOSECONDS)
            if moment.blocked != watched.blocked:
                (watched.clock.pause if moment.blocked else watched.clock.resume)(_ALIGNMENT)
            if moment.arrived:
                watched.watch.on_event(moment.watermark)
                watched.watch.on_periodic_emit()
            was_idle = watched.watch.is_idle
            watched.watch.on_periodic_emit()  # after records this one starts the countdown (IDLE-2)
            if watched.watch.is_idle and not was_idle:
                combined.idle(name, deferred=True)
            watched.blocked = moment.blocked

    def _new(self, subtask: int) -> _Watched:
        if self._idle_timeout is None:
            return _Watched(subtask)
        return self._watched(subtask, InputActivityClock(), self._idle_timeout)

    def _watched(self, subtask: int, clock: InputActivityClock, idle_timeout: int) -> _Watched:
        watch = WatermarksWithIdleness(NoWatermarks(), idle_timeout * _NANOSECONDS, clock)
        return _Watched(subtask, False, clock, watch)

    def _remove(self, name: str) -> None:
        watched = self._splits.pop(name)
        self._combined[watched.subtask].remove_split(name)

    def _tick(self, subtask: int) -> int:
        """Return how far the splits of a subtask are (ms), `MIN` if there is nothing new; note its status."""
        mark = MIN
        for output in self._combined[subtask].tick():
            if output.kind == "watermark":
                assert output.timestamp is not None
                mark = max(mark, output.timestamp)
            else:
                self._combined_idle[subtask] = output.kind == "idle"
        return mark

    def _said(self, now: int, marks: Sequence[int], ended: bool) -> dict[int, list[BacklogOutput]]:
        splits = [0] * len(marks)
        for watched in self._splits.values():
            splits[watched.subtask] += 1
        active = any(count and not idle for count, idle in zip(splits, self._combined_idle, strict=True))
        own = [max(mark, emitted) for mark, emitted in zip(marks, self._emitted, strict=True)]
        low = self._low.planned(now, own, splits)
        said: dict[int, list[BacklogOutput]] = {}
        for subtask, mark in enumerate(marks):
            # SPLIT-7 makes a subtask without splits idle; while others of its source move, it follows them.
            idle = self._combined_idle[subtask] if splits[subtask] else not active
            if not splits[subtask]:
                mark = max(mark, low.get(subtask, MIN))
            outputs = self._of_subtask(subtask, now, MAX if ended else mark, idle and not ended)
            if outputs:
                said[subtask] = outputs
        return said

    def _of_subtask(self, subtask: int, now: int, mark: int, idle: bool) -> list[BacklogOutput]:
        detector = self._detectors[subtask]
        detector.clock(now)
        outputs: list[BacklogOutput] = []
        if self._idle[subtask] and not idle:
            outputs += [BacklogOutput("active"), *detector.active()]
        if mark > self._emitted[subtask]:
            if self._idle[subtask] and idle:  # nothing is sent under IDLE
                outputs += [BacklogOutput("active"), *detector.active()]
                self._idle[subtask] = False
            self._emitted[subtask] = mark
            outputs += detector.watermark(mark)
        if idle and not self._idle[subtask]:
            outputs += [BacklogOutput("idle"), *detector.idle()]
        self._idle[subtask] = idle
        return outputs

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._looked_at = int(state["looked_at"])
        self._emitted = list(state["emitted"])
        self._idle = list(state["idle"])
        self._combined = [SplitWatermarks.restored(CombinationState(*each)) for each in state["combined"]]
        self._combined_idle = list(state["combined_idle"])
        for number, stored in enumerate(state["detectors"]):
            # The threshold is that of the session, which may have been changed for the restart.
            threshold = self._detectors[number].state().threshold
            self._detectors[number] = BacklogDetector.restored(
                DetectorState(*stored)._replace(threshold=threshold)
            )
        low = {
            name: VertexState(
                RoundsState(*rounds), [(number, LowWatermarkTaskState(*task)) for number, task in tasks]
            )
            for name, (rounds, tasks) in state["low"].items()
        }
        self._low = SourceLowWatermarks.restored("source", len(self._emitted), low)
        for name, (subtask, blocked, clock, watch) in state["splits"].items():
            if self._idle_timeout is None or clock is None:
                self._splits[name] = self._new(subtask)
                continue
            restored = InputActivityClock.restored(ClockState(*clock))
            watched = self._watched(subtask, restored, self._idle_timeout)
            assert watched.watch is not None
            watched.watch.restore(watch)
            watched.blocked = blocked
            self._splits[name] = watched


def _stored(watched: _Watched) -> list[Any]:
    if watched.clock is None or watched.watch is None:
        return [watched.subtask, watched.blocked, None, None]
    return [watched.subtask, watched.blocked, list(watched.clock.state()), list(watched.watch.state())]
