"""What a source says in band beside its records, in plain Python: watermarks, statuses, record attributes.

A planning tells how each split stands; the decisions are those of the source subtask (chapter SOURCE, with
clocks, idleness and the combination of splits), of the low watermark (LOW) and of backlog (BACKLOG).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.backlog import BacklogDetector, BacklogOutput, DetectorState
from tidegauge_spark.decisions.low_watermark.rounds import RoundsState
from tidegauge_spark.decisions.low_watermark.service import VertexState
from tidegauge_spark.decisions.low_watermark.source import SourceLowWatermarks
from tidegauge_spark.decisions.low_watermark.task import LowWatermarkTaskState
from tidegauge_spark.decisions.sources.outputs import OutputsState, OutputState
from tidegauge_spark.decisions.sources.settings import SourceSettings
from tidegauge_spark.decisions.sources.subtask import (
    SourceOutput,
    SourceSubtask,
    SubtaskState,
)
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import GeneratorContext
from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy


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


class SourceSignals:
    """All subtasks of one source: what goes downstream beside the records.

    A split is idle when it was found empty for longer than the timeout, by a clock that stands still while
    the split is blocked. A subtask without splits emits the low watermark of the source, as long as others of
    its subtasks are active, and can be given splits at any time.
    """

    def __init__(self, subtasks: int, idle_timeout: int | None = None, threshold: int | None = None) -> None:
        """Start without splits. idle_timeout: ms, None: nothing is ever idle. threshold: the watermark lag
        from which on there is a backlog (ms), None: none."""
        strategy = WatermarkStrategy.for_monotonous_timestamps()
        self._settings = SourceSettings(
            strategy if idle_timeout is None else strategy.with_idleness(idle_timeout)
        )
        self._looked_at = 0
        self._subtasks = [SourceSubtask(self._settings) for _ in range(subtasks)]
        self._emitted = [MIN] * subtasks
        self._idle = [False] * subtasks
        self._detectors = [BacklogDetector(threshold) for _ in range(subtasks)]
        self._low = SourceLowWatermarks("source", subtasks)
        self._combined = MIN

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
            raise ValueError(f"another form of what subtasks said ({error!r})") from error
        return restored

    @property
    def emitted(self) -> tuple[int, ...]:
        """The last watermark of each subtask (ms), `MIN` if there was none."""
        return tuple(self._emitted)

    @property
    def combined(self) -> int:
        """The watermark of the source (ms): the smallest over its subtasks, `MIN` if there was none."""
        return self._combined

    @property
    def idle_splits(self) -> frozenset[str]:
        """The splits that nobody waits for, since they have been empty for so long."""
        return frozenset().union(*(subtask.idle_splits for subtask in self._subtasks))

    @property
    def blocked_splits(self) -> frozenset[str]:
        """The splits whose clocks stand still."""
        return frozenset().union(*(subtask.held for subtask in self._subtasks))

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
        by_subtask: list[dict[str, SplitMoment]] = [{} for _ in self._subtasks]
        for name, moment in splits.items():
            by_subtask[moment.subtask][name] = moment
        marks = [
            _planned(subtask, moments, elapsed, self._settings.strategy.idle_timeout is not None)
            for subtask, moments in zip(self._subtasks, by_subtask, strict=True)
        ]
        said = self._said(now, marks, ended)
        self._combined = max(self._combined, MAX if ended else self._smallest())
        return said

    def follow(self, minimum: int) -> None:
        """While the whole source is idle its watermark is at least that of the other sources (ms)."""
        if not self._awaited:
            self._combined = max(self._combined, minimum)

    def state(self) -> dict[str, Any]:
        """Return all that is remembered, of what JSON knows."""
        return {
            "looked_at": self._looked_at,
            "emitted": list(self._emitted),
            "idle": list(self._idle),
            "backlog": [detector.state().sent for detector in self._detectors],
            "subtasks": [list(subtask.state()) for subtask in self._subtasks],
            "detectors": [list(each.state()) for each in self._detectors],
            "low": {name: list(each) for name, each in self._low.state().items()},
            "combined": self._combined,
            "idle_splits": sorted(self.idle_splits),
            "blocked_splits": sorted(self.blocked_splits),
        }

    @property
    def _awaited(self) -> list[int]:
        """The watermarks of the subtasks that have splits and are not idle (ms)."""
        return [
            emitted
            for subtask, emitted, idle in zip(self._subtasks, self._emitted, self._idle, strict=True)
            if subtask.splits and not idle
        ]

    def _smallest(self) -> int:
        """Return the watermark of all subtasks (ms): the smallest, or the largest if all are idle.

        It is what chapter SPLIT says of the splits of one subtask, so the number of subtasks does not matter.
        """
        if awaited := self._awaited:
            return min(awaited)
        idle = [
            emitted
            for subtask, emitted in zip(self._subtasks, self._emitted, strict=True)
            if subtask.splits and emitted != MAX
        ]
        return max(idle, default=MIN)

    def _said(self, now: int, marks: Sequence[int], ended: bool) -> dict[int, list[BacklogOutput]]:
        splits = [len(subtask.splits) for subtask in self._subtasks]
        active = any(subtask.splits and not subtask.idle for subtask in self._subtasks)
        own = [max(mark, emitted) for mark, emitted in zip(marks, self._emitted, strict=True)]
        low = self._low.planned(now, own, splits)
        said: dict[int, list[BacklogOutput]] = {}
        for subtask, mark in enumerate(marks):
            # SPLIT-7 makes a subtask without splits idle; while others of its source move, it follows them.
            idle = self._subtasks[subtask].idle if splits[subtask] else not active
            if not splits[subtask]:
                mark = max(mark, low.get(subtask, MIN))
            if ended:
                mark = max(mark, _end(self._subtasks[subtask]))
            outputs = self._of_subtask(subtask, now, mark, idle and not ended)
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
        self._combined = int(state.get("combined", MIN))  # older checkpoints lack it
        self._subtasks = [
            SourceSubtask.restored(self._settings, self._with_idleness(SubtaskState(*each)))
            for each in state["subtasks"]
        ]
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

    def _with_idleness(self, state: SubtaskState) -> SubtaskState:
        """Return the state of a subtask as the idle timeout of now wants it: there may have been none before.

        What idleness remembers of a generator stands before what the generator itself remembers.
        """
        outputs = OutputsState(*state.outputs)
        own = len(self._settings.strategy.create_generator(GeneratorContext(InputActivityClock())).state())
        fitting = {
            name: OutputState(clock, ([0] * own + list(generator))[-own:], own > 1 and idle)
            for name, (clock, generator, idle) in outputs.outputs.items()
        }
        return state._replace(outputs=outputs._replace(outputs=fitting))


def _planned(subtask: SourceSubtask, moments: Mapping[str, SplitMoment], elapsed: int, timed: bool) -> int:
    """Tell a subtask how its splits stand; return how far they are (ms), `MIN` if there is nothing new.

    elapsed: how much processing time has passed (ms). What is blocked now may have been so all the time.
    timed: whether a split can become idle, so that its clock matters.
    """
    if subtask.ended:
        return MIN
    known = subtask.splits
    for split in sorted(known - moments.keys()):
        subtask.finish(split)
    for split, moment in moments.items():
        if split not in known and (moment.arrived or not moment.finished):
            subtask.assign(split)
    blocked = {split for split, moment in moments.items() if moment.blocked and timed} & subtask.splits
    subtask.hold(blocked | subtask.held)
    subtask.advance(elapsed)
    subtask.hold(blocked)
    for split, moment in moments.items():
        if moment.arrived:
            # The disorder that is expected is taken off already: as if the records came in order.
            subtask.record(split, MIN if moment.watermark == MIN else moment.watermark + 1)
    mark = max(_mark(subtask.tick()), _mark(subtask.tick()))  # after records it starts the countdown (IDLE-2)
    for split in sorted(subtask.splits):
        if moments[split].finished:
            subtask.finish(split)
    return max(mark, _mark(subtask.tick()))


def _end(subtask: SourceSubtask) -> int:
    """Tell a subtask that its input has ended; return the watermark that follows (SOURCE-14)."""
    return MIN if subtask.ended else _mark(subtask.end_of_input())


def _mark(outputs: Sequence[SourceOutput]) -> int:
    """Return the greatest watermark (ms) that is said, `MIN` if none."""
    watermarks = (each.timestamp for each in outputs if each.kind == "watermark")
    return max((each for each in watermarks if each is not None), default=MIN)
