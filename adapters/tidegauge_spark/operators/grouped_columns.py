"""Columns of records by group: sums and functions of Arrow, or each group by itself."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidegauge_spark.decisions.windows.aggregation import Numbers

_EXACT: Final = Context(prec=100)
"""Python's own addition of decimals rounds to 28 digits; those of Spark have 38, and sums a few more."""


def plus(first: Any, second: Any) -> Any:
    """Return the sum of two numbers, of decimals with all their digits."""
    return _EXACT.add(first, second) if isinstance(first, Decimal) else first + second


def may_overflow(values: pa.ChunkedArray) -> bool:
    """Whether a sum of these may be beyond what Arrow adds up: 64 bits, or 38 digits."""
    least, most = pc.min_max(values).as_py().values()
    if least is None:
        return False
    own = values.type
    limit = 10 ** (38 - own.scale) if pa.types.is_decimal(own) else 2**63
    return (max(-int(least), int(most)) + 1) * len(values) >= limit


def added_in_python(values: pa.ChunkedArray, groups: Numbers, count: int) -> list[Any]:
    """Return the sum of each group, however large; None without values."""
    found: list[Any] = [None] * count
    for group, value in zip(groups.tolist(), values.to_pylist(), strict=True):
        if value is not None:
            found[group] = value if found[group] is None else plus(found[group], value)
    return found


def of_groups(values: pa.ChunkedArray, groups: Numbers, count: int, function: str) -> list[Any]:
    """Return a function of Arrow of the values of each group; None without values."""
    table = pa.table({"group": groups, "value": values})
    found = table.group_by("group", use_threads=False).aggregate([("value", function)])
    of_groups: list[Any] = [None] * count
    numbers, results = found["group"].to_pylist(), found[f"value_{function}"].to_pylist()
    for group, value in zip(numbers, results, strict=True):
        of_groups[group] = value
    return of_groups


def tables(columns: pa.Table, groups: Numbers, count: int) -> Iterator[pa.Table]:
    """Yield the records of each group, in their order."""
    records = columns.take(pa.array(np.argsort(groups, kind="stable")))
    start = 0
    for size in np.bincount(groups, minlength=count).tolist():
        yield records.slice(start, size)
        start += size
