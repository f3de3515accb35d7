"""The aggregates of an operator under their names, over the records of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, IntegralType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.windows.aggregation import Numbers
from tidegauge_spark.operators.aggregates import Aggregate
from tidegauge_spark.operators.record_columns import arrow_schema

_UNCHANGEABLE: Final = (int, float, str, bytes, bool, type(None), Decimal, datetime, date)


class NamedAggregates:
    """Several aggregates as one: what records add up to is a tuple of their accumulators, or None.

    Raises `IllegalArgumentError` for what is no aggregate, and for columns that do not fit.
    """

    def __init__(self, aggregates: Mapping[str, Aggregate], records: StructType) -> None:
        if not isinstance(aggregates, Mapping):
            raise IllegalArgumentError(
                f'the aggregates are given by their names, as {{"orders": count()}}, not as {aggregates!r}'
            )
        for name, aggregate in aggregates.items():
            if not isinstance(name, str):
                raise IllegalArgumentError(f"the name of an aggregate is a text, not {name!r}")
            if not isinstance(aggregate, Aggregate):
                raise IllegalArgumentError(
                    f"the aggregate {name!r} is {aggregate!r}; give one of "
                    "tidegauge_spark.operators.aggregates, such as count()"
                )
        self._aggregates = dict(aggregates)
        self.fields = [StructField(name, each.result_type(records)) for name, each in aggregates.items()]
        self._columns = [list(each.columns) for each in aggregates.values()]
        self._types = arrow_schema(StructType(self.fields)).types
        self._records = pa.table({})

    def described(self) -> dict[str, str]:
        """Return by name what each aggregate is, as far as can be told without its functions."""
        return {
            field.name: f"{type(each).__name__.strip('_')}({', '.join(each.columns)}) as "
            f"{field.dataType.simpleString()}"
            for field, each in zip(self.fields, self._aggregates.values(), strict=True)
        }

    def over(self, records: pa.Table) -> None:
        """Take these as the records of the batch from now on."""
        self._records = records

    def nothing(self) -> Any:
        """Return what no records add up to."""
        return None

    def added_up(self, places: Numbers, groups: Numbers, count: int) -> list[Any]:
        """Return the accumulators of each group of records."""
        all_of_them = np.array_equal(places, np.arange(self._records.num_rows))
        taken = None if all_of_them else pa.array(places)
        accumulated = []
        for aggregate, names in zip(self._aggregates.values(), self._columns, strict=True):
            columns = self._records.select(names)
            accumulated.append(
                aggregate.added_up(columns if taken is None else columns.take(taken), groups, count)
            )
        return list(zip(*accumulated, strict=True)) if accumulated else [()] * count

    def merged(self, first: Any, second: Any) -> Any:
        """Return the accumulators of both."""
        if first is None or second is None:
            return second if first is None else first
        aggregates = self._aggregates.values()
        return tuple(
            aggregate.merge(one, other)
            for aggregate, one, other in zip(aggregates, first, second, strict=True)
        )

    def result(self, accumulated: Any) -> tuple[Any, ...]:
        """Return the results. They may be kept while the accumulators change, so they share nothing."""
        results = (
            aggregate.result(own)
            for aggregate, own in zip(self._aggregates.values(), accumulated, strict=True)
        )
        return tuple(each if type(each) in _UNCHANGEABLE else deepcopy(each) for each in results)

    def columns(self, results: Sequence[tuple[Any, ...]]) -> list[pa.Array]:
        """Return results as columns of the types of `fields`.

        Raises `IllegalArgumentError` for a result that its type does not have.
        """
        columns = []
        for place, (field, own_type) in enumerate(zip(self.fields, self._types, strict=True)):
            values = [result[place] for result in results]
            try:
                for value in values:
                    _check_nothing_is_cut(value, field.dataType)
                columns.append(pa.array(values, type=own_type))
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                raise IllegalArgumentError(
                    f"the aggregate {field.name!r} has a result that is no {field.dataType.simpleString()}: "
                    f"{error}; give it another result type"
                ) from error
        return columns


def _check_nothing_is_cut(value: Any, own_type: DataType) -> None:
    """Refuse what Arrow makes fit in silence: fractions as whole numbers, unknown fields of a struct."""
    if isinstance(own_type, IntegralType):
        if isinstance(value, float | np.floating) and value % 1:
            raise ValueError(f"{value} is no whole number")
    elif isinstance(own_type, ArrayType):
        for each in () if value is None else value:
            _check_nothing_is_cut(each, own_type.elementType)
    elif isinstance(own_type, StructType):
        if isinstance(value, dict):
            if unknown := value.keys() - set(own_type.names):
                raise ValueError(f"it has no field {', '.join(map(repr, unknown))}")
            value = [value.get(name) for name in own_type.names]
        for each, field in zip(value if isinstance(value, list | tuple) else (), own_type, strict=False):
            _check_nothing_is_cut(each, field.dataType)
