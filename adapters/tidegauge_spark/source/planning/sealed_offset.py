"""Offsets with a version and a checksum, which detect damaged and foreign offsets."""

from __future__ import annotations

import json
import zlib
from typing import Any, Final

VERSION: Final = 1
"""The version of the format. A reader rejects an offset of another version."""


OFFSET: Final = "offset"
"""The key of the offset in a stored offset that has the progress of the source beside it."""


class IllegalOffsetError(ValueError):
    """An offset of a checkpoint from which this source, with these options, cannot continue."""


def sealed(offset: dict[str, Any]) -> dict[str, Any]:
    """Return an offset, made of JSON values, with version and checksum, as it is stored."""
    content = {"version": VERSION, **offset}
    return {**content, "checksum": _checksum(content)}


def unsealed(stored: Any) -> None:
    """Raise `IllegalOffsetError` if a stored offset is not as `sealed` returned it.

    An offset without a checksum is accepted: earlier versions of this library wrote none.
    """
    if not isinstance(stored, dict) or stored.get("version") != VERSION:
        version = stored.get("version") if isinstance(stored, dict) else None
        raise IllegalOffsetError(
            f"the checkpoint has an offset of version {version!r}, not {VERSION}: "
            "start with a new checkpoint folder, or with the tidegauge_spark that wrote it"
        )
    content = {name: value for name, value in stored.items() if name != "checksum"}
    if "checksum" in stored and stored["checksum"] != _checksum(content):
        raise IllegalOffsetError(
            "the checkpoint has an offset that was damaged (its checksum is wrong): restore the folder "
            "offsets of the checkpoint from a copy, or start with a new checkpoint folder"
        )


def with_progress(offset: dict[str, Any], progress: dict[str, Any] | None) -> dict[str, Any]:
    """Return an offset as it is stored where Spark shows no other progress of a source (before 4.2)."""
    return {**(progress or {}), OFFSET: offset}


def without_progress(stored: dict[str, Any]) -> dict[str, Any]:
    """Return a stored offset without the progress that `with_progress` has put beside it."""
    offset = stored.get(OFFSET)
    return offset if isinstance(offset, dict) else stored


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())
