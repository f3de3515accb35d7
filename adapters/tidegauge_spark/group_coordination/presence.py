"""What a source says of the run of its query, so that its group knows who is there and who was there before.

A run is from the start of a query to its end. Spark does not tell a source its runs, and often kills the
process of a source without a call of `stop`: the end of a run is noticed by the silence that follows.
"""

from __future__ import annotations

import secrets
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX

HEARTBEAT: Final = 2.0
"""How often a source says that its query runs (s), also while a batch takes minutes."""

SHORTEST_RESTART_TIMEOUT: Final = 10_000
"""The least value of the option restartTimeout (ms). A driver that is busy delays heartbeats by seconds."""

DEFAULT_RESTART_TIMEOUT: Final = 60_000
"""For how long the others of a group wait for a source whose query is down (ms)."""


class Presence(NamedTuple):
    """A source and its run at the moment of a report. Durations are in ms.

    run: the identity of the run. run_age: how long ago the run began. source_age: how long ago the source was
    started for the first time, perhaps in an earlier run. restart_timeout: for how long the others wait for
    the source after its last sign of life.
    """

    run: str
    run_age: int
    source_age: int
    restart_timeout: int

    def to_json(self) -> list[Any]:
        """Return what `from_json` reads."""
        return list(self)

    @classmethod
    def from_json(cls, stored: Any) -> Presence:
        """Return what `to_json` has written. Raises `ValueError` for anything else."""
        if isinstance(stored, list) and len(stored) == 4:
            run, *durations = stored
            if isinstance(run, str) and all(type(each) is int and 0 <= each <= MAX for each in durations):
                return cls(run, *durations)
        raise ValueError(f"this is not what a source says of its run: {stored!r}")


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
        """Return what the source says at a time of its clock (s)."""
        run_age, source_age = (max(0, int((now - each) * 1000)) for each in (self.began, self.source_began))
        return Presence(self.token, run_age, source_age, self.restart_timeout)
