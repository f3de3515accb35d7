"""Aggregates of windows without a query: what they add up to in one batch, and over several."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StructField,
    StructType,
    VariantType,
)

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.operators.aggregates import (
    Aggregate,
    RecordAggregate,
    count,
    max_of,
    min_of,
    sum_of,
    values_of,
)
from tidegauge_spark.operators.named_aggregates import NamedAggregates
from tidegauge_spark.operators.record_columns import arrow_schema


def result_of(aggregate: Aggregate, own_type: DataType, *batches: list[Any]) -> Any:
    """The result of a window whose records come in these batches."""
    columns = StructType([StructField("x", own_type)])
    named = NamedAggregates({"n": aggregate}, columns)
    accumulated = named.nothing()
    for batch in batches:
        named.over(pa.table([pa.array(batch, arrow_schema(columns).types[0])], names=["x"]))
        places = np.arange(len(batch))
        (own,) = named.added_up(places, np.zeros_like(places), 1)
        accumulated = named.merged(accumulated, own)
    ((found,),) = (column.to_pylist() for column in named.columns([named.result(accumulated)]))
    return found


def given(result: Any, result_type: DataType) -> Aggregate:
    return RecordAggregate(
        zero=lambda: None,
        add=lambda _: None,
        merge=lambda _, __: None,
        result=lambda _: result,
        result_type=result_type,
    )


BIG = Decimal("1234567890123456789012345678.0123456789")
SMALL = Decimal("0.0000000001")
HUGE = Decimal(9 * 10**37)


@pytest.mark.parametrize("batches", [[[BIG, SMALL]], [[BIG], [SMALL]], [[SMALL], [None], [BIG]]])
def test_a_sum_of_decimals_has_all_their_digits(batches: list[list[Any]]) -> None:
    found = result_of(sum_of("x"), DecimalType(38, 10), *batches)
    assert found == Decimal("1234567890123456789012345678.0123456790")


@pytest.mark.parametrize("batches", [[[HUGE] * 4], [[HUGE]] * 4])
def test_a_sum_of_decimals_beyond_38_digits_is_refused(batches: list[list[Any]]) -> None:
    with pytest.raises(
        IllegalArgumentError, match=r"the aggregate 'n' has a result that is no decimal\(38,0\)"
    ):
        result_of(sum_of("x"), DecimalType(38, 0), *batches)


def test_a_sum_of_decimals_beyond_38_digits_on_the_way_is_exact() -> None:
    values = [HUGE, HUGE, Decimal(1), -HUGE, -HUGE]
    assert result_of(sum_of("x"), DecimalType(38, 0), values) == 1
    assert result_of(sum_of("x"), DecimalType(38, 0), *([each] for each in values)) == 1


def test_values_are_in_order_with_nan_last_as_in_spark() -> None:
    nan = float("nan")
    found = result_of(values_of("x"), DoubleType(), [2.0, nan, 1.0], [-5.0, nan, None, 0.0])
    assert list(map(repr, found)) == ["-5.0", "0.0", "1.0", "2.0", "nan", "nan"]


def test_intervals_have_a_smallest_and_a_largest() -> None:
    batches = [[timedelta(1), None], [timedelta(microseconds=1)]]
    assert result_of(min_of("x"), DayTimeIntervalType(), *batches) == timedelta(microseconds=1)
    assert result_of(max_of("x"), DayTimeIntervalType(), *batches) == timedelta(1)


def test_values_of_a_variant_have_no_order() -> None:
    with pytest.raises(
        IllegalArgumentError, match="needs values that have an order; the column 'x' is variant"
    ):
        NamedAggregates({"n": min_of("x")}, StructType([StructField("x", VariantType())]))


PAIR = StructType([StructField("a", IntegerType()), StructField("b", DoubleType())])


@pytest.mark.parametrize(
    ("result", "result_type", "problem"),
    [
        (1.5, IntegerType(), "1.5 is no whole number"),
        (np.float64(3.7), LongType(), "3.7 is no whole number"),
        (np.float32(0.5), LongType(), "0.5 is no whole number"),
        ([1, 2.5], ArrayType(LongType()), "2.5 is no whole number"),
        ({"a": 0.5, "b": 0.5}, PAIR, "0.5 is no whole number"),
        ((0.5, 0.5), PAIR, "0.5 is no whole number"),
        ({"a": 1, "c": 2.0}, PAIR, "it has no field 'c'"),
    ],
)
def test_a_result_of_the_user_is_not_cut(result: Any, result_type: DataType, problem: str) -> None:
    with pytest.raises(IllegalArgumentError, match=f"the aggregate 'n' has a result.*{problem}"):
        result_of(given(result, result_type), LongType(), [1])


@pytest.mark.parametrize(
    ("result", "result_type", "expected"),
    [
        (2.0, IntegerType(), 2),
        (None, LongType(), None),
        (None, ArrayType(LongType()), None),
        (None, PAIR, None),
        ({"a": 1}, PAIR, {"a": 1, "b": None}),
        ([(1, 0.5), None], ArrayType(PAIR), [{"a": 1, "b": 0.5}, None]),
    ],
)
def test_a_result_of_the_user_that_fits_is_taken(result: Any, result_type: DataType, expected: Any) -> None:
    assert result_of(given(result, result_type), LongType(), [1]) == expected


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda: [count()], 'the aggregates are given by their names, as {"orders": count()}'),
        (lambda: {5: count()}, "the name of an aggregate is a text, not 5"),
        (lambda: {"n": given_by(zero=0)}, "the zero of an aggregate is a function, not 0"),
        (lambda: {"n": given_by(merge=None)}, "the merge of an aggregate is a function, not None"),
    ],
)
def test_aggregates_that_cannot_be_are_one_line(made: Any, problem: str) -> None:
    with pytest.raises(IllegalArgumentError) as caught:
        NamedAggregates(made(), StructType([]))
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def given_by(**other: Any) -> Aggregate:
    functions: dict[str, Any] = {"zero": int, "add": int, "merge": max, "result": int}
    return RecordAggregate(**(functions | other), result_type="int")
