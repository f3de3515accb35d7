"""The presence of a source: its report about the run of its query. It tells the group which sources are
present, and which belong to earlier runs.

A run is from the start of a query to its end. Spark does not notify a source of its runs, and often kills the
process of a source without a call of `stop`. The end of a run is detected by the silence that follows.
"""

from __future__ import annotations

import secrets
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX

HEARTBEAT: Final = 2.0
"""The interval at which a source reports that its query runs (s), also while a batch takes minutes."""

SHORTEST_RESTART_TIMEOUT: Final = 10_000
"""The smallest value of the option restartTimeout (ms). A busy driver delays heartbeats by seconds."""

DEFAULT_RESTART_TIMEOUT: Final = 60_000
"""How long the others of a group wait for a source whose query is down (ms)."""


class Presence(NamedTuple):
    """A source and its run at the moment of a report. Durations are in ms.

    run: the identity of the run. run_age: the time since the run began. source_age: the time since the source
    was started for the first time, perhaps in an earlier run. restart_timeout: how long the others wait for
    the source after its last sign of life.
    """

    run: str
    run_age: int
    source_age: int
    restart_timeout: int

    def to_json(self) -> list[Any]:
        """Return the input of `from_json`."""
        return list(self)

    @classmethod
    def from_json(cls, stored: Any) -> Presence:
        """Return the presence that `to_json` has written. Raises `ValueError` for anything else."""
        if isinstance(stored, list) and len(stored) == 4:
            run, *durations = stored
            if isinstance(run, str) and all(type(each) is int and 0 <= each <= MAX for each in durations):
                return cls(run, *durations)
        raise ValueError(f"this is not the presence of a source: {stored!r}")


class SourceRun(NamedTuple):
    """One run of a source, by the clock of its process (s).

    token: the identity of the run. source_began: when the source was started for the first time.
    """

    token: str
    began: float
    source_began: float
    restart_timeout: int

    @classmethod
    def of(cls, now: float, run_age: int, source_age: int, restart_timeout: int) -> SourceRun:
        """Return a run that began `run_age` ms before `now`, of a source that is `source_age` ms old."""
        began = now - max(0, run_age) / 1000
        return cls(secrets.token_hex(8), began, min(began, now - source_age / 1000), restart_timeout)

    def presence(self, now: float) -> Presence:
        """Return the presence at a time of the source's clock (s)."""
        run_age, source_age = (max(0, int((now - each) * 1000)) for each in (self.began, self.source_began))
        return Presence(self.token, run_age, source_age, self.restart_timeout)
