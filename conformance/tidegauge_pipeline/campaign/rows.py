"""The rows of a campaign: a Parquet file for each chunk, which also holds what the chunk shows of the rules.

A file is there once the chunk is finished, whole, and not before: so a campaign that was killed knows what it
has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as parquet
from msgspec import Struct

from tidegauge.run.journal import Finished
from tidegauge.run.own_folder import complaining

from .names import SCENARIOS
from .specification import Chunk
from .work import Rows

_TEXTS: Final = pa.dictionary(pa.int32(), pa.string())

SCHEMA: Final = pa.schema(
    [
        pa.field("scenario", pa.string(), nullable=False),
        pa.field("index", pa.int64(), nullable=False),
        pa.field("verdict", _TEXTS, nullable=False),
        pa.field("rule", _TEXTS),
        pa.field("steps", pa.int32(), nullable=False),
        pa.field("at", pa.int32()),
        pa.field("duration", pa.int64(), nullable=False),
    ]
)
"""The columns of a file; its folder says the component."""

_KEY: Final = b"tidegauge.chunk"


class Kept(Struct, frozen=True):
    """What the file of a chunk says of it, beside its rows."""

    campaign: str
    finished: Finished


def file_of(folder: Path, chunk: Chunk) -> Path:
    """Where the rows of a chunk are."""
    return folder / SCENARIOS / f"component={chunk.component}" / f"{chunk.id}.parquet"


def table_of(rows: Sequence[Rows]) -> Any:
    """Rows as a table."""
    columns = [
        pa.array([value for some in rows for value in getattr(some, field.name)], _plain(field.type))
        for field in SCHEMA
    ]
    return pa.Table.from_arrays(
        [one.cast(field.type) for one, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def _plain(kind: Any) -> Any:
    return pa.string() if pa.types.is_dictionary(kind) else kind


def write(folder: Path, chunk: Chunk, rows: Sequence[Rows], finished: Finished, campaign: str) -> None:
    """Write a chunk, whole or not at all; another process may do the same. Raises `BadInput` if the folder
    cannot be written."""
    path = file_of(folder, chunk)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    with complaining(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
        with parquet.ParquetWriter(partial, SCHEMA, compression="zstd") as writer:
            writer.write_table(table_of(rows))
            writer.add_key_value_metadata({_KEY: msgspec.json.encode(Kept(campaign, finished))})
        partial.replace(path)


def remove_unfinished(folder: Path) -> None:
    """Remove what a campaign that was killed had begun to write."""
    for partial in (folder / SCENARIOS).glob("component=*/.*.parquet.*"):
        partial.unlink()


def finished_in(folder: Path, chunks: Sequence[Chunk], campaign: str) -> Iterator[tuple[Chunk, Finished]]:
    """The chunks of that campaign that are finished, in their order, one after the other."""
    for chunk in chunks:
        finished = _finished(file_of(folder, chunk), campaign)
        if finished is not None:
            yield chunk, finished


def _finished(path: Path, campaign: str) -> Finished | None:
    try:
        document = parquet.read_metadata(path).metadata[_KEY]
        kept = msgspec.json.decode(document, type=Kept)
    except (OSError, KeyError, TypeError, pa.ArrowInvalid, msgspec.DecodeError):
        return None
    return kept.finished if kept.campaign == campaign else None
