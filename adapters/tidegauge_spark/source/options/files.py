"""The options of a source over folders of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, S3Settings
from tidegauge_spark.source.options.added_columns import NO_COLUMNS, AddedColumns, parse_added_columns
from tidegauge_spark.source.options.csv import CSV_OPTIONS, SPARKS_CSV, CsvOptions, parse_csv
from tidegauge_spark.source.options.future import FUTURE_OPTIONS, FutureOptions, parse_future
from tidegauge_spark.source.options.given import GivenOptions
from tidegauge_spark.source.options.layout import SUB_FOLDERS, Layout, parse_layout
from tidegauge_spark.source.options.places import read_place

FILE_OPTIONS: Final = (
    "path",
    "splitBy",
    "fileOrder",
    "fileFormat",
    "pathGlobFilter",
    "pathMoved",
    "eventTimeColumn",
    "eventTimeUnit",
    "maxOutOfOrderness",
    "maxFilesPerTrigger",
    "startingTimestamp",
    "discoveryInterval",
    "failOnInvalidTimestamp",
    "failOnDataLoss",
    *FUTURE_OPTIONS,
    *CSV_OPTIONS,
)

UNITS: Final = ("ms", "s", "us", "ns")
"""The units of a whole number since 1970."""

FILE_FORMATS: Final = ("parquet", "json", "orc", "csv")

DISCOVERY_INTERVAL: Final = 10_000
"""The default of discoveryInterval (ms)."""


@dataclass(frozen=True)
class FileOptions:
    """The files of a source, validated.

    path: the folder, as `place_of` returns it. layout: what its splits are. format: one of `FILE_FORMATS`.
    subtasks: the number of subtasks that read them. event_time_column: the column with the event time.
    max_out_of_orderness: how far a record may be behind the greatest event time of its split before it (ms).
    discovery_interval: the maximum time until new folders and files are detected (ms).
    fail_on_invalid_timestamp: whether a record without a valid event time is an error; otherwise it passes
    and moves no watermark. fail_on_data_loss: whether it is an error that files vanish before they are read.
    added: the columns that the source adds. event_time_unit: the unit of a whole number, one of "ms", "s",
    "us" and "ns"; None: not set. path_moved: whether the files were elsewhere at the last start.
    files_per_batch: how many files a batch may begin, None: any number. starting_timestamp: each split is
    read from the first record with this event time (ms) or a later one; None: from its beginning. future:
    what becomes of event times far ahead of the clock, None: they are read like all others. s3: how to reach
    S3. csv: the CSV options.
    """

    path: str
    format: str
    subtasks: int
    event_time_column: str
    max_out_of_orderness: int = 0
    discovery_interval: int = DISCOVERY_INTERVAL
    fail_on_invalid_timestamp: bool = True
    fail_on_data_loss: bool = True
    added: AddedColumns = NO_COLUMNS
    event_time_unit: str | None = None
    path_moved: bool = False
    files_per_batch: int | None = None
    starting_timestamp: int | None = None
    layout: Layout = SUB_FOLDERS
    future: FutureOptions | None = None
    s3: S3Settings = FROM_ENVIRONMENT
    csv: CsvOptions = SPARKS_CSV


def parse_files(given: GivenOptions, subtasks: int, s3: S3Settings) -> FileOptions | None:
    """Return the options about files, None if the source does not read files. Raises `IllegalOptionError`."""
    path = read_place(given, "path")
    for name in FILE_OPTIONS:
        given.require(name, "path")
    if path is None:
        return None
    column = given.text("eventTimeColumn")
    if column is None:
        given.refuse("path", path, "set eventTimeColumn as well: the column that has the event time")
    interval = given.duration("discoveryInterval")
    file_format = given.one_of("fileFormat", FILE_FORMATS)
    return FileOptions(
        path=path,
        format=file_format,
        subtasks=subtasks,
        event_time_column=column,
        max_out_of_orderness=given.duration("maxOutOfOrderness") or 0,
        discovery_interval=DISCOVERY_INTERVAL if interval is None else interval,
        fail_on_invalid_timestamp=given.boolean("failOnInvalidTimestamp", default=True),
        fail_on_data_loss=given.boolean("failOnDataLoss", default=True),
        added=parse_added_columns(given),
        event_time_unit=given.one_of("eventTimeUnit", UNITS) if "eventTimeUnit" in given else None,
        path_moved=given.boolean("pathMoved", default=False),
        files_per_batch=given.integer("maxFilesPerTrigger", 1, 1, MAX)
        if "maxFilesPerTrigger" in given
        else None,
        starting_timestamp=starting_timestamp(given),
        layout=parse_layout(given),
        future=parse_future(given),
        s3=s3,
        csv=parse_csv(given, file_format),
    )


def starting_timestamp(given: GivenOptions) -> int | None:
    """Return the option startingTimestamp (ms), None if it is not given."""
    if "startingTimestamp" not in given:
        return None
    return given.integer("startingTimestamp", 0, MIN + 1, MAX - 1)
