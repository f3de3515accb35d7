"""The options of a source over a log, whatever log it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tidegauge_spark.source.options.added_columns import NO_COLUMNS, AddedColumns, parse_added_columns
from tidegauge_spark.source.options.future import FUTURE_OPTIONS, FutureOptions, parse_future
from tidegauge_spark.source.options.given import GivenOptions

LOG_OPTIONS: Final = ("maxOutOfOrderness", "failOnDataLoss", *FUTURE_OPTIONS)


@dataclass(frozen=True)
class LogOptions:
    """How a log is read, checked.

    subtasks: how many read its splits. max_out_of_orderness: how far a record may be behind the greatest
    event time of its split before it (ms). fail_on_data_loss: whether it is an error that records vanish
    before they are read. own: the options that only this kind of log has, by the names that it gave them.
    added: the columns that the source adds. future: what becomes of event times far beyond the clock, None:
    they are read as all others.
    """

    subtasks: int
    max_out_of_orderness: int
    fail_on_data_loss: bool
    own: Mapping[str, str]
    added: AddedColumns = NO_COLUMNS
    future: FutureOptions | None = None


def parse_log(given: GivenOptions, subtasks: int, own: Mapping[str, str]) -> LogOptions:
    """Return the options about a log. Raises `IllegalOptionError`."""
    return LogOptions(
        subtasks=subtasks,
        max_out_of_orderness=given.duration("maxOutOfOrderness") or 0,
        fail_on_data_loss=given.boolean("failOnDataLoss", default=True),
        own=own,
        added=parse_added_columns(given),
        future=parse_future(given),
    )
