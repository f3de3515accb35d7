"""The course of a watermark over processing time, in few steps, for a picture."""

from typing import Final

import numpy as np
from msgspec import Struct

from tidegauge.wire.timestamps import MAX, MIN

from ..rows import Numbers, Rows

MOST_STEPS: Final = 120
"""The maximum number of steps with a watermark that are kept per operator."""


class WatermarkCourse(Struct):
    """The watermarks that an operator output, by steps of processing time.

    `width`: the length of a step, a power of two (ms). `steps`: the smallest and the greatest watermark (ms)
    of each step that has any; step 7 lasts from 7 to 8 widths. Courses of the parts of a log have the same
    sum in any order, as the width is the smallest that leaves at most `MOST_STEPS` steps.
    """

    width: int = 1
    steps: dict[int, tuple[int, int]] = {}

    def add(self, other: "WatermarkCourse") -> None:
        """Add the course of the same operator in another part of the log."""
        if not other.steps:
            return
        while self.width < other.width:
            self._widen()
        ratio = self.width // other.width
        for step, watermarks in other.steps.items():
            self._include(step // ratio, watermarks)
        while len(self.steps) > MOST_STEPS:
            self._widen()

    def _include(self, step: int, watermarks: tuple[int, int]) -> None:
        low, high = self.steps.get(step, watermarks)
        self.steps[step] = min(low, watermarks[0]), max(high, watermarks[1])

    def _widen(self) -> None:
        """Double the width of the steps."""
        narrow = self.steps
        self.width, self.steps = 2 * self.width, {}
        for step, watermarks in narrow.items():
            self._include(step // 2, watermarks)


def watermark_course_of(rows: Rows, mine: slice) -> WatermarkCourse:
    """Return the course of the watermarks in some rows of one operator; MIN and MAX do not count."""
    marks = (rows.is_kind("watermark") & rows.own & rows.has_event_time)[mine]
    times, watermarks = rows.processing_time[mine][marks], rows.event_time[mine][marks]
    finite = (watermarks != MIN) & (watermarks != MAX)
    times, watermarks = times[finite], watermarks[finite]
    if not len(times):
        return WatermarkCourse()
    width = 1
    while len(np.unique(times // width)) > MOST_STEPS:
        width *= 2
    steps = times // width
    return WatermarkCourse(
        width, {int(step): _extremes(watermarks[steps == step]) for step in np.unique(steps)}
    )


def _extremes(watermarks: Numbers) -> tuple[int, int]:
    return int(watermarks.min()), int(watermarks.max())
