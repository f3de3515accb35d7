"""The discovery of splits and files: the folder is listed at most once in an interval."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from tidegauge_spark.source.files.folder.listing import Listing
from tidegauge_spark.source.planning.broken_log import BrokenLogError

_LOG: Final = logging.getLogger(__name__)

JOB_PATIENCE: Final = 60
"""The number of checks, one a second, with which AvailableNow waits for the end of a job that writes to the
folder."""


class SplitDiscovery:
    """Lists the folder of a source from time to time, in the background if allowed."""

    def __init__(
        self,
        list_folder: Callable[[], Listing],
        interval: int,
        in_background: bool,
        sleep: Callable[[float], None],
    ) -> None:
        """interval: how long a listing is valid (ms). in_background: whether to list beside the planning.
        sleep: waits for a number of seconds."""
        self._list, self._sleep = list_folder, sleep
        self._interval = interval
        self._worker = ThreadPoolExecutor(1, "tidegauge-discovery") if in_background else None
        self._found: Listing | None = None
        self._found_at: int | None = None
        self.looked_at = 0
        """The processing time (ms) at which the listing that `splits` returned last was begun."""
        self._coming: Future[Listing] | None = None
        self._held_back = False
        self._last: Listing | None = None
        self._shown = self._seen = Listing()

    def freeze(self) -> None:
        """Keep the present listing, without anything that appears later (AvailableNow).

        Later listings only tell which splits have got further files (`Listing.grown`). Waits for a Spark job
        that writes here, and raises `BrokenLogError` if that takes too long.
        """
        found = self._list()
        for _ in range(JOB_PATIENCE):
            if not found.being_written:
                break
            self._hold_back(found)
            self._sleep(1)
            found = self._list()
        if found.being_written:
            raise BrokenLogError(
                f"a Spark job is writing to {found.root!r}, and has not ended for {JOB_PATIENCE} seconds: "
                "start the query when it has, or remove the folder _temporary, __magic... or "
                ".spark-staging-... that a killed one has left"
            )
        self._last = self._found = found
        self._held_back = False
        self._found_at = None

    def splits(self, now: int) -> Listing | None:
        """Return the listing at a processing time (ms), None while it is not known because a Spark job is
        writing. Raises `BrokenLogError` if the folder cannot be listed."""
        if self._found_at is None:
            self._found_at = self.looked_at = now
            if self._found is None:
                self._find(self._list(), now)
        if self._coming is not None and self._coming.done():
            self._find(self._coming.result(), self._found_at)
            self._coming = None
        if self._coming is None and now - self._found_at >= max(1, self._interval):
            self._found_at = now
            if self._worker is None:
                self._find(self._list(), now)
            else:
                self._coming = self._worker.submit(self._list)
        if self._last is None or self._found is None:
            return self._found
        return self._only_last(self._last, self._found)

    def _find(self, found: Listing, begun_at: int) -> None:
        """Take a listing that was begun at a time (ms), unless a Spark job has not committed yet.

        The job moves its files one after the other to the places where they are found, so an earlier file may
        come later. Until the commit it is not known whether a split is empty.
        """
        if not found.being_written:
            self._held_back = False
            self._found, self.looked_at = found, begun_at
        else:
            self._hold_back(found)

    def _hold_back(self, found: Listing) -> None:
        """Report once that a listing is not used."""
        if not self._held_back:
            self._held_back = True
            _LOG.warning(
                "%s: a Spark job is writing here; its files are read when it has ended, or when the "
                "folder _temporary, __magic... or .spark-staging-... that a killed one has left is removed",
                found.root,
            )

    def _only_last(self, last: Listing, found: Listing) -> Listing:
        """Return the last usable listing, a new object for each listing of the folder."""
        if found is not self._seen:
            self._seen = found
            self._shown = Listing(last)
            self._shown.ended = last.ended
            self._shown.grown = frozenset(
                split
                for split, files in last.items()
                if split in found and found[split].keys[-1:] > files.keys[-1:]
            )
        return self._shown

    def stop(self) -> None:
        """Look no more."""
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)
