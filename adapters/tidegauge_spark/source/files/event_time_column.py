"""The event time column: where it is in a row, and the meaning of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidegauge_spark.source.files.formats import found_name


class EventTimeColumn(NamedTuple):
    """path: the name of the column, or of a struct and the fields that lead to the event time in it. type:
    its type in Spark. written_unit: the unit of a whole number as set by the user, None: not set."""

    path: tuple[str, ...]
    type: pa.DataType
    written_unit: str | None = None

    @property
    def unit(self) -> str:
        """The unit of a whole number."""
        return self.written_unit or "ms"

    @property
    def name(self) -> str:
        """The path as users write it."""
        return ".".join(self.path)

    def of(self, rows: Any) -> Any:
        """Return the column of rows, a table or record batch that has it under exactly this name."""
        return nested(rows.column(self.path[0]), self.path[1:])


def found_path(fields: Sequence[pa.Field], wanted: Sequence[str]) -> tuple[str, ...] | None:
    """Return the spelling of a path among these fields, None if it does not exist; see `found_name`.

    wanted: names of a column and its fields; a single name may also be a path with dots in it.
    """
    name = found_name([each.name for each in fields], wanted[0])
    if name is None:
        parts = wanted[0].split(".") if len(wanted) == 1 else []
        return found_path(fields, parts) if len(parts) > 1 else None
    if len(wanted) == 1:
        return (name,)
    type_ = next(each.type for each in fields if each.name == name)
    inner = found_path(list(type_), wanted[1:]) if pa.types.is_struct(type_) else None
    return None if inner is None else (name, *inner)


def type_at(fields: Sequence[pa.Field], path: Sequence[str]) -> pa.DataType:
    """Return the type at a path that is spelled as in the fields."""
    type_ = next(each.type for each in fields if each.name == path[0])
    return type_at(list(type_), path[1:]) if len(path) > 1 else type_


def nested(column: Any, path: Sequence[str]) -> Any:
    """Return the values at a path in a column; null where a struct on the path is null."""
    return pc.struct_field(column, list(path)) if path else column
