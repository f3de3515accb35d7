"""The rows of the Flink job that the options of `tidegauge monitor` name."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tidegauge.commands.console import ERR
from tidegauge.commands.terminal_text import inline

from ..monitor.flink.flink_rows import FlinkRows
from ..monitor.recorded_rows import RecordedRows
from ..monitor.row_source import RowSource
from .local_path import local_path


@dataclass(frozen=True)
class FlinkJob:
    """A Flink job. url: the URL of the JobManager. job: the id or name of the job, None for the only running
    one. out: the folder of the event log, None to write none."""

    url: str
    job: str | None = None
    out: Path | None = None


@contextmanager
def followed(flink: FlinkJob) -> Iterator[RowSource]:
    """Yield the rows of a job; afterwards write the rest of the event log, and print why the rows ended.

    Raises `BadInput`.
    """
    rows = FlinkRows(flink.url, flink.job)
    try:
        if flink.out is None:
            yield rows
        else:
            recorded = RecordedRows(rows, local_path("--out", flink.out))
            try:
                yield recorded
            finally:
                recorded.flush()
    finally:
        rows.close()
    if rows.end is not None:
        ERR.print(inline(rows.end), soft_wrap=True)
