"""The options of a source over any log."""

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
    """The options for reading a log, validated.

    subtasks: the number of subtasks that read its splits. max_out_of_orderness: how far a record may be
    behind the greatest event time of its split before it (ms). fail_on_data_loss: whether it is an error that
    records vanish before they are read. own: the own options of this kind of log, by their registered names.
    added: the columns that the source adds. future: what becomes of event times far ahead of the clock, None:
    they are read like all others.
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
