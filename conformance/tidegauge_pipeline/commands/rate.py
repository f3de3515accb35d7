"""How far a campaign is: how many scenarios a second, and how much time is left."""

import threading
import time
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tidegauge.commands.console import ERR
from tidegauge.run.expected_time import about
from tidegauge.words.numbers import counted

_SECONDS_BETWEEN_LINES = 30.0


class Rate:
    """Shows the progress on stderr: a bar in a terminal, elsewhere now and then a line."""

    def __init__(self, total: int, before: int) -> None:
        self._total, self._done, self._new = total, before, 0
        self._began = self._shown = time.monotonic()
        self._lock = threading.Lock()
        self._bar = Progress(
            TextColumn("scenarios"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=ERR,
            transient=True,
            disable=not ERR.is_terminal,
        )
        self._task = self._bar.add_task("scenarios", total=total, completed=before, rate="")

    def __enter__(self) -> "Rate":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, scenarios: int) -> None:
        """So many more scenarios are judged; from any thread."""
        with self._lock:
            now = time.monotonic()
            self._done += scenarios
            self._new += scenarios
            a_second = self._new / max(now - self._began, 0.001)
            self._bar.update(self._task, completed=self._done, rate=f"{a_second:,.0f}/s")
            if not ERR.is_terminal and now - self._shown > _SECONDS_BETWEEN_LINES:
                self._shown = now
                left = (self._total - self._done) / a_second
                of = f"{self._done:,} of {counted(self._total, 'scenario')}"
                ERR.print(f"{of}, {a_second:,.0f}/s, {about(left)} left")
