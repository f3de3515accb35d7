"""The low watermark of one source, where one coordinator plans for all of its subtasks (chapter LOW).

Nothing can get lost between the two, so each planning is a round of the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.low_watermark.service import LowWatermarkService, Vertex, VertexState
from tidegauge_spark.decisions.timestamps import MIN


class SourceLowWatermarks:
    """What the subtasks of a source that have no splits emit in the place of a watermark of their own.

    They follow the slowest of the subtasks that move, and can be given splits at any time: what they emit is
    never the end of the input (LOW-8). A subtask that stands still with splits does not hold them back
    (LOW-7), it holds back what is behind all of them by its own watermark.
    """

    def __init__(self, source: str, subtasks: int) -> None:
        """Start without a round; none of the subtasks of this source has a split yet."""
        self._source = source
        self._subtasks = subtasks
        self._service = LowWatermarkService([Vertex(source, subtasks, 0)])

    @classmethod
    def restored(cls, source: str, subtasks: int, state: Mapping[str, VertexState]) -> SourceLowWatermarks:
        """Return one that goes on where the one with this state stood (LOW-16)."""
        restored = cls(source, subtasks)
        restored._service.restore(state)
        return restored

    def state(self) -> Mapping[str, VertexState]:
        """Return all that is remembered, for the offset of the source; it may go through JSON."""
        return self._service.state()

    def planned(self, now: int, watermarks: Sequence[int], splits: Sequence[int]) -> dict[int, int]:
        """Hold a round; return which subtask emits which low watermark (ms).

        now: the processing time (ms). watermarks: what each subtask has emitted of its own (ms), `MIN` if
        nothing. splits: how many each has.

        Raises `IllegalArgumentError`, having changed nothing, unless there is one of each for every subtask.
        """
        if not len(watermarks) == len(splits) == self._subtasks:
            raise IllegalArgumentError(f"watermarks and splits are those of {self._subtasks} subtasks")
        emitted = []
        for subtask, (watermark, count) in enumerate(zip(watermarks, splits, strict=True)):
            if watermark != MIN:
                self._service.watermark(self._source, subtask, watermark)
            emitted += self._service.partitions(self._source, subtask, count)
        emitted += self._service.round(now)
        return {each.task: each.timestamp for each in emitted}
