"""The signs of life of a source between its reports: a batch may take minutes while its query runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.presence import HEARTBEAT


class Heartbeat:
    """Renews the presence of a member in its group, in a thread of its own, until `stop`.

    It stops, too, when the member is gone, and with the process: Spark kills that of a query that ends.
    """

    def __init__(self, member: GroupMember, interval: float = HEARTBEAT) -> None:
        """interval: seconds from one sign of life to the next."""
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
        """A copy of a reader in an executor does not plan, and is nobody's sign of life."""
        return _no_heartbeat, ()


def _no_heartbeat() -> None:
    return None


def _beat(renew: Callable[[], Callable[[], None] | None], stopped: threading.Event, interval: float) -> None:
    while not stopped.wait(interval):
        beat = renew()
        if beat is None:
            return
        beat()
        del beat  # it would keep the member until the next time
