"""The rows of a source over files: an executor reads the planned slices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pyarrow as pa

from tidegauge_spark.source.files.folder.log_files import LogFolder, LostFileError
from tidegauge_spark.source.files.folder.partition_columns import typed_value
from tidegauge_spark.source.files.formats import found_name
from tidegauge_spark.source.files.limited_cache import LimitedCache
from tidegauge_spark.source.files.position import Slice
from tidegauge_spark.source.files.schema import data_columns, event_time_column, file_format
from tidegauge_spark.source.options.added_columns import NO_COLUMNS
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.planning.added_columns import added_rows, records_batch
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.event_times import milliseconds
from tidegauge_spark.source.planning.progress_rows import SplitsPartition

ROWS_PER_ARROW_BATCH: Final = 65_536

MOST_BYTES_KEPT: Final = 1 << 27
"""The size of a process's cache of rows that are decoded and not returned yet."""


_partly_read: Final[LimitedCache[Any, Any]] = LimitedCache(MOST_BYTES_KEPT)
"""Decoded blocks of which a later batch will read more, perhaps in this process."""


class FilesRows:
    """Reads rows in the columns and types that they have in Spark (`schema`, of Arrow)."""

    def __init__(self, files: FileOptions, folder: LogFolder, schema: pa.Schema) -> None:
        self._files, self._folder, self._schema = files, folder, schema
        self._data = data_columns(files, schema)
        self._format = file_format(files, self._data)
        self._event_time = event_time_column(files, schema)

    def read(self, partition: SplitsPartition[Slice]) -> Iterator[Any]:
        """Yield the rows of a partition as Arrow record batches, in order of split, file and row, then the
        added rows.

        Raises `BrokenLogError` if a file is not as it was planned, or does not fit the schema.
        """
        for split, part in partition.slices:
            try:
                table = self._rows(split, part)
            except LostFileError:
                if self._files.fail_on_data_loss:
                    raise
                continue
            for batch in table.to_batches(max_chunksize=ROWS_PER_ARROW_BATCH):
                yield self._with_added_columns(batch, partition, split)
        yield from added_rows(partition, self._files.added, self._schema)

    def _rows(self, split: str, part: Slice) -> Any:
        described = self._folder.described(split, part.file)
        raw = self._folder.values_in(part.file)
        values = {found_name(self._data.names, column): value for column, value in raw}
        data = pa.schema([field for field in self._data if field.name not in values])
        key = (self._folder.path, split, part.file, part.size, part.begin, part.end, data)
        with self._folder.open(split, part.file, part.size) as file:
            table = _partly_read.take(key)
            if table is None:
                table = self._format.rows(file, described, part.begin, part.end, data, self._event_time)
        if table.num_rows < part.first + part.rows:
            raise BrokenLogError(
                f"the file {described} has fewer rows than when it was planned: a file must not change; "
                "restore it, or start with a new checkpoint folder"
            )
        if part.first + part.rows < table.num_rows:
            _partly_read.keep(key, table, table.nbytes)
        table = table.slice(part.first, part.rows)
        for place, field in enumerate(self._data):
            if field.name in values:
                value = typed_value(values[field.name], field, described)
                table = table.add_column(place, field, pa.repeat(value, table.num_rows))
        return table

    def _times(self, batch: Any) -> Any:
        return milliseconds(self._event_time.of(batch), self._event_time.unit)

    def _with_added_columns(self, batch: Any, partition: SplitsPartition[Slice], split: str) -> Any:
        added = self._files.added
        if added == NO_COLUMNS:
            return batch
        arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
        times = partial(self._times, batch)
        return records_batch(arrays, added, self._schema, partition, split, times)
