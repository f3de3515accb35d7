"""The offsets of one run of a query: those that Spark returns, and those that were planned."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, Generic

from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.offset import AnyOffset
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.recording.recorder import SourceRecorder, paused
from tidegauge_spark.source.planning.sealed_offset import without_progress

_MOST_KNOWN: Final = 3


class RunOffsets(Generic[AnyOffset]):
    """The latest offsets, so that they need not be parsed again, and the event log that belongs to them."""

    def __init__(
        self,
        options: SourceOptions,
        parsed: Callable[[dict[str, Any]], AnyOffset],
        recorded: Callable[[dict[str, Any]], RecordedSource],
    ) -> None:
        """parsed: returns a stored offset, and raises `IllegalOffsetError` for an offset of another source.
        recorded: returns the state for the event log from a stored offset, whatever the options are now."""
        self._parsed = parsed
        self._recorder = _new_recorder(options, recorded)
        self._known: deque[tuple[dict[str, Any], AnyOffset]] = deque(maxlen=_MOST_KNOWN)

    @property
    def newest(self) -> AnyOffset | None:
        """The offset that was planned or restored last, None before the first one."""
        return self._known[-1][1] if self._known else None

    def restored(self, stored: dict[str, Any]) -> AnyOffset:
        """Return a stored offset; the latest are cached. Raises `IllegalOffsetError` as parsing does."""
        for known, offset in self._known:
            if known == stored:
                return offset
        offset = self._parsed(without_progress(stored))
        self._known.append((stored, offset))
        return offset

    def stored(
        self,
        start: dict[str, Any],
        offset: AnyOffset,
        reports: Sequence[int | None],
        run_out: Collection[int],
    ) -> dict[str, Any]:
        """Return a planned offset as Spark stores it; start: the offset before it. reports, run_out: as in
        `SourceRecorder.extended`."""
        stored, before = offset.to_json(), without_progress(start)
        if self._recorder is None:
            stored = paused(before, stored)
        else:
            stored = self._recorder.extended(before, stored, reports, run_out)
        self._known.append((stored, offset))
        return stored

    def write(self, start: dict[str, Any], end: dict[str, Any]) -> None:
        """Write the event log of a batch, if there is one. Raises `EventLogError` as the recorder does."""
        if self._recorder is not None:
            self._recorder.write(without_progress(start), without_progress(end))


def _new_recorder(
    options: SourceOptions, recorded: Callable[[dict[str, Any]], RecordedSource]
) -> SourceRecorder | None:
    if options.event_log is None:
        return None
    group = None if options.alignment is None else options.alignment.group
    return SourceRecorder(options.event_log, options.event_log_job or group, options.name, recorded)
