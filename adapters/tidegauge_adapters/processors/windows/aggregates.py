"""Find the records from which a processor computed the result of a window."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, combinations
from numbers import Real
from typing import Any, Literal, get_args

Named = Literal["values", "count", "sum", "mean", "min", "max"]
Aggregate = Named | Callable[[Sequence[Any]], Any]

_TOLERANCE = 1e-6
"""Results need a tolerance: a sum of doubles depends on their order, and a float has 24 bits."""

_MOST_LEFT_OUT = 2
_MOST_TRIED = 2_000
"""Maximum number of sets of records that are tried for a result."""

_FUNCTIONS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "values": sorted,
    "count": len,
    "sum": sum,
    "mean": lambda values: math.fsum(map(float, values)) / len(values),
    "min": min,
    "max": max,
}


@dataclass(frozen=True, eq=False)
class Record:
    """A record of a scenario.

    Attributes:
        timestamp: the timestamp (ms).
        number: the number that the kit drew.
        value: the value in the user's column.
    """

    timestamp: int
    number: int
    value: Any


def check_aggregate(aggregate: Aggregate) -> None:
    """Raise `ValueError` for an unknown aggregate."""
    if not callable(aggregate) and aggregate not in get_args(Named):
        raise ValueError(
            f"aggregate: {aggregate!r} is unknown; known are {', '.join(get_args(Named))}, and any function "
            "of the list of the values of a window"
        )


def is_all_values(aggregate: Aggregate) -> bool:
    """Return whether a result consists of the values themselves."""
    return aggregate in ("values", sorted, list, tuple)


def same_result(one: Any, other: Any) -> bool:
    """Return whether two results are equal. Numbers are compared with a tolerance, except two integers."""
    if isinstance(one, Real | Decimal) and isinstance(other, Real | Decimal):
        if isinstance(one, int) and isinstance(other, int):
            return one == other
        return math.isclose(float(one), float(other), rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_result(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_result, one, other))
    return bool(one == other)


def aggregated(aggregate: Aggregate, values: Sequence[Any]) -> Any:
    """Return the aggregate of values in the order of arrival."""
    function = _FUNCTIONS[aggregate] if isinstance(aggregate, str) else aggregate
    return function(values)


def numbers_of_values(values: Iterable[Any], known: Sequence[Record]) -> tuple[int, ...] | None:
    """Return the drawn numbers of the values of a result; None if a value does not belong to a record."""
    waiting: dict[Any, list[int]] = {}
    for record in reversed(known):
        waiting.setdefault(record.value, []).append(record.number)
    numbers: list[int] = []
    for value in values:
        of_value = waiting.get(value)
        if not of_value:
            return None
        numbers.append(of_value.pop() if len(of_value) > 1 else of_value[0])
    return tuple(sorted(numbers))


def numbers_of_result(
    result: Any, aggregate: Aggregate, sets: Sequence[Sequence[Record]], others: Sequence[Record]
) -> tuple[int, ...]:
    """Return the drawn numbers of the records from which a result was computed.

    Args:
        result: the result as the processor returned it.
        aggregate: the aggregate that the result is expected to be.
        sets: the likely sets of records, the most likely set first.
        others: further records that a faulty processor may have added.

    Returns:
        The numbers of the first set with this result. Sets that differ from `sets` by a few records are
        tried last. Empty if no set has this result.

    Raises `ValueError` if the aggregate raises for the most likely set.
    """
    tried = 0
    for candidate in chain(sets, _near(sets, others)):
        if not candidate:
            continue
        tried += 1
        try:
            computed = aggregated(aggregate, [record.value for record in candidate])
        except Exception as error:
            if tried == 1:
                values = [record.value for record in candidate]
                problem = f"{type(error).__name__}: {error}"
                raise ValueError(f"aggregate raises for the values {values}: {problem}") from error
            continue
        if same_result(computed, result):
            return tuple(sorted(record.number for record in candidate))
        if tried == _MOST_TRIED:
            break
    return ()


def _near(sets: Sequence[Sequence[Record]], others: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Yield each set with one or two records removed, and with one record added or counted twice."""
    for records in sets:
        for left_out in range(1, min(_MOST_LEFT_OUT, len(records) - 1) + 1):
            yield from combinations(records, len(records) - left_out)
        for record in (*records, *others):
            yield (*records, record)
