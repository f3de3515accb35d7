"""The time zone in which an ORC file was written, which PyArrow does not expose.

ORC stores a timestamp without a time zone as local time in that zone, whereas Spark reads it as an instant.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

UTC: Final = ("UTC", "GMT", "Etc/UTC", "Etc/GMT", "Zulu", "Z", "Universal", "UCT", "Greenwich")
"""The time zone names that stand for UTC."""

_STRIPES: Final = 3
"""The field of the file footer that lists the stripes."""

_STRIPE_PLACE: Final = (1, 2, 3, 4)
"""The fields of a stripe: its offset, and the lengths of its index, data and footer."""

_TIME_ZONE: Final = 3
"""The field of the stripe footer that contains the writer's time zone."""


def writer_time_zone(file: Any, opened: Any) -> str | None:
    """Return the time zone of the first stripe; None if the file does not name one.

    Args:
        file: the open file.
        opened: the same file as a `pyarrow.orc.ORCFile`.

    Raises:
        ValueError: the compression of the file is not supported, or the file is damaged.
    """
    end = file.size() - 1 - opened.file_postscript_length
    footer = _part(file, end - opened.file_footer_length, opened.file_footer_length, opened.compression)
    stripe = next((value for field, value in _fields(footer) if field == _STRIPES), None)
    if not isinstance(stripe, bytes):
        return None
    place = dict(_fields(stripe))
    offset, index, data, length = (int(place.get(field, 0)) for field in _STRIPE_PLACE)
    fields = dict(_fields(_part(file, offset + index + data, length, opened.compression)))
    zone = fields.get(_TIME_ZONE)
    return zone.decode() if isinstance(zone, bytes) else None


def _part(file: Any, offset: int, length: int, compression: str) -> bytes:
    """Return a part of a file, decompressed. A part consists of chunks with three-byte headers."""
    file.seek(offset)
    content: bytes = file.read(length)
    if compression == "UNCOMPRESSED":
        return content
    chunks = []
    while content:
        header = int.from_bytes(content[:3], "little")
        chunk, content = content[3 : 3 + (header >> 1)], content[3 + (header >> 1) :]
        chunks.append(chunk if header & 1 else _decompressed(chunk, compression))
    return b"".join(chunks)


def _decompressed(chunk: bytes, compression: str) -> bytes:
    if compression == "ZLIB":
        return zlib.decompress(chunk, -zlib.MAX_WBITS)
    if compression == "ZSTD":
        with pa.input_stream(pa.py_buffer(chunk), compression="zstd") as stream:
            content: bytes = stream.read()
            return content
    if compression == "SNAPPY":
        size, _ = _varint(chunk, 0)
        return bytes(pa.decompress(chunk, size, codec="snappy", asbytes=True))
    raise ValueError(f"it is compressed with {compression}, so that its time zone is not known")


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the numbers and byte strings in a Protobuf message, each with its field number."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        field, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _varint(message, place)
            yield field, value
        elif kind == 2:
            length, place = _varint(message, place)
            yield field, message[place : place + length]
            place += length
        else:
            place += {1: 8, 5: 4}[kind]


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
