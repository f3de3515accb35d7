"""The event log of a source. Offsets, and so the checkpoint, say which rows it already has.

A batch that Spark has logged is recorded exactly once. A file of the log has the number of its batch, so that
a batch that is run again after a crash replaces its file by an identical one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final
from urllib.parse import quote

from tidegauge_spark.event_log.log_files import EventLogError, LogRow, table_of, write_whole, writing
from tidegauge_spark.places.writable_folder import WritableFolder
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource, rows_between
from tidegauge_spark.source.planning.sealed_offset import sealed

_LOG: Final = "event_log"
"""The recorder's part of an offset: `batches`, the number of files; `rows`, the number of rows of each
subtask; `reports`, `bound` and `run_out`, as in `rows_between`; `paused`, whether the batch was not
recorded."""


class SourceRecorder:
    """Writes the event log of a source. `job`: the name of the job in the log. `name`: the name of the
    source, None: its identity. `state` reads a stored offset."""

    def __init__(
        self,
        folder: WritableFolder,
        job: str | None,
        name: str | None,
        state: Callable[[dict[str, Any]], RecordedSource],
    ) -> None:
        self._folder, self._job, self._name = folder, job, name
        self._state = state
        self._checked = False

    def extended(
        self,
        start: dict[str, Any],
        end: dict[str, Any],
        reports: Sequence[int | None],
        run_out: Collection[int],
    ) -> dict[str, Any]:
        """Return an offset together with the state of the log at its end."""
        log = start.get(_LOG, {})
        told: dict[str, Any] = {"reports": list(reports), "bound": end["bound"]} if reports else {}
        if run_out:
            told["run_out"] = sorted(run_out)
        planned = _with_log(end, told)
        many = Counter(row.subtask for row in self._rows(start, planned))
        before = log.get("rows", [])
        count = max(len(before), self._state(end).subtasks)
        rows = [many[subtask] + (before[subtask] if subtask < len(before) else 0) for subtask in range(count)]
        return _with_log(end, {"batches": log.get("batches", 0) + 1, "rows": rows, **told})

    def write(self, start: dict[str, Any], end: dict[str, Any]) -> None:
        """Write the file of a batch that Spark has logged; again, if it exists.

        Raises `EventLogError` if it cannot be written, or if the folder has the log of another source of the
        same name.
        """
        if _LOG not in end or end[_LOG].get("paused"):
            return  # planned before the option was set
        state = self._state(end)
        name = self._name or state.source
        job = self._job or name
        folder = self._folder.sub_folder(f"job-{quote(job, safe='')}", f"source-{quote(name, safe='')}")
        if not self._checked:
            _refuse_others(folder, state.source)
            self._checked = True
        table = table_of(job, name, state.at, self._rows(start, end), start.get(_LOG, {}).get("rows", []))
        write_whole(folder.sub_folder(state.source), f"{end[_LOG]['batches']:012}.parquet", table)

    def _rows(self, start: dict[str, Any], end: dict[str, Any]) -> list[LogRow]:
        before, told = start.get(_LOG), end[_LOG]
        return rows_between(
            self._state(start),
            self._state(end),
            None if before is None else len(before["rows"]),
            resumed=before is not None and before.get("paused", False),
            reports=told.get("reports", ()),
            bound=told.get("bound"),
            run_out=(_run_out(before), _run_out(told)),
        )


def _run_out(log: dict[str, Any] | None) -> frozenset[int]:
    return frozenset(() if log is None else log.get("run_out", ()))


def paused(start: dict[str, Any], end: dict[str, Any]) -> dict[str, Any]:
    """Return an offset that is planned without a recorder: an existing log continues later."""
    if _LOG not in start:
        return end
    return _with_log(end, {name: start[_LOG][name] for name in ("batches", "rows")} | {"paused": True})


def _with_log(offset: dict[str, Any], log: dict[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in offset.items() if name not in ("version", "checksum")}
    return sealed({**content, _LOG: log})


def _refuse_others(folder: WritableFolder, identity: str) -> None:
    with writing(folder):
        others = [name for name in folder.names() if name != identity]
    if others:
        raise EventLogError(
            f"the folder {folder.place!r} has the event log of another source of that name ({others[0]}), "
            "whose rows have the same numbers: set eventLog to a new folder for a new checkpoint, or set "
            "another sourceName"
        )
