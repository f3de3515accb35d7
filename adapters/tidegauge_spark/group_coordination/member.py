"""A source as a member of its group: its exchange with the coordination service, with and without an answer.

Watermarks are in ms. Without the service the source does not know how far the others are, so it reads
nothing: it never runs ahead on an assumption.
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
"""The silence after which the query of a source seems to be down (ms)."""

_LOG: Final = logging.getLogger("tidegauge_spark")


class GroupMember:
    """The membership of a source in its group, from one planning to the next.

    `patience`: how long the source waits for a service that is gone before it fails (ms, 0: not at all).
    `known`: the group as the source last knew it; a source that stores it in its offset, and is restarted,
    waits for the sources that it knew before they have reported again (ALIGN-11). `run`: the run of its
    query, by `clock`, which returns seconds. A member can be pickled.
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
        """Report the minimum of the source (ms; None or `MAX`: the others do not wait for it).

        Returns the answer of the service, or None while the service is gone: then nothing may be planned, and
        nothing is lost, because the next call reports again. The log has a warning when the service is gone,
        when it is back, when the group waits for a silent source, and when such a source has left. Under
        `Trigger.AvailableNow`, where a planning without news ends the query, continue with empty batches.

        Raises `CoordinatorGoneError` when the patience is over, and `CoordinatorError` for a service that
        answers and refuses, which waiting does not fix.
        """
        try:
            presence = None if self._run is None else self._run.presence(self._clock())
            answer = report(self._address, self._group, self._source, minimum, self._known, presence)
        except CoordinatorGoneError as error:
            self._bear(error)
            return None
        if self._gone_since is not None:
            _LOG.warning(
                "source %s continues: the coordination service at %s answers again, after %d ms",
                *(self._source, self._place, self.gone_for),
            )
            self._gone_since = None
        self._known = answer
        self._point_at_the_silent(answer)
        self._point_at_those_who_left(answer)
        return answer

    def renew(self) -> None:
        """Report that the query of the source runs, although it has no new minimum. A service that is gone,
        or refuses, is handled by the next report."""
        if self._run is not None:
            with contextlib.suppress(CoordinatorError):
                renew(self._address, self._group, self._source, self._run.token)

    def promise(self, reach: int | None) -> None:
        """Report how far the next batch will bring the source (ms; None: the others do not wait for it).

        Nothing is sent to a service that is gone: the next report handles that.
        """
        if self._gone_since is None:
            with contextlib.suppress(CoordinatorGoneError):
                promise(self._address, self._group, self._source, MAX if reach is None else reach)

    @property
    def gone_for(self) -> int:
        """How long the service has been gone (ms), according to the reports; 0: it answers."""
        if self._gone_since is None:
            return 0
        return max(1, int((self._clock() - self._gone_since) * 1000))

    def status(self) -> dict[str, Any]:
        """Return the group's state for the progress of the query, as JSON.

        `coordinator`: "answers" or "gone". `goneFor` (ms). `sourcesInGroup`: the number of known sources,
        None before the first answer; `groupMinimum` (ms) and `waitsFor`, the identity of the slowest source,
        likewise.
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
        """The last answer of the service, None before the first."""
        return self._known

    @property
    def _place(self) -> str:
        return f"{self._address.host}:{self._address.port}"

    def _bear(self, error: CoordinatorGoneError) -> None:
        """Report once that the service is gone. Raises `CoordinatorGoneError` when the patience is over."""
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
        """Report once that the group waits for a source whose query seems to be down."""
        slowest = answer.slowest
        silent = answer.silent >= SILENT  # this source itself has just reported
        if silent and slowest != self._silent:
            _LOG.warning(
                "source %s waits for source %s of group %r, which has been silent for %d ms; start its "
                "query again, or the group continues without it when its restartTimeout is over",
                *(self._source, slowest, self._group, answer.silent),
            )
        self._silent = slowest if silent else None

    def _point_at_those_who_left(self, answer: GroupReport) -> None:
        """Report once for each source that its query has been down for too long."""
        left = frozenset(answer.left)
        for source in sorted(left - self._left):
            _LOG.warning(
                "source %s no longer waits for source %s of group %r, whose query has been down for its "
                "restartTimeout; it joins again when its query is started from its checkpoint",
                *(self._source, source, self._group),
            )
        self._left = left
