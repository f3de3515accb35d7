"""The memberships of a group: sources that are present, sources of earlier runs, and which of them the others
wait for.

Times are seconds by the clock of the service; durations are in ms.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.presence import DEFAULT_RESTART_TIMEOUT, Presence


@dataclass
class Membership:
    """The service's knowledge of a source, beside its last report.

    began: when the source was started for the first time. run, run_began: the run of its query that reported
    last. reported_at: the time of its last report. heard_at: the time of its last report or heartbeat.
    itself: False while all of this knowledge was passed on by another source. promised: how far its next
    batch will bring it (ms). before_leaving: its last report (ms) if it has left because its query was down,
    else None.
    """

    group: str
    began: float
    run_began: float
    reported_at: float
    heard_at: float
    run: str | None = None
    restart_timeout: int = DEFAULT_RESTART_TIMEOUT
    itself: bool = False
    promised: int | None = None
    before_leaving: int | None = None

    @classmethod
    def joined(cls, group: str, now: float) -> Membership:
        """Return the membership of a source that was unknown before."""
        return cls(group, began=now, run_began=now, reported_at=now, heard_at=now)

    def report(self, now: float, presence: Presence | None) -> None:
        """Record a report of the source itself."""
        if presence is not None:
            if not self.itself:
                self.began = now - presence.source_age / 1000
            if presence.run != self.run:
                self.run, self.run_began = presence.run, now - presence.run_age / 1000
                self.promised = None  # another run may have other limits
            self.restart_timeout = presence.restart_timeout
        self.reported_at = self.heard_at = now
        self.itself = True
        self.before_leaving = None

    def silent(self, now: float) -> int:
        """Return the time since the last sign of life (ms)."""
        return int((now - self.heard_at) * 1000)

    def is_down(self, now: float) -> bool:
        """Return whether the query of the source has been down for as long as the others wait for it."""
        return self.silent(now) >= self.restart_timeout

    def counts_for(self, other: Membership, minimum: int) -> bool:
        """Return whether this source, whose last report is `minimum`, counts as joined for another one.

        A source that holds back the others counts. A source that does not, because it is finished or idle,
        has read all records of a run, or has left, counts for the sources that had been started by its last
        report, since they have met. To a source that was started later it belongs to an earlier run.
        """
        return self is other or minimum != MAX or self.reported_at >= other.began

    def is_in_run_of(self, other: Membership, minimum: int) -> bool:
        """Return whether the last report of this source holds for the present run of another one.

        A minimum holds, because a query continues from its checkpoint. `MAX` may be the end of an earlier run
        under AvailableNow.
        """
        return self is other or minimum != MAX or self.reported_at >= other.run_began
