"""The lines of text files, compressed or not, as blocks.

A block is about a megabyte of whole lines. Its begin and end are byte positions in the uncompressed text.
"""

from __future__ import annotations

import io
from threading import Lock
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tidegauge_spark.source.files.limited_cache import LimitedCache
from tidegauge_spark.source.planning.broken_log import BrokenLogError

BLOCK: Final = 1 << 20
"""The size of a block in bytes, extended to the end of the last line."""

_CODECS: Final = {"gz": "gzip", "bz2": "bz2", "zst": "zstd"}
"""The codecs by file extension. As in Spark, the extension determines the codec."""

_NOT_READ: Final = ("deflate", "lz4", "snappy", "xz", "lzo", "zip")

_MOST_STREAMS: Final = 64
"""The maximum number of compressed streams in the cache. Each uses a few megabytes of memory."""


class Lines(NamedTuple):
    """Whole lines of a file: their text, their end position, and whether they are the last lines."""

    text: bytes
    end: int
    last: bool


class _Compressed(io.RawIOBase):
    """The bytes of a compressed file. The file may be closed and reopened between two reads."""

    def __init__(self) -> None:
        super().__init__()
        self.file: Any = None
        self._place = 0
        self._ahead = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return some bytes. They are fetched from the store in large blocks."""
        if not self._ahead:
            self.file.seek(self._place)
            self._ahead = self.file.read(BLOCK)
            self._place += len(self._ahead)
        content, self._ahead = self._ahead[:size], self._ahead[size:]
        return content


class _Text:
    """The text of a compressed file, which can only be read forwards."""

    def __init__(self, codec: str) -> None:
        self._compressed = _Compressed()
        self._stream = pa.CompressedInputStream(pa.PythonFile(self._compressed, "r"), codec)
        self._ahead = b""
        self.place = 0

    def use(self, file: Any) -> None:
        """Continue reading from this open file, which has the same content as the previous one."""
        self._compressed.file = file

    def skip(self, size: int) -> None:
        """Skip this number of bytes of the text."""
        while size and (read := self.read(min(size, BLOCK))):
            size -= len(read)

    def read(self, size: int) -> bytes:
        """Return this number of bytes, or fewer at the end of the file."""
        chunks, missing = [self._ahead[:size]], size - len(self._ahead)
        self._ahead = self._ahead[size:]
        while missing > 0 and (read := self._stream.read(missing)):
            chunks.append(read)
            missing -= len(read)
        text = b"".join(chunks)
        self.place += len(text)
        return text

    def put_back(self, text: bytes) -> None:
        """Put back bytes that were read beyond the block."""
        self._ahead = text + self._ahead
        self.place -= len(text)

    @property
    def exhausted(self) -> bool:
        """Whether the end of the text is reached."""
        following = self.read(1)
        self.put_back(following)
        return not following


_texts: Final[LimitedCache[tuple[str, int, int], _Text]] = LimitedCache(_MOST_STREAMS)
"""Partly read compressed files: the next block continues instead of decompressing from the start."""

_lock: Final = Lock()  # the driver plans and reads ahead in separate threads


def whole_lines(file: Any, described: str, begin: int) -> Lines:
    """Return the lines of the block at a position. The last line of the file may lack a line terminator.

    Args:
        file: the open file.
        described: the name of the file in messages.
        begin: the position in the text at which the block begins.

    Raises:
        BrokenLogError: the extension of the file names an unsupported compression.
    """
    text = _opened(file, described, begin)
    lines = text.read(BLOCK)
    while lines and not lines.endswith(b"\n"):
        more = text.read(BLOCK)
        if not more:
            break
        border = more.find(b"\n") + 1
        lines += more[:border] if border else more
        if border:
            text.put_back(more[border:])
    last = text.exhausted
    _keep(text, file, described)
    return Lines(lines, begin + len(lines), last)


def lines_between(file: Any, described: str, begin: int, end: int) -> bytes:
    """Return the lines between two positions of the text. Raises like `whole_lines`."""
    text = _opened(file, described, begin)
    lines = text.read(end - begin)
    _keep(text, file, described)
    return lines


class _PlainText:
    """The text of an uncompressed file."""

    def __init__(self, file: Any, begin: int) -> None:
        self._file = file
        file.seek(begin)

    def read(self, size: int) -> bytes:
        """Return this number of bytes, or fewer at the end of the file."""
        text: bytes = self._file.read(size)
        return text

    def put_back(self, text: bytes) -> None:
        """Put back bytes that were read beyond the block."""
        self._file.seek(self._file.tell() - len(text))

    @property
    def exhausted(self) -> bool:
        """Whether the end of the text is reached."""
        return bool(self._file.tell() >= self._file.size())


def _opened(file: Any, described: str, begin: int) -> _Text | _PlainText:
    ending = described.strip("'\"").rpartition(".")[2].lower()
    if ending in _NOT_READ:
        raise BrokenLogError(
            f"the file {described} is compressed as its ending .{ending} says, and only .gz, .bz2 and .zst "
            "are read: compress it in one of these ways, or not at all"
        )
    codec = _CODECS.get(ending)
    if codec is None:
        return _PlainText(file, begin)
    with _lock:
        text = _texts.take((described, file.size(), begin))
    if text is None:
        text = _Text(codec)
        text.use(file)
        text.skip(begin)
    text.use(file)
    return text


def _keep(text: _Text | _PlainText, file: Any, described: str) -> None:
    if isinstance(text, _Text):
        text.use(None)
        with _lock:
            _texts.keep((described, file.size(), text.place), text, 1)
