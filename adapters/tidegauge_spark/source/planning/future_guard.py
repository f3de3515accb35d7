"""The guard against event times far ahead of the clock: a wrong clock of a device, or wrong units.

The watermark of a split would jump with one row dated 2100. Other splits are not held back by it, but the
split itself is: with alignment it is blocked for 75 years, and without alignment all its later rows can be
late.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.options.future import FAIL, PASS, FutureOptions
from tidegauge_spark.source.planning.broken_log import BrokenLogError

DAY: Final = 86_400_000
"""How far ahead of the clock (ms) an event time is worth a warning if no option is set: clocks that are set
to another time zone are less wrong than that."""

_LOG: Final = logging.getLogger("tidegauge_spark")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class FutureGuard:
    """The handling of event times beyond the limit in one run of a source.

    Event times are compared with the wall clock, even if `clockStep` sets a virtual clock for processing
    time: event times are moments since 1970, and the virtual clock begins at 0.
    """

    def __init__(self, options: FutureOptions | None, wall_clock: Callable[[], int]) -> None:
        """wall_clock: returns ms since 1970."""
        self._options, self._wall_clock = options, wall_clock
        self._has_warned = False

    def limit(self) -> int:
        """Return the latest event time (ms) that is not in the future; `MAX` once there is nothing left to
        check."""
        if self._options is None:
            return MAX if self._has_warned else self._wall_clock() + DAY
        return min(MAX - 1, self._wall_clock() + self._options.most)

    @property
    def ignores(self) -> bool:
        """Whether rows of the future are read as if they had no event time."""
        return self._options is not None and not self._options.fails

    @property
    def fails(self) -> bool:
        """Whether a row of the future makes the query fail."""
        return self._options is not None and self._options.fails

    def met(self, split: str, place: str, time: int) -> None:
        """Take a row of the future that is about to be planned; place: where it is, in words. time: its event
        time in ms.

        Warns once in a run. Raises `BrokenLogError` if the query has to fail.
        """
        ahead = time - self._wall_clock()
        what = (
            f"{place} of split {split!r} has the event time {_written(time)}, {_days(ahead)} beyond the clock"
        )
        if self._options is None:
            self._warn(
                f"{what}: the watermark of the split follows it, so that an aligned split stops there and "
                'later rows of it can be late; set maxFutureEventTime, such as "1 hour"'
            )
        elif self._options.fails:
            raise BrokenLogError(
                f"{what}; maxFutureEventTime allows {self._options.most} ms: correct the row, or set "
                f'onFutureEventTime to "{PASS}" to let such rows through, which then move no watermark'
            )
        else:
            self._warn(
                f"{what}; maxFutureEventTime allows {self._options.most} ms: such rows pass, and move no "
                f'watermark; set onFutureEventTime to "{FAIL}" to stop at them'
            )

    def _warn(self, line: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            _LOG.warning("%s", line)


def _written(time: int) -> str:
    try:
        moment = _EPOCH + timedelta(milliseconds=time)
    except OverflowError:
        return f"{time} ms"
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z ({time} ms)"


def _days(milliseconds: int) -> str:
    return f"{milliseconds / DAY:,.1f} days"
