"""Detects a repeated key in a JSON object: some readers take the first value of the key, some the last."""

import json
from typing import Any


class _Repeated(Exception):
    pass


def repeated_key(document: bytes) -> str | None:
    """Return a key that an object of a valid JSON document has twice; None if there is none."""
    try:
        _DECODER.decode(document.decode())
    except _Repeated as repeated:
        return str(repeated)
    return None


def _checked(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            raise _Repeated(next(key for key in keys if keys.count(key) > 1))


_DECODER = json.JSONDecoder(object_pairs_hook=_checked, parse_int=len, parse_float=len)
