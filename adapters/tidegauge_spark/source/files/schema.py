"""The columns of a source over files: from the user, or from the first file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyarrow as pa
from pyspark.sql.types import BooleanType, StructField, StructType, TimestampType

from tidegauge_spark.source.files.csv_format import CsvFormat
from tidegauge_spark.source.files.event_time_column import EventTimeColumn, found_path, type_at
from tidegauge_spark.source.files.folder.listing import Listing
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.files.folder.partition_columns import inferred_type
from tidegauge_spark.source.files.folder.spark_folders import partition_values
from tidegauge_spark.source.files.formats import FileFormat, found_name
from tidegauge_spark.source.files.json_lines_format import JsonLinesFormat
from tidegauge_spark.source.files.orc_format import OrcFormat
from tidegauge_spark.source.files.parquet_format import ParquetFormat
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.planning.added_columns import with_added_columns
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.event_times import is_event_time, is_fractional
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA
from tidegauge_spark.spark_version import to_arrow_in_utc

_FORMATS: Final[dict[str, Callable[[], FileFormat]]] = {
    "parquet": ParquetFormat,
    "json": JsonLinesFormat,
    "orc": OrcFormat,
}
"""The file formats that contain their column names, by the value of the option fileFormat."""


def file_format(files: FileOptions, columns: pa.Schema | None) -> FileFormat:
    """Return the format of the files. columns: the columns of the rows; None if they are not known yet."""
    if files.format == "csv":
        return CsvFormat(files.csv, columns, files.event_time_unit is not None)
    return _FORMATS[files.format]()


def first_schema(files: FileOptions) -> StructType:
    """Return the columns of the first file that has any, and the added columns.

    Raises `BrokenLogError` if there is no such file, or if it cannot be read, and `IllegalOptionError` if its
    event time column is not valid.
    """
    folder, format_ = LogFolder(files.path, files.layout, files.s3), file_format(files, None)
    listing = folder.list()
    for split, found in sorted(listing.items()):
        for name, size in zip(found.names, found.sizes, strict=True):
            described = folder.described(split, name)
            with folder.open(split, name, size) as file:
                schema = format_.schema(file, described, files.event_time_column)
            if not schema.fields:
                continue
            schema = _with_partition_columns(schema, listing, files)
            event_time_column(files, to_arrow_in_utc(schema))
            progress = files.added.progress
            if progress is not None and found_name(schema.names, progress) is not None:
                raise IllegalOptionError(
                    f"option progressColumn = {progress!r}: the file {described} has a column of that name; "
                    "write another one"
                )
            return with_added_columns(schema, files.added)
    raise BrokenLogError(
        f"the folder {files.path!r} has no file yet that tells the columns: give them by schema(), or start "
        "when there is one"
    )


def _with_partition_columns(schema: StructType, listing: Listing, files: FileOptions) -> StructType:
    """Return the columns of a file and of its folders; the latter replace columns of the same name."""
    fields = list(schema.fields)
    for column, values in partition_values(listing).items() if files.layout.of_spark else ():
        if column.lower() == files.event_time_column.lower():
            raise IllegalOptionError(
                f"option eventTimeColumn = {files.event_time_column!r}: it is a partition column, in the "
                "names of folders; name a column that is in the files"
            )
        field = StructField(column, inferred_type(column, values))
        here = found_name([each.name for each in fields], column)
        if here is None:
            fields.append(field)
        else:
            fields = [field if each.name == here else each for each in fields]
    return StructType(fields)


def checked_schema(files: FileOptions, schema: StructType) -> pa.Schema:
    """Return the columns in Arrow's types.

    Raises `IllegalOptionError` if the event time column or an added column is missing.
    """
    arrow = to_arrow_in_utc(schema)
    event_time_column(files, arrow)
    column = files.added.progress
    if column is not None:
        types = {field.name: field.dataType.simpleString() for field in schema}
        if types.get(column) != PROGRESS_SCHEMA.simpleString():
            raise IllegalOptionError(
                f"option progressColumn = {column!r}: the schema has no column {column!r} of the type "
                f"{PROGRESS_SCHEMA.simpleString()}; add it, or leave schema() or progressColumn out"
            )
    late = files.added.late
    if late is not None and not any(each.name == late and each.dataType == BooleanType() for each in schema):
        raise IllegalOptionError(
            f"option lateColumn = {late!r}: the schema has no boolean column {late!r}; add it, or leave "
            "schema() or lateColumn out"
        )
    watermark = files.added.watermark
    if watermark is not None and not any(
        field.name == watermark and field.dataType == TimestampType() for field in schema
    ):
        raise IllegalOptionError(
            f"option watermarkColumn = {watermark!r}: the schema has no timestamp column {watermark!r}; load "
            "the source by tidegauge_spark.load(reader), which adds it"
        )
    return arrow


def data_columns(files: FileOptions, schema: pa.Schema) -> pa.Schema:
    """Return the columns without those that the source adds."""
    return pa.schema([field for field in schema if field.name not in files.added])


def event_time_column(files: FileOptions, schema: pa.Schema) -> EventTimeColumn:
    """Return the event time column. Raises `IllegalOptionError` if it does not exist, or has another type."""
    wanted = files.event_time_column
    path = found_path(list(schema), [wanted])
    if path is None:
        raise IllegalOptionError(
            f"option eventTimeColumn = {wanted!r}: there is no such column; there are "
            f"{', '.join(schema.names)}"
        )
    type_ = type_at(list(schema), path)
    if not is_event_time(type_):
        raise IllegalOptionError(
            f"option eventTimeColumn = {wanted!r}: the column is {type_}; it must be a timestamp, a date, or "
            "a number (see eventTimeUnit)"
        )
    if is_fractional(type_) and files.event_time_unit is None:
        raise IllegalOptionError(
            f"option eventTimeColumn = {wanted!r}: the column is {type_}, and the unit of its numbers is "
            'unknown: set eventTimeUnit to "s", "ms", "us" or "ns"'
        )
    return EventTimeColumn(path, type_, files.event_time_unit)
