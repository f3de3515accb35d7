"""What the examples read: a folder with a sub-folder for each partition, and files that appear in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

FINISHED = "_FINISHED"


def write_file(partition: Path, name: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Write a Parquet file that is complete when it appears."""
    partition.mkdir(parents=True, exist_ok=True)
    unfinished = partition / f"_{name}"
    parquet.write_table(pa.table(dict(columns)), unfinished)
    unfinished.rename(partition / f"{name}.parquet")


def finish(log: Path) -> None:
    """Say that no partition gets any more files, and that there will be no more partitions."""
    for folder in [*(path for path in log.iterdir() if path.is_dir()), log]:
        (folder / FINISHED).touch()
