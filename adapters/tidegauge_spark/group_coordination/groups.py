"""What a coordination service knows: the last report of every source, by group. Watermarks are in ms."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from tidegauge_spark.decisions.sources.coordinator import SourceCoordinators
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.client import GroupReport, is_watermark


class Groups:
    """The sources that have met at a service. To it, each is a source of chapter ALIGN with one subtask.

    `service` is the identity of this one. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.service = secrets.token_hex(8)
        self._clock = clock
        self._lock = threading.Lock()
        self._coordinators = SourceCoordinators()
        self._groups: dict[str, str] = {}
        self._heard_at: dict[str, float] = {}
        self._reported: set[str] = set()
        self._promised: dict[str, int] = {}

    def report(self, group: str, source: str, minimum: int, known: GroupReport | None = None) -> GroupReport:
        """Take the minimum of a source (ms); return the last reports of the group.

        A report replaces the last one of the same source, which is in one group at a time. One of `MIN` joins
        the group and says nothing (ALIGN-6). Who has fallen silent is waited for (ALIGN-11). What the source
        knows of the others is taken where it is of another service and they have not reported themselves.
        """
        with self._lock:
            if known is not None and known.service != self.service:
                for other, watermark in known.minima.items():
                    if other != source and other not in self._reported:
                        self._take_over(group, other, watermark)
            self._join(group, source)
            if minimum < self._coordinators.minima(group)[source]:
                self._promised.pop(source, None)  # it was put back, or has old records all at once
            if minimum == MAX:
                self._coordinators.finish(source, 0)
            else:
                self._coordinators.report(source, 0, minimum)
            self._heard_at[source] = self._clock()
            self._reported.add(source)
            minima = self._coordinators.minima(group)
            said = GroupReport(self.service, minima, reach=self._reach(minima))
            return said._replace(silent=0 if said.slowest is None else self._silent(said.slowest))

    def promise(self, group: str, source: str, reach: int) -> None:
        """Take how far a source will be with its next batch (ms), if nobody holds it back.

        Of a source that is not in this group nothing is taken.
        """
        with self._lock:
            if self._groups.get(source) == group:
                self._promised[source] = reach

    def leave(self, group: str, source: str) -> None:
        """Forget a source, if it is in this group."""
        with self._lock:
            if self._groups.get(source) == group:
                self._forget(source)

    def sources(self, group: str) -> list[tuple[str, int, int | None]]:
        """Return the sources of a group: identity, minimum (ms), age of the report (ms) if it is its own."""
        with self._lock:
            return [
                (source, minimum, self._silent(source) if source in self._reported else None)
                for source, minimum in self._coordinators.minima(group).items()
            ]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request of a client whose token was right."""
        what, group, source = request.get("do"), request.get("group"), request.get("source")
        minimum, known = request.get("minimum"), request.get("known")
        if isinstance(group, str) and what == "list":
            return {"sources": self.sources(group)}
        if isinstance(group, str) and isinstance(source, str):
            if what == "report" and type(minimum) is int and is_watermark(minimum):
                with contextlib.suppress(ValueError):
                    heard = None if known is None else GroupReport.from_json(known)
                    said = self.report(group, source, minimum, heard)
                    return {**said.to_json(), "silent": said.silent, "reach": said.reach}
            reach = request.get("reach")
            if what == "promise" and type(reach) is int and is_watermark(reach):
                self.promise(group, source, reach)
                return {}
            if what == "leave":
                self.leave(group, source)
                return {}
        return {"refused": "the request is not understood; are both of the same version?"}

    def _take_over(self, group: str, source: str, watermark: int) -> None:
        """Remember what another source has told; of two tales the lower one is safe."""
        told = self._coordinators.minima(group).get(source, MAX)
        self._join(group, source)
        self._heard_at.setdefault(source, self._clock())
        self._coordinators.report(source, 0, min(told, watermark))

    def _reach(self, minima: Mapping[str, int]) -> int | None:
        """Return how far all that somebody waits for will be with their next batch (ms), None if not all have
        said so."""
        awaited = [source for source, minimum in minima.items() if minimum != MAX]
        if not all(source in self._promised for source in awaited):
            return None
        return min((self._promised[source] for source in awaited), default=None)

    def _silent(self, source: str) -> int:
        """Return how long ago this service heard of a source (ms)."""
        return int((self._clock() - self._heard_at[source]) * 1000)

    def _join(self, group: str, source: str) -> None:
        if self._groups.get(source, group) != group:
            self._forget(source)
        if source not in self._groups:
            self._groups[source] = group
            self._coordinators.start(source, source, group, 0, 1)

    def _forget(self, source: str) -> None:
        self._coordinators.leave(source)
        self._promised.pop(source, None)
        del self._groups[source]
        del self._heard_at[source]
        self._reported.discard(source)
