"""Aggregates of windows: what the records of a window add up to, given by their users or ready-made.

`RecordAggregate` adds record by record; `PandasAggregate` and `ArrowAggregate` get all new records of
a window at once. `count`, `sum_of`, `min_of`, `max_of`, `mean_of` and `values_of` take a whole batch at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import ParseException
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FractionalType,
    IntegralType,
    LongType,
    MapType,
    NumericType,
    StructType,
    VariantType,
)

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.windows.aggregation import Numbers
from tidegauge_spark.operators.grouped_columns import added_in_python, may_overflow, of_groups, plus, tables
from tidegauge_spark.operators.record_columns import known_columns


class Aggregate(ABC):
    """What windows compute of their records; `columns` are those of the records that it needs.

    The state of a window, its accumulator, is any Python value that `pickle` takes. It is pickled at the end
    of each micro-batch, and its classes must be importable on the executors. Like anything that is pickled,
    a checkpoint must come from a place that you trust.
    """

    columns: tuple[str, ...]

    @abstractmethod
    def result_type(self, records: StructType) -> DataType:
        """Return the Spark type of the result. Raises `IllegalArgumentError` for columns that do not fit."""

    @abstractmethod
    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        """Return an accumulator for each of `count` groups. Record i is in the group `groups[i]`."""

    @abstractmethod
    def merge(self, first: Any, second: Any) -> Any:
        """Return the accumulator of both.

        The first one has the records that came in earlier micro-batches; of two sessions that become one,
        those of the earlier session. Records of one micro-batch have no order that Spark promises.
        """

    @abstractmethod
    def result(self, accumulated: Any) -> Any:
        """Return the result, a value of the result type."""


class _Given(Aggregate):
    """An aggregate whose merge and result are functions of the user."""

    def __init__(
        self,
        columns: tuple[str, ...],
        merge: Callable[[Any, Any], Any],
        result: Callable[[Any], Any],
        result_type: DataType | str,
    ) -> None:
        for name, function in {"merge": merge, "result": result}.items():
            _check_function(name, function)
        self.columns = columns
        self._merge = merge
        self._result = result
        self._type = result_type

    def result_type(self, records: StructType) -> DataType:
        """Return the type that the user says."""
        known_columns(records, self.columns, "an aggregate")
        if isinstance(self._type, DataType):
            return self._type
        try:
            return DataType.fromDDL(self._type)
        except ParseException:
            raise IllegalArgumentError(f"the result type {self._type!r} is no type of Spark") from None

    def merge(self, first: Any, second: Any) -> Any:
        """Return the accumulator of both."""
        return self._merge(first, second)

    def result(self, accumulated: Any) -> Any:
        """Return the result."""
        return self._result(accumulated)


class RecordAggregate(_Given):
    """An aggregate that takes one record after the other.

    `add(accumulator, *values)` gets the values of `columns` and returns the accumulator; `zero()` returns the
    one to start with. `merge(first, second)` and `add` may change their first argument. result_type: a type
    of Spark, or its text, such as "bigint".
    """

    def __init__(
        self,
        *columns: str,
        zero: Callable[[], Any],
        add: Callable[..., Any],
        merge: Callable[[Any, Any], Any],
        result: Callable[[Any], Any],
        result_type: DataType | str,
    ) -> None:
        super().__init__(columns, merge, result, result_type)
        _check_function("zero", zero)
        _check_function("add", add)
        self._zero = zero
        self._add = add

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        """Add the records one by one."""
        accumulated = [self._zero() for _ in range(count)]
        values = [column.to_pylist() for column in columns.columns]
        for group, *own in zip(groups.tolist(), *values, strict=True):
            accumulated[group] = self._add(accumulated[group], *own)
        return accumulated


class _OfTables(_Given):
    """An aggregate whose `partial` gets all new records of a window at once."""

    def __init__(
        self,
        *columns: str,
        partial: Callable[[Any], Any],
        merge: Callable[[Any, Any], Any],
        result: Callable[[Any], Any],
        result_type: DataType | str,
    ) -> None:
        super().__init__(_some(columns), merge, result, result_type)
        _check_function("partial", partial)
        self._partial = partial


class ArrowAggregate(_OfTables):
    """An aggregate whose `partial` gets all new records of a window as a `pyarrow.Table` of `columns` and
    returns an accumulator; the other arguments are those of `RecordAggregate`."""

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        """Call `partial` for each group."""
        return [self._partial(each) for each in tables(columns, groups, count)]


class PandasAggregate(_OfTables):
    """An aggregate whose `partial` gets all new records of a window as a `pandas.Series`, or as a
    `pandas.DataFrame` of several columns, and returns an accumulator; the other arguments are those of
    `RecordAggregate`. Whole numbers with nulls among them are a column of objects, so that none is rounded.
    """

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        """Call `partial` for each group."""
        frames = (each.to_pandas(integer_object_nulls=True) for each in tables(columns, groups, count))
        if len(self.columns) == 1:
            return [self._partial(frame[self.columns[0]]) for frame in frames]
        return [self._partial(frame) for frame in frames]


class _Built(Aggregate):
    """A ready-made aggregate of one column; nulls are left out, as Spark's aggregates do."""

    def __init__(self, column: str) -> None:
        self.columns = (column,)

    def result(self, accumulated: Any) -> Any:
        """Return the accumulator."""
        return accumulated

    def _type_of_column(self, records: StructType, kinds: type[DataType] | tuple[type[DataType], ...]) -> Any:
        (field,) = known_columns(records, self.columns, "an aggregate")
        if not isinstance(field.dataType, kinds):
            raise IllegalArgumentError(
                f"the aggregate needs numbers; the column {field.name!r} is {field.dataType.simpleString()}"
            )
        return field.dataType

    def _ordered_type(self, records: StructType) -> DataType:
        (field,) = known_columns(records, self.columns, "an aggregate")
        if isinstance(field.dataType, StructType | ArrayType | MapType | VariantType):
            raise IllegalArgumentError(
                f"the aggregate needs values that have an order; the column {field.name!r} is "
                f"{field.dataType.simpleString()}"
            )
        return field.dataType


class _Count(Aggregate):
    def __init__(self, column: str | None) -> None:
        self.columns = () if column is None else (column,)

    def result_type(self, records: StructType) -> DataType:
        known_columns(records, self.columns, "count")
        return LongType()

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[int]:
        if self.columns:
            groups = groups[columns.column(0).is_valid().to_numpy()]
        counts: list[int] = np.bincount(groups, minlength=count).tolist()
        return counts

    def merge(self, first: int, second: int) -> int:
        return first + second

    def result(self, accumulated: int) -> int:
        return accumulated


class _Sum(_Built):
    def result_type(self, records: StructType) -> DataType:
        own = self._type_of_column(records, NumericType)
        if isinstance(own, DecimalType):
            return DecimalType(min(own.precision + 10, 38), own.scale)
        return LongType() if isinstance(own, IntegralType) else DoubleType()

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        values = columns.column(0)
        if not pa.types.is_floating(values.type) and may_overflow(values):
            return added_in_python(values, groups, count)
        return of_groups(values, groups, count, "sum")

    def merge(self, first: Any, second: Any) -> Any:
        return _either(first, second) if first is None or second is None else plus(first, second)


class _Mean(_Built):
    def result_type(self, records: StructType) -> DataType:
        own = self._type_of_column(records, (IntegralType, FractionalType))
        if isinstance(own, DecimalType):
            raise IllegalArgumentError(
                f"mean_of takes whole numbers and doubles; cast {self.columns[0]!r}, a {own.simpleString()}"
            )
        return DoubleType()

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        sums = _Sum(self.columns[0]).added_up(columns, groups, count)
        return list(zip(sums, _Count(self.columns[0]).added_up(columns, groups, count), strict=True))

    def merge(self, first: Any, second: Any) -> Any:
        return _Sum.merge(self, first[0], second[0]), first[1] + second[1]  # type: ignore[arg-type]

    def result(self, accumulated: Any) -> Any:
        total, records = accumulated
        return total / records if records else None


class _Extreme(_Built):
    """The smallest or the largest; NaN is larger than any other number, as in Spark."""

    def __init__(self, column: str, largest: bool) -> None:
        super().__init__(column)
        self._largest = largest

    def result_type(self, records: StructType) -> DataType:
        return self._ordered_type(records)

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        values = columns.column(0)
        in_python = pa.types.is_duration(values.type)  # which Arrow compares in whole columns only
        if in_python or (pa.types.is_floating(values.type) and pc.any(pc.is_nan(values)).as_py()):
            found: list[Any] = [None] * count
            for group, value in zip(groups.tolist(), values.to_pylist(), strict=True):
                found[group] = self.merge(found[group], value)
            return found
        return of_groups(values, groups, count, "max" if self._largest else "min")

    def merge(self, first: Any, second: Any) -> Any:
        if first is None or second is None:
            return _either(first, second)
        for one, other in ((first, second), (second, first)):
            if one != one:
                return one if self._largest else other
        return max(first, second) if self._largest else min(first, second)


class _Values(_Built):
    def result_type(self, records: StructType) -> DataType:
        return ArrayType(self._ordered_type(records), containsNull=False)

    def added_up(self, columns: pa.Table, groups: Numbers, count: int) -> list[Any]:
        found: list[list[Any]] = [[] for _ in range(count)]
        for group, value in zip(groups.tolist(), columns.column(0).to_pylist(), strict=True):
            if value is not None:
                found[group].append(value)
        return found

    def merge(self, first: Any, second: Any) -> Any:
        first.extend(second)
        return first

    def result(self, accumulated: Any) -> Any:
        return sorted(accumulated, key=_nan_last if _are_floats(accumulated) else None)


def count(column: str | None = None) -> Aggregate:
    """Return how many records there are, or how many of them have a value in the column (bigint)."""
    return _Count(column)


def sum_of(column: str) -> Aggregate:
    """Return the sum: bigint, double or decimal, as Spark's `sum`; null without values.

    A sum beyond 64 bits ends the query with an error.
    """
    return _Sum(column)


def mean_of(column: str) -> Aggregate:
    """Return the mean of whole numbers or doubles (double); null without values."""
    return _Mean(column)


def min_of(column: str) -> Aggregate:
    """Return the smallest value, of the column's type; null without values."""
    return _Extreme(column, largest=False)


def max_of(column: str) -> Aggregate:
    """Return the largest value, of the column's type; null without values."""
    return _Extreme(column, largest=True)


def values_of(column: str) -> Aggregate:
    """Return all values in ascending order, NaN last (array)."""
    return _Values(column)


def _some(columns: tuple[str, ...]) -> tuple[str, ...]:
    if not columns:
        raise IllegalArgumentError("an aggregate over whole batches names the columns it needs, at least one")
    return columns


def _check_function(name: str, given: Any) -> None:
    if not callable(given):
        raise IllegalArgumentError(f"the {name} of an aggregate is a function, not {given!r}")


def _either(first: Any, second: Any) -> Any:
    return second if first is None else first


def _are_floats(values: list[Any]) -> bool:
    return bool(values) and isinstance(values[0], float)


def _nan_last(value: float) -> tuple[bool, float]:
    return value != value, value
