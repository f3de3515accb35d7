"""The options of a source over a log, whatever log it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tidegauge_spark.source.options.future import FUTURE_OPTIONS, FutureOptions, parse_future
from tidegauge_spark.source.options.given import GivenOptions

LOG_OPTIONS: Final = ("maxOutOfOrderness", "failOnDataLoss", *FUTURE_OPTIONS)


@dataclass(frozen=True)
class LogOptions:
    """How a log is read, checked.

    subtasks: how many read its splits. max_out_of_orderness: how far a record may be behind the greatest
    event time of its split before it (ms). fail_on_data_loss: whether it is an error that records vanish
    before they are read. progress_column: a column to be filled with `PROGRESS_SCHEMA`, None: there is none.
    own: the options that only this kind of log has, by the names that it gave them. watermark_column: a
    column for the watermark of the source, None: there is none. late_column: a column that says
    which rows are late, None: there is none. future: what becomes of event times far beyond the clock, None:
    they are read as all others.
    """

    subtasks: int
    max_out_of_orderness: int
    fail_on_data_loss: bool
    progress_column: str | None
    own: Mapping[str, str]
    watermark_column: str | None = None
    late_column: str | None = None
    future: FutureOptions | None = None


def parse_log(given: GivenOptions, subtasks: int, own: Mapping[str, str]) -> LogOptions:
    """Return the options about a log. Raises `IllegalOptionError`."""
    return LogOptions(
        subtasks=subtasks,
        max_out_of_orderness=given.duration("maxOutOfOrderness") or 0,
        fail_on_data_loss=given.boolean("failOnDataLoss", default=True),
        progress_column=given.text("progressColumn"),
        own=own,
        watermark_column=given.text("watermarkColumn"),
        late_column=given.text("lateColumn"),
        future=parse_future(given),
    )
