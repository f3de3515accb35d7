"""Record keys of one or several columns of any type as Python values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum
from math import isnan
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidegauge_spark.decisions.windows.aggregation import Numbers

_EPOCH: Final = datetime(1970, 1, 1)


class NotANumber(Enum):
    """NaN as part of a key: all NaN are the same key, as in Spark, which Python's own are not."""

    NAN = "NaN"


def numbered_keys(columns: Sequence[pa.ChunkedArray], records: int) -> tuple[Numbers, list[tuple[Any, ...]]]:
    """Return of each record the number of its key, and the different keys, tuples with a value a column."""
    codes = np.zeros(records, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    for column in columns:
        own_codes, values = _numbered(column)
        both = codes * len(values) + own_codes
        found, codes = np.unique(both, return_inverse=True)
        codes = codes.astype(np.int64)
        keys = [(*keys[code // len(values)], values[code % len(values)]) for code in found.tolist()]
    return codes, keys


def key_columns(keys: Sequence[tuple[Any, ...]], types: Sequence[pa.DataType]) -> list[pa.Array]:
    """Return the columns of keys."""
    return [
        pa.array([_thawed(key[place]) for key in keys], type=own_type) for place, own_type in enumerate(types)
    ]


def _numbered(column: pa.ChunkedArray) -> tuple[Numbers, list[Any]]:
    if pa.types.is_nested(column.type):
        numbers: dict[Any, int] = {}
        codes = [numbers.setdefault(_frozen(value), len(numbers)) for value in column.to_pylist()]
        return np.array(codes, dtype=np.int64), list(numbers)
    encoded = pc.dictionary_encode(column.combine_chunks(), null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    values = [_frozen(value) for value in encoded.dictionary.to_pylist()]
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), values


def _frozen(value: Any) -> Any:
    """Return the value as one that can be the key of a dictionary."""
    if isinstance(value, float):
        return NotANumber.NAN if isnan(value) else value + 0.0  # -0.0 is the same key as 0.0
    if isinstance(value, datetime):
        # Microseconds, which Arrow takes as they are: how a time zone is written differs between machines.
        return (value - _EPOCH.replace(tzinfo=value.tzinfo and UTC)) // timedelta(microseconds=1)
    if isinstance(value, dict):  # a struct: its fields in their order
        return tuple(_frozen(each) for each in value.values())
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    return value


def _thawed(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_thawed(each) for each in value)
    return float("nan") if value is NotANumber.NAN else value
