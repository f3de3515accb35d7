"""Does what a processor gives out fit the schema that it declares? Python workers import this module too."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.conversion import ArrowTableToRowsConversion
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from ...required_pyspark import to_arrow_in_utc


class RowDoesNotFit(TypeError):
    """A row or a state does not fit its declared schema: a real query would fail or lose something."""


class DeclaredSchema:
    """A schema, and the way through Arrow that a real query takes with what it declares."""

    def __init__(self, schema: StructType) -> None:
        self._schema = schema
        self._arrow = to_arrow_in_utc(schema)
        self._names = set(schema.names)
        self._nested = [field.dataType for field in schema if _is_nested(field.dataType)]

    def rows(self, rows: Iterable[Any]) -> list[dict[str, Any]]:
        """Output rows by column. Raises `RowDoesNotFit`, also for columns that are missing or not declared:
        a real query has null for the ones, and drops the others."""
        return list(self.table([self._named(row) for row in rows]).to_pylist())

    def values(self, values: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """States as a processor gets them back: tuples, and `Row` for a struct in them. Raises
        `RowDoesNotFit`."""
        table = self.table([self._columns(value) for value in values])
        found: list[Any] = ArrowTableToRowsConversion.convert(table, self._schema, return_as_tuples=True)
        return found

    def _named(self, row: Any) -> dict[str, Any]:
        try:
            columns: dict[str, Any] = row.asDict(True)
        except (AttributeError, TypeError):
            raise RowDoesNotFit(f"{row!r} is no Row with named columns") from None
        if columns.keys() != self._names:
            raise RowDoesNotFit(f"{row!r} does not have the declared columns {', '.join(self._schema.names)}")
        return columns

    def _columns(self, value: Sequence[Any]) -> dict[str, Any]:
        if len(value) != len(self._schema.names):
            declared = ", ".join(self._schema.names)
            raise RowDoesNotFit(f"{value!r} does not have the declared columns {declared}")
        if not self._nested:
            return dict(zip(self._schema.names, value, strict=True))
        columns: dict[str, Any] = _for_arrow(value, self._schema)
        return columns

    def table(self, rows: list[dict[str, Any]]) -> pa.Table:
        """Columns of rows as an Arrow table. Raises `RowDoesNotFit`."""
        try:
            return pa.Table.from_pylist(rows, schema=self._arrow)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise RowDoesNotFit(f"does not fit the declared schema: {error}") from None


def _is_nested(kind: DataType) -> bool:
    """Whether a value of the type may have a struct or a map in it."""
    return isinstance(kind, StructType | MapType) or (
        isinstance(kind, ArrayType) and _is_nested(kind.elementType)
    )


def _for_arrow(value: Any, kind: DataType) -> Any:
    """A value with its structs as dicts and its maps as pairs, as Arrow wants them."""
    if value is None or not _is_nested(kind):
        return value
    if isinstance(kind, ArrayType):
        return [_for_arrow(element, kind.elementType) for element in value]
    if isinstance(kind, MapType):
        return [
            (_for_arrow(key, kind.keyType), _for_arrow(one, kind.valueType)) for key, one in value.items()
        ]
    assert isinstance(kind, StructType)
    fields = [value.get(name) for name in kind.names] if isinstance(value, dict) else value
    if len(fields) != len(kind.names):
        raise RowDoesNotFit(f"{value!r} does not have the declared fields {', '.join(kind.names)}")
    return {field.name: _for_arrow(one, field.dataType) for field, one in zip(kind, fields, strict=True)}
