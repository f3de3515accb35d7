"""What an event log is: a table with a row for each thing that a subtask of a job did. `LOGS.md` describes
it.

Data only. Times are in ms; a smallest and a largest event time stand for "no watermark yet" and "end of
input".
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

import pyarrow as pa
import pyarrow.compute as pc

from tidegauge.wire.scenario import BadInput
from tidegauge.wire.timestamps import MAX, MIN
from tidegauge.wire.unknown_names import closest
from tidegauge.wire.vocabulary import EventKind

VERSION: Final = 1
"""The version of the schema that this program reads. A log says it in the column `version`, if at all."""

KINDS: Final = (*get_args(EventKind), "assigned", "blocked", "unblocked", "backlog", "caught-up")
CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
UNKNOWN: Final = -1
"""The code of a kind that this version does not have."""

NONE: Final = -1
"""The channel of a row that is of no channel."""

_REQUIRED: Final = {
    "job": pa.string(),
    "source": pa.string(),
    "subtask": pa.int32(),
    "sequence": pa.int64(),
    "kind": pa.string(),
    "event_time": pa.int64(),
    "processing_time": pa.int64(),
}
_OPTIONAL: Final = {"split": pa.string(), "channel": pa.int32(), "count": pa.int64(), "version": pa.int32()}
_ABSENT: Final = {"split": "", "channel": NONE, "count": 1, "version": VERSION}
_MAY_BE_NULL: Final = {"event_time", *_OPTIONAL}

COLUMNS: Final = {**_REQUIRED, **_OPTIONAL}
"""Each column with its type."""

ROWS: Final = pa.schema([(name, kind) for name, kind in COLUMNS.items() if name != "version"])
"""What `rows_of` returns."""

_TIMES: Final = ("event_time", "processing_time")
ENDS: Final = {"MIN": str(MIN), "MAX": str(MAX)}
"""The ends of time as texts, and as numbers in decimal."""


def problem_with_columns(schema: Any, place: str) -> str | None:
    """Why a table with this schema of Arrow is no event log, in one line that names the place; None if it
    is."""
    missing = [name for name in _REQUIRED if name not in schema.names]
    if missing:
        return f"{place}: no column {missing[0]!r}{_perhaps(missing[0], schema.names)}: no event log"
    for name in COLUMNS:
        index = schema.get_field_index(name)
        if index >= 0 and not _fits(name, schema.field(index).type):
            wanted = "a timestamp or whole ms" if name in _TIMES else str(COLUMNS[name])
            return f"{place}: the column {name!r} is {schema.field(index).type}: it must be {wanted}"
    return None


def _perhaps(name: str, names: Sequence[str]) -> str:
    close = closest(name, [one for one in names if one not in COLUMNS])
    return "" if close is None else f" (is it {close!r}?)"


def _fits(name: str, given: Any) -> bool:
    if pa.types.is_null(given):
        return name in _MAY_BE_NULL
    if pa.types.is_dictionary(given):
        given = given.value_type
    text = pa.types.is_string(given) or pa.types.is_large_string(given)
    if COLUMNS[name] == pa.string():
        return bool(text)
    if name in _TIMES and (pa.types.is_timestamp(given) or text):
        return True
    return bool(pa.types.is_integer(given))


def rows_of(table: Any, place: str) -> Any:
    """The rows of a table of Arrow with all columns of `ROWS`; a null is what an absent column would be.

    `BadInput` names the place, the column and the row: columns that are missing or of another type, a null
    where none may be, a number too large, another version.
    """
    if (problem := problem_with_columns(table.schema, place)) is not None:
        raise BadInput(problem)
    columns = {name: _column(table, name, place) for name in COLUMNS}
    versions = [one for one in pc.unique(columns.pop("version")).to_pylist() if one != VERSION]
    if versions:
        raise BadInput(
            f"{place}: schema version {versions[0]} of event logs is unknown: this program reads {VERSION}"
        )
    return pa.table(columns, schema=ROWS)


def _column(table: Any, name: str, place: str) -> Any:
    wanted = COLUMNS[name]
    if name not in table.schema.names:
        return pa.repeat(pa.scalar(_ABSENT[name], wanted), len(table))
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if name in _TIMES:
        column = _milliseconds(column, name, place)
    try:
        column = column.cast(wanted)
    except pa.ArrowInvalid as problem:
        raise BadInput(f"{place}: column {name!r}: {problem}") from problem
    if column.null_count and name not in _MAY_BE_NULL:
        row = pc.index(pc.is_null(column), True).as_py()
        raise BadInput(f"{place}: row {row + 1}: {name!r} is null")
    return column.fill_null(_ABSENT[name]) if name in _ABSENT else column


def _milliseconds(column: Any, name: str, place: str) -> Any:
    """Whole ms: of timestamps of any unit (the part of a ms is dropped), of numbers, and of "MIN" and
    "MAX"."""
    if pa.types.is_timestamp(column.type):
        return (
            pc.floor_temporal(column, unit="millisecond")
            .cast(pa.timestamp("ms", column.type.tz))
            .cast(pa.int64())
        )
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        for word, number in ENDS.items():
            column = pc.if_else(pc.equal(column, word), number, column)
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid as problem:
            raise BadInput(f"{place}: column {name!r}: {problem}; it must be ms, MIN or MAX") from problem
    return column
