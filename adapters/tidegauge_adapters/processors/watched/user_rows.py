"""Convert the timestamps and numbers that the kit draws to rows of the user's input schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from pyspark.sql import Row
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

LARGEST_VALUE = 1_000_000
"""The largest value of a row. The kit draws larger numbers, too, but their sums and squares would overflow a
long, or be inexact as doubles, in a correct processor as well."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def _decimal_of(kind: DecimalType, number: int) -> Decimal:
    return Decimal(number % 10 ** (kind.precision - kind.scale))


_OF_A_NUMBER: dict[type[DataType], Callable[[Any, int], Any]] = {
    BooleanType: lambda kind, number: bool(number % 2),
    ByteType: lambda kind, number: number % 2**7,
    ShortType: lambda kind, number: number % 2**15,
    IntegerType: lambda kind, number: number,
    LongType: lambda kind, number: number,
    FloatType: lambda kind, number: float(number % 2**20),
    DoubleType: lambda kind, number: float(number),
    DecimalType: _decimal_of,
    StringType: lambda kind, number: str(number),
}

_OF_A_TIME: dict[type[DataType], Callable[[int], Any]] = {
    LongType: lambda ms: ms,
    IntegerType: lambda ms: ms,
    # A Spark worker passes timestamps to a row processor in UTC, the time zone of the kit's sessions.
    TimestampType: lambda ms: _EPOCH + ms * _MILLISECOND,
    TimestampNTZType: lambda ms: (_EPOCH + ms * _MILLISECOND).replace(tzinfo=None),
    DateType: lambda ms: (_EPOCH + ms * _MILLISECOND).date(),
}

_EMPTY: dict[type[DataType], Any] = {
    BinaryType: b"",
    TimestampType: _EPOCH,
    TimestampNTZType: _EPOCH.replace(tzinfo=None),
    DateType: date(1970, 1, 1),
}


def has_numbers(kind: DataType) -> bool:
    """Return whether a column of this type can hold drawn numbers."""
    return type(kind) in _OF_A_NUMBER


def value_of(kind: DataType, number: int) -> Any:
    """Convert a drawn number to the type of a column."""
    if abs(number) > LARGEST_VALUE:
        number %= LARGEST_VALUE
    return _OF_A_NUMBER[type(kind)](kind, number)


def time_of(kind: DataType, ms: int) -> Any:
    """Convert a timestamp (ms) to the type of an event-time column."""
    return _OF_A_TIME[type(kind)](ms)


def ms_of(value: Any) -> int:
    """Convert a number, a date or a timestamp to ms. A timestamp without a time zone is in UTC."""
    if isinstance(value, datetime):
        return ((value if value.tzinfo else value.replace(tzinfo=UTC)) - _EPOCH) // _MILLISECOND
    if isinstance(value, date):
        return (value - _EPOCH.date()) // _MILLISECOND
    return int(value)


def empty_value(kind: DataType) -> Any:
    """Return a default value for a column without an example."""
    if isinstance(kind, ArrayType):
        return []
    if isinstance(kind, MapType):
        return {}
    if isinstance(kind, StructType):
        return {field.name: empty_value(field.dataType) for field in kind}
    return value_of(kind, 0) if has_numbers(kind) else _EMPTY.get(type(kind))


class UserRows:
    """Creates the input rows and the keys of a processor.

    Args:
        schema: the columns of its input rows.
        keys: the columns of its grouping key.
        time: the column of the event time.
        value: the column of the drawn number; empty if there is none.
        example: values of the other columns. Columns that are not in `example` get a default value.
    """

    def __init__(
        self, schema: StructType, keys: Sequence[str], time: str, value: str, example: Mapping[str, Any]
    ) -> None:
        self._kinds = {field.name: field.dataType for field in schema}
        self._keys = tuple(keys)
        self._time = time
        self._value = value
        self._others = {
            name: example[name] if name in example else empty_value(kind)
            for name, kind in self._kinds.items()
        }

    def key(self, name: str) -> tuple[Any, ...]:
        """Return the grouping key of a scenario. Its first column is derived from the name of the scenario.

        The keys of two scenarios may be equal, because the kit groups by the name itself.
        """
        first, *others = self._keys
        return self._key_value(self._kinds[first], name), *(self._others[other] for other in others)

    def row(self, name: str, timestamp: int, number: int) -> Row:
        """Return a record of a scenario as an input row."""
        columns = {**self._others, **dict(zip(self._keys, self.key(name), strict=True))}
        columns[self._time] = time_of(self._kinds[self._time], timestamp)
        if self._value:
            columns[self._value] = value_of(self._kinds[self._value], number)
        return Row(*self._kinds)(*(columns[column] for column in self._kinds))

    def _key_value(self, kind: DataType, name: str) -> Any:
        if isinstance(kind, StringType):
            return name
        number = int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % LARGEST_VALUE
        if has_numbers(kind):
            return value_of(kind, number)
        return time_of(kind, number * 86_400_000) if type(kind) in _OF_A_TIME else empty_value(kind)
