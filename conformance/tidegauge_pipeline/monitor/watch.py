"""The loop of the monitor: it polls and folds rows, and reports changes of findings."""

import threading
from collections.abc import Callable

from .episodes import Change, Episode, EpisodeKey, next_episodes
from .growing_log import MOST_ROWS
from .row_source import RowSource
from .sliding_folds import SlidingFolds


class Watch:
    """Watches the jobs whose rows a source yields.

    Attributes:
        folds: the folds of the subtasks over the window.
        episodes: the present findings.
        rows: the number of rows so far.
        begun: the number of episodes so far, by the name of the finding.
        lock: held while rows are folded. Another thread must hold it to read the attributes.
    """

    def __init__(
        self,
        source: RowSource,
        window: int,
        report: Callable[[Change], None],
        clock: Callable[[], int],
    ) -> None:
        """Watch the rows of a source.

        Args:
            source: the source of the rows.
            window: the length of the window that findings are about (ms).
            report: called with each change of a finding.
            clock: returns the time (ms since 1970).
        """
        self._source = source
        self._report = report
        self._clock = clock
        self.folds = SlidingFolds(window)
        self.episodes: dict[EpisodeKey, Episode] = {}
        self.rows = 0
        self.begun: dict[str, int] = {}
        self.lock = threading.Lock()

    def poll(self) -> int:
        """Fold the new rows, and return their number."""
        table = self._source.poll()
        with self.lock:
            self.rows += len(table)
            for at in self.folds.add(table, self._clock()):
                self._update(min(at, self._clock()))
        return len(table)

    def advance(self) -> None:
        """End the findings whose cause has left the window, even if no rows came."""
        with self.lock:
            now = self._clock()
            self.folds.advance(now)
            self._update(now)

    def follow(self, every: float, stopped: threading.Event) -> None:
        """Poll every `every` seconds until the source has ended, or until the event is set."""
        while True:
            is_last = stopped.is_set() or self._source.has_ended
            while self.poll() >= MOST_ROWS:
                pass  # a long log: more rows are waiting
            self.advance()
            if is_last:
                return
            stopped.wait(every)

    def _update(self, at: int) -> None:
        self.episodes, changes = next_episodes(self.episodes, self.folds.findings(), at)
        for change in changes:
            if change.event == "begins":
                name = change.episode.finding.name
                self.begun[name] = self.begun.get(name, 0) + 1
            self._report(change)
