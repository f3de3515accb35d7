"""The state of a coordination service: the last report of every source, by group. Watermarks are in ms."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidegauge_spark.decisions.sources.coordinator import SourceCoordinators
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.client import GroupReport, is_watermark
from tidegauge_spark.group_coordination.membership import Membership
from tidegauge_spark.group_coordination.presence import Presence

MOST_FORMER: Final = 1_000
"""The maximum number of sources of earlier runs that are kept in a group. A notebook that runs a query every
minute, each time with a new checkpoint, would otherwise fill the memory of its driver."""


class Groups:
    """The sources of a service. To the service, each is a source of chapter ALIGN with one subtask.

    `service` is the identity of this service. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.service = secrets.token_hex(8)
        self._clock = clock
        self._lock = threading.Lock()
        self._coordinators = SourceCoordinators()
        self._members: dict[str, Membership] = {}

    def report(
        self,
        group: str,
        source: str,
        minimum: int,
        known: GroupReport | None = None,
        presence: Presence | None = None,
    ) -> GroupReport:
        """Take the minimum of a source (ms); return the last reports of the group.

        A report replaces the last one of the same source, which is in one group at a time. A report of `MIN`
        joins the group without a watermark (ALIGN-6). The others wait for a silent source (ALIGN-11) until
        its restart timeout is over. The source's knowledge of other sources is used if it comes from another
        service and they have not reported themselves.
        """
        with self._lock:
            now = self._clock()
            if known is not None and known.service != self.service:
                for other, watermark in known.minima.items():
                    if other != source and not (other in self._members and self._members[other].itself):
                        self._take_over(group, other, watermark, now)
            member = self._join(group, source, now)
            self._let_go(group, now, reporting=source)
            if minimum < self._coordinators.minima(group)[source]:
                member.promised = None  # the source was set back, or suddenly has old records
            if minimum == MAX:
                self._coordinators.finish(source, 0)
            else:
                self._coordinators.report(source, 0, minimum)
            member.report(now, presence)
            return self._answer(group, member, now)

    def renew(self, group: str, source: str, run: str) -> None:
        """Record that a run of a source continues. Another run, or an unknown source, is ignored.

        A source that has left because of its silence returns with its last report.
        """
        with self._lock:
            member = self._members.get(source)
            if member is None or (member.group, member.run) != (group, run):
                return
            member.heard_at = self._clock()
            if member.before_leaving is not None:
                self._coordinators.report(source, 0, member.before_leaving)
                member.before_leaving = None

    def promise(self, group: str, source: str, reach: int) -> None:
        """Take how far the next batch will bring a source (ms), if no other source holds it back.

        Sources of other groups are ignored.
        """
        with self._lock:
            member = self._members.get(source)
            if member is not None and member.group == group:
                member.promised = reach

    def leave(self, group: str, source: str) -> None:
        """Remove a source, if it is in this group."""
        with self._lock:
            if source in self._members and self._members[source].group == group:
                self._forget(source)

    def sources(self, group: str) -> list[tuple[str, int, int | None]]:
        """Return the sources of a group: identity, minimum (ms), time since the last sign of life (ms; None
        if only another source has reported it)."""
        with self._lock:
            now = self._clock()
            self._let_go(group, now)
            return [
                (source, minimum, member.silent(now) if member.itself else None)
                for source, minimum in self._coordinators.minima(group).items()
                for member in [self._members[source]]
            ]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request of a client with the right token."""
        try:
            return self._answered(request)
        except ValueError:
            return {"refused": "the request is not understood; are both of the same version?"}

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request. Raises `ValueError` for a request that is not understood."""
        what, group, source = request.get("do"), request.get("group"), request.get("source")
        if isinstance(group, str) and what == "list":
            return {"sources": self.sources(group)}
        if not (isinstance(group, str) and isinstance(source, str)):
            raise ValueError(request)
        minimum: Any = request.get("minimum")
        known, presence = request.get("known"), request.get("presence")
        if what == "report" and is_watermark(minimum):
            heard = None if known is None else GroupReport.from_json(known)
            present = None if presence is None else Presence.from_json(presence)
            return self.report(group, source, minimum, heard, present).answer()
        reach: Any = request.get("reach")
        run = request.get("run")
        if what == "promise" and is_watermark(reach):
            self.promise(group, source, reach)
        elif what == "renew" and isinstance(run, str):
            self.renew(group, source, run)
        elif what == "leave":
            self.leave(group, source)
        else:
            raise ValueError(request)
        return {}

    def _answer(self, group: str, member: Membership, now: float) -> GroupReport:
        """Return the answer of the service to a member of a group."""
        everybody = self._coordinators.minima(group)
        minima = {
            source: minimum
            for source, minimum in everybody.items()
            if self._members[source].counts_for(member, minimum)
        }
        said = GroupReport(
            self.service,
            minima,
            reach=self._reach(minima),
            present=sum(self._members[each].is_in_run_of(member, minima[each]) for each in minima),
            former=len(everybody) - len(minima),
            overdue=(now - member.run_began) * 1000 >= member.restart_timeout,
            left=tuple(each for each in minima if self._members[each].before_leaving is not None),
        )
        slowest = said.slowest
        return said._replace(silent=0 if slowest is None else self._members[slowest].silent(now))

    def _let_go(self, group: str, now: float, reporting: str | None = None) -> None:
        """Let sources leave whose queries have been down for too long; drop the oldest of the sources that
        have left."""
        former = []
        for source, minimum in self._coordinators.minima(group).items():
            member = self._members[source]
            if minimum != MAX and source != reporting and member.is_down(now):
                self._coordinators.finish(source, 0)
                member.before_leaving, member.promised = minimum, None
                minimum = MAX
            if minimum == MAX and source != reporting:
                former.append(source)
        for source in sorted(former, key=lambda each: self._members[each].heard_at)[:-MOST_FORMER]:
            self._forget(source)

    def _take_over(self, group: str, source: str, watermark: int, now: float) -> None:
        """Take a report about a source from another source; of two such reports the lower one is safe."""
        told = self._coordinators.minima(group).get(source, MAX)
        self._join(group, source, now)
        self._coordinators.report(source, 0, min(told, watermark))

    def _reach(self, minima: Mapping[str, int]) -> int | None:
        """Return the smallest watermark after the next batches of all sources that the others wait for (ms),
        None if not all have reported it."""
        promised = [self._members[source].promised for source, minimum in minima.items() if minimum != MAX]
        said = [reach for reach in promised if reach is not None]
        return min(said, default=None) if len(said) == len(promised) else None

    def _join(self, group: str, source: str, now: float) -> Membership:
        """Return the membership of a source in a group; it leaves another one."""
        if source in self._members and self._members[source].group != group:
            self._forget(source)
        if source not in self._members:
            self._members[source] = Membership.joined(group, now)
            self._coordinators.start(source, source, group, 0, 1)
        return self._members[source]

    def _forget(self, source: str) -> None:
        self._coordinators.leave(source)
        del self._members[source]
