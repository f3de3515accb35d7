"""Partition columns, as Spark writes them in the names of folders: "day=2026-01-01/region=eu"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql.types import DataType, DateType, DoubleType, IntegerType, LongType, StringType

from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""The value that Spark writes for null, and for an empty text."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_DOUBLE: Final = re.compile(rf"({_NUMBER.pattern}|[+-]?NaN|[+-]?Infinity)[dDfF]?", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIMESTAMP: Final = re.compile(rf"{_DATE.pattern}[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?")


_MOST_FOLDERS: Final = 1 << 14
"""The maximum number of folders whose columns are cached: a listing has many files per folder."""


def values_in(name: str) -> tuple[tuple[str, str], ...]:
    """Return the partition columns in the path of a file, with their values as written in the folder
    names."""
    return _values_of(name.rpartition("/")[0])


@lru_cache(_MOST_FOLDERS)
def _values_of(folder: str) -> tuple[tuple[str, str], ...]:
    parted = (each.partition("=") for each in folder.split("/") if folder)
    return tuple((unescaped(column), raw) for column, _, raw in parted)


@lru_cache(_MOST_FOLDERS)
def folder_order(folder: str) -> tuple[tuple[int, Decimal, str], ...]:
    """Return the sort key of a folder path, which orders folders by the values of their columns."""
    return tuple(value_order(raw) for _, raw in _values_of(folder))


def unescaped(raw: str) -> str:
    """Return the unescaped text of a folder name, in which Spark writes ":" as "%3A"."""
    return unquote(raw, "latin-1")


def value_order(raw: str) -> tuple[int, Decimal, str]:
    """Return the sort key of a column's value: null, numbers by size, other texts."""
    if raw == NULL:
        return 0, Decimal(0), ""
    text = unescaped(raw)
    number = _decimal(text)
    return (2, Decimal(0), text) if number is None else (1, number, text)


def _decimal(text: str) -> Decimal | None:
    """Return the number in a text, None if there is none, or if it is too large or small for a decimal."""
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except ArithmeticError:
        return None


def inferred_type(column: str, values: Iterable[str]) -> DataType:
    """Return the type that Spark infers from all values of a column.

    Raises `BrokenLogError` if the type depends on Spark's settings: the time zone of timestamps, the
    precision of decimals.
    """
    kinds = {_kind(column, raw) for raw in values if raw != NULL}
    if not kinds or StringType in kinds or (DateType in kinds and len(kinds) > 1):
        return StringType()
    if DoubleType in kinds:
        return StringType() if LongType in kinds else DoubleType()
    return next(kind() for kind in (DateType, LongType, IntegerType) if kind in kinds)


def _kind(column: str, raw: str) -> type[DataType]:
    if _WHOLE.fullmatch(raw):
        number = int(raw)
        if -(2**31) <= number < 2**31:
            return IntegerType
        if -(2**63) <= number < 2**63:
            return LongType
    decimal = _decimal(raw)
    if decimal is not None and decimal.as_tuple().exponent >= 0:  # type: ignore[operator]
        raise _not_inferred(column, raw, "a decimal")
    if _DOUBLE.fullmatch(raw):
        return DoubleType
    if _is_date(raw):
        return DateType
    if _TIMESTAMP.fullmatch(unescaped(raw)):
        raise _not_inferred(column, raw, "a timestamp of the session's time zone")
    return StringType


def _is_date(text: str) -> bool:
    try:
        return _DATE.fullmatch(text) is not None and date.fromisoformat(text) is not None
    except ValueError:
        return False


def _not_inferred(column: str, raw: str, what: str) -> BrokenLogError:
    return BrokenLogError(
        f"the partition column {column!r} has the value {raw!r}, {what} to Spark, which this source does not "
        "infer: give the columns by schema(), this one as string, decimal or timestamp (read as UTC)"
    )


def typed_value(raw: str, field: pa.Field, described: str) -> Any:
    """Return a value of a partition column in its Spark type, as an Arrow scalar.

    described: the name of the file in messages. Raises `BrokenLogError` for a value of another type.
    """
    try:
        if raw == NULL:
            if not field.nullable:
                raise ValueError("it is null, and the schema says that there are none")
            return pa.scalar(None, field.type)
        return pa.scalar(_parsed(unescaped(raw), field.type), field.type)
    except (ValueError, OverflowError, ArithmeticError, pa.ArrowException) as error:
        raise BrokenLogError(
            f"the folder of the file {described} says that {field.name} is {raw!r}, which cannot be read as "
            f"{field.type} ({first_line(error)}): give the column by schema(), as string for example"
        ) from error


def _parsed(text: str, type_: pa.DataType) -> Any:
    if pa.types.is_string(type_):
        return text
    if pa.types.is_boolean(type_) and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if pa.types.is_integer(type_) and _WHOLE.fullmatch(text):
        return int(text)
    if pa.types.is_decimal(type_) and _NUMBER.fullmatch(text):
        return Decimal(text)
    if pa.types.is_floating(type_) and _DOUBLE.fullmatch(text):
        return float(text.rstrip("dDfF"))
    if pa.types.is_date(type_) and _DATE.fullmatch(text):
        return date.fromisoformat(text)
    if pa.types.is_timestamp(type_) and _TIMESTAMP.fullmatch(text):
        return datetime.fromisoformat(text)
    raise ValueError("it is of another kind")
