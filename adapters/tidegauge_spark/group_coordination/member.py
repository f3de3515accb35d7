"""A source as a member of its group: what it learns from the coordination service, and what it does without.

Watermarks are in ms. Without the service nobody knows how far the others are, so the source stands still: it
never runs ahead in the hope that all is well.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.client import (
    Address,
    CoordinatorError,
    CoordinatorGoneError,
    GroupReport,
    promise,
    renew,
    report,
)
from tidegauge_spark.group_coordination.presence import HEARTBEAT, SourceRun

DEFAULT_PATIENCE: Final = 60_000
"""How long a source waits for a service that is gone before it fails (ms)."""

SILENT: Final = int(3 * HEARTBEAT * 1000)
"""From which silence on the query of a source seems to be down (ms)."""

_LOG: Final = logging.getLogger("tidegauge_spark")


class GroupMember:
    """The member of a group that a source is, from one planning to the next.

    `patience`: how long it waits for a service that is gone before it fails (ms, 0: not at all). `known`:
    what it heard of the group before; a source that keeps it in its offset, and is restarted, waits for those
    it knew before they have reported again (ALIGN-11). `run`: the run of its query, by `clock`, which returns
    seconds. It can be pickled.
    """

    def __init__(
        self,
        address: Address,
        group: str,
        source: str,
        patience: int = DEFAULT_PATIENCE,
        known: GroupReport | None = None,
        clock: Callable[[], float] = time.monotonic,
        run: SourceRun | None = None,
    ) -> None:
        self._address = address
        self._group = group
        self._source = source
        self._patience = patience
        self._clock = clock
        self._gone_since: float | None = None
        self._known = known
        self._silent: str | None = None
        self._left: frozenset[str] = frozenset()
        self._run = run

    def report(self, minimum: int | None) -> GroupReport | None:
        """Report the minimum of the source (ms; None or `MAX`: nobody has to wait for it).

        Return what the group says, or None while the service is gone: then nothing may be planned, and
        nothing is lost, since the next call asks again. Warnings in the log tell that it is gone, that it is
        back, that the group waits for a source of which nothing is heard, and that such a source has left.
        Under `Trigger.AvailableNow`, where "nothing new" ends the query, go on with empty batches.

        Raises `CoordinatorGoneError` when the patience is over, and `CoordinatorError` for a service that
        answers and refuses, which no waiting mends.
        """
        try:
            presence = None if self._run is None else self._run.presence(self._clock())
            answer = report(self._address, self._group, self._source, minimum, self._known, presence)
        except CoordinatorGoneError as error:
            self._bear(error)
            return None
        if self._gone_since is not None:
            _LOG.warning(
                "source %s reads on: the coordination service at %s answers again, after %d ms",
                *(self._source, self._place, self.gone_for),
            )
            self._gone_since = None
        self._known = answer
        self._point_at_the_silent(answer)
        self._point_at_those_who_left(answer)
        return answer

    def renew(self) -> None:
        """Say that the query of the source runs, though it has nothing to report. A service that is gone, or
        refuses, is a matter of the next report."""
        if self._run is not None:
            with contextlib.suppress(CoordinatorError):
                renew(self._address, self._group, self._source, self._run.token)

    def promise(self, reach: int | None) -> None:
        """Say how far the next batch will bring the source (ms; None: nobody has to wait for it).

        Nothing is said to a service that is gone: the next report tells that.
        """
        if self._gone_since is None:
            with contextlib.suppress(CoordinatorGoneError):
                promise(self._address, self._group, self._source, MAX if reach is None else reach)

    @property
    def gone_for(self) -> int:
        """For how long the service has been gone (ms), as far as the reports have shown; 0: it answers."""
        if self._gone_since is None:
            return 0
        return max(1, int((self._clock() - self._gone_since) * 1000))

    def status(self) -> dict[str, Any]:
        """Return what to show in the progress of the query, as JSON.

        `coordinator`: "answers" or "gone". `goneFor` (ms). `sourcesInGroup`: how many are known, None before
        the first answer; `groupMinimum` (ms) and `waitsFor`, the identity of the slowest source, likewise.
        """
        known = self._known
        return {
            "coordinator": "answers" if self._gone_since is None else "gone",
            "goneFor": self.gone_for,
            "sourcesInGroup": None if known is None else known.joined,
            "groupMinimum": None if known is None else known.minimum,
            "waitsFor": None if known is None else known.slowest,
        }

    @property
    def known(self) -> GroupReport | None:
        """What the service said last of the group, None before it has."""
        return self._known

    @property
    def _place(self) -> str:
        return f"{self._address.host}:{self._address.port}"

    def _bear(self, error: CoordinatorGoneError) -> None:
        """Say once that the service is gone. Raises `CoordinatorGoneError` when the patience is over."""
        first = self._gone_since is None
        if self._gone_since is None:
            self._gone_since = self._clock()
        if (self._clock() - self._gone_since) * 1000 >= self._patience:
            waited = f"source {self._source} has waited for it for {self._patience} ms"
            raise CoordinatorGoneError(f"{error}; {waited}") from error
        if first:
            _LOG.warning(
                "source %s reads nothing more and fails after %d ms: %s", self._source, self._patience, error
            )

    def _point_at_the_silent(self, answer: GroupReport) -> None:
        """Say once that the group waits for a source whose query seems to be down."""
        slowest = answer.slowest
        silent = answer.silent >= SILENT  # this source itself has just been heard
        if silent and slowest != self._silent:
            _LOG.warning(
                "source %s waits for source %s of group %r, of which nothing was heard for %d ms; start its "
                "query again, or the group continues without it when its restartTimeout is over",
                *(self._source, slowest, self._group, answer.silent),
            )
        self._silent = slowest if silent else None

    def _point_at_those_who_left(self, answer: GroupReport) -> None:
        """Say once of each source that its query has been down for too long."""
        left = frozenset(answer.left)
        for source in sorted(left - self._left):
            _LOG.warning(
                "source %s waits no longer for source %s of group %r, whose query has been down for its "
                "restartTimeout; it joins again when its query is started from its checkpoint",
                *(self._source, source, self._group),
            )
        self._left = left
