"""How far a campaign is: how many scenarios a second, and how much time is left."""

import threading
import time
from collections.abc import Callable
from math import ceil

from tidegauge.run.progress import Progress


class Rate:
    """Counts the judged scenarios, and passes the progress to `show`. The scenarios that were judged `before`
    do not count for the rate."""

    def __init__(
        self,
        show: Callable[[Progress], None],
        total: int,
        before: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show, self._total, self._before, self._new = show, total, before, 0
        self._clock, self._began = clock, clock()
        self._lock = threading.Lock()

    def advance(self, scenarios: int) -> None:
        """So many more scenarios are judged; from any thread."""
        with self._lock:
            self._new += scenarios
            elapsed = self._clock() - self._began
            a_second = self._new / max(elapsed, 0.001)
            done = self._before + self._new
            self._show(
                Progress(
                    phase="scenarios",
                    unit="scenario",
                    done=done,
                    total=self._total,
                    doing=f"{a_second:,.0f}/s",
                    elapsed_s=int(elapsed),
                    seconds_left=max(1, ceil((self._total - done) / a_second)) if a_second else None,
                )
            )
