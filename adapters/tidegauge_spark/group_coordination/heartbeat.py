"""The heartbeats of a source between its reports: a batch may take minutes while its query runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.presence import HEARTBEAT


class Heartbeat:
    """Renews the presence of a member in its group, in a separate thread, until `stop`.

    It also ends when the member is garbage-collected, and with the process, which Spark kills when the query
    ends.
    """

    def __init__(self, member: GroupMember, interval: float = HEARTBEAT) -> None:
        """interval: seconds between heartbeats."""
        self._stopped = threading.Event()
        weakref.finalize(member, self._stopped.set)
        self.thread = threading.Thread(
            target=_beat,
            args=(weakref.WeakMethod(member.renew), self._stopped, interval),
            name="tidegauge-heartbeat",
            daemon=True,
        )
        self.thread.start()

    def stop(self) -> None:
        """Say nothing more."""
        self._stopped.set()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a heartbeat that does nothing: a copy of a reader in an executor does not plan."""
        return _no_heartbeat, ()


def _no_heartbeat() -> None:
    return None


def _beat(renew: Callable[[], Callable[[], None] | None], stopped: threading.Event, interval: float) -> None:
    while not stopped.wait(interval):
        beat = renew()
        if beat is None:
            return
        beat()
        del beat  # a reference would keep the member alive until the next heartbeat
