"""The columns that a source adds to its rows, each by an option that names it."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidegauge_spark.source.options.given import GivenOptions


class AddedColumns(NamedTuple):
    """The names of the columns that a source adds to its rows, in their order; None: the column is not added.

    Attributes:
        progress: the column that says what a row is and where it came from, of the type `PROGRESS_SCHEMA`.
        late: the column that is true for late rows.
        watermark: the column with the watermark of the source, in one row of each batch that is not a record.
    """

    progress: str | None = None
    late: str | None = None
    watermark: str | None = None


OPTIONS: Final = ("progressColumn", "lateColumn", "watermarkColumn")
"""The options that name the columns, in the order of the fields of `AddedColumns`."""

NO_COLUMNS: Final = AddedColumns()


def parse_added_columns(given: GivenOptions) -> AddedColumns:
    """Return the columns that options name."""
    return AddedColumns(*(given.text(option) for option in OPTIONS))
