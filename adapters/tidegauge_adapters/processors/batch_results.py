"""Compare the rows that a processor returned for a whole trace with the result of a batch function."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pyspark.sql import Row

from ..spark.tester.declared_schema import RowDoesNotFit
from .playing.played import Played
from .playing.player import Player
from .playing.trace import Arrival, Key, Trace
from .processor_under_test import ProcessorUnderTest
from .words import key_text, row_text, value_text


class BatchFunctionFails(Exception):
    """The batch function of the user raises, or its return value is not a valid result."""


def differs_from_batch(player: Player, trace: Trace, played: Played) -> str | None:
    """Return a sentence that says how the results of a trace differ from those of the batch function.

    Returns None if the results agree, or if the query failed. Raises `BatchFunctionFails` if the function
    raises or does not return a valid result.
    """
    if played.problem is not None:
        return None
    expected, actual = compared_results(player, trace, played)
    problem = _difference(player.subject, expected, actual)
    if problem is not None:
        return problem
    return _late_difference(player, _late(player, trace, played), played)


def compared_results(
    player: Player, trace: Trace, played: Played
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the results of the batch function and those of the processor, with the columns of the former."""
    late = _late(player, trace, played)
    in_time = [event for event in trace if isinstance(event, Arrival) and event not in late]
    results = [one for one in played.outputs if not _reports_late(player.subject, one.row)]
    columns, expected = _batch(player, in_time, played)
    return expected, [{name: one.row[name] for name in columns} for one in results]


def _late(player: Player, trace: Trace, played: Played) -> list[Arrival]:
    return [event for event in trace if isinstance(event, Arrival) and _is_late(player, event, played)]


def _is_late(player: Player, arrival: Arrival, played: Played) -> bool:
    subject = player.subject
    if id(arrival) in played.dropped:
        return True
    if subject.late is None:
        return False
    (row,) = player.rows.rows([arrival])
    return bool(subject.late(row, played.times_at_arrival.get(id(arrival), 0)))


def _batch(
    player: Player, arrivals: Sequence[Arrival], played: Played
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the output columns of the batch function, and its rows.

    The function is not called if there are no rows.
    """
    subject = player.subject
    assert subject.batch is not None
    if not arrivals:
        return list(subject.outputs.names), []
    given = player.rows.frame(arrivals)
    if subject.arrived:
        given[subject.arrived] = [played.times_at_arrival[id(one)] for one in arrivals]
    try:
        answer = subject.batch(given)
    except Exception as error:
        raise BatchFunctionFails(f"batch raises {type(error).__name__}: {error}") from error
    if not isinstance(answer, pd.DataFrame):
        raise BatchFunctionFails(
            f"batch returns {type(answer).__name__}; it has to return a pandas DataFrame"
        )
    names = [name for name in subject.outputs.names if name in answer.columns]
    strange = [str(name) for name in answer.columns if name not in subject.outputs.names]
    if not names or (strange and len(names) < len(subject.outputs.names)):
        missing = ", ".join(name for name in subject.outputs.names if name not in names)
        extra = ", ".join(strange) or "no column"
        raise BatchFunctionFails(f"batch returns {extra}, which the output does not have, but not {missing}")
    try:
        return names, player.rows.columns_of_frame(answer, names)
    except RowDoesNotFit as misfit:
        raise BatchFunctionFails(f"batch returns a data frame that {misfit}") from misfit


def columns_not_compared(player: Player, trace: Trace) -> list[str]:
    """Return the output columns that the batch function leaves out, so that they are not compared."""
    played = player.as_spark(trace)
    # A query that failed has not received its last rows.
    arrivals = [one for one in trace if isinstance(one, Arrival) and id(one) in played.times_at_arrival]
    compared, _ = _batch(player, arrivals, played)
    return [name for name in player.subject.outputs.names if name not in compared]


def _reports_late(subject: ProcessorUnderTest, row: Mapping[str, Any]) -> bool:
    return subject.late_output is not None and bool(subject.late_output(columns_of(row)))


def columns_of(row: Mapping[str, Any]) -> Any:
    """Return a row with columns as attributes, as the user's functions expect it."""
    return Row(**row)


def _difference(
    subject: ProcessorUnderTest, expected: list[dict[str, Any]], actual: list[dict[str, Any]]
) -> str | None:
    if subject.ordered:
        expected, actual = _by_key(subject, expected), _by_key(subject, actual)
    comparable = [_comparable(row) for row in expected], [_comparable(row) for row in actual]
    if (
        comparable[0] == comparable[1]
        if subject.ordered
        else Counter(comparable[0]) == Counter(comparable[1])
    ):
        return None
    missing, more = (_without(*comparable, expected), _without(comparable[1], comparable[0], actual))
    if missing and more:
        if (values := _values_that_differ(subject, missing, more)) is not None:
            return values
        return f"the processor returns {_rows(more)}, the batch function {_rows(missing)}"
    if missing:
        return f"the processor does not return {_rows(missing)}, as the batch function does"
    if more:
        return f"the processor returns {_rows(more)}, which the batch function does not"
    return f"the processor returns the rows in another order than the batch function: {_rows(actual)}"


def _values_that_differ(
    subject: ProcessorUnderTest, expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]]
) -> str | None:
    """Return a sentence with the values that differ, if the rows are the same results with other values.

    Rows are the same result if their keys, and the columns of `once` if it is declared, are equal. Without
    `once`, most other columns have to be equal. Returns None if some row has no counterpart.
    """
    if len(expected) != len(actual):
        return None
    names = [*(subject.keys), *subject.once]
    remaining, text = list(expected), ""
    for row in actual:
        same = [one for one in remaining if all(one.get(name) == row.get(name) for name in names)]
        if not same:
            return None
        other = min(same, key=lambda one: len(_differing(one, row)))
        columns = _differing(other, row)
        if not subject.once and 2 * len(columns) > max(2, len([name for name in row if name not in names])):
            return None
        remaining.remove(other)
        text = text or f"{_values_text(columns, other, row)} in the result {row_text(row)}"
    return text + (f", and {len(actual) - 1} more" if len(actual) > 1 else "")


def _values_text(columns: Sequence[str], expected: Mapping[str, Any], actual: Mapping[str, Any]) -> str:
    values = [f"{value_text(actual[name])} instead of {value_text(expected[name])}" for name in columns]
    if len(columns) == 1:
        return f"the value of {columns[0]} differs: {values[0]}"
    return "the values differ: " + ", ".join(map("=".join, zip(columns, values, strict=True)))


def _differing(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> list[str]:
    return [name for name in actual if _comparable(expected[name]) != _comparable(actual[name])]


def _by_key(subject: ProcessorUnderTest, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group rows by key and keep their order within each key. Spark guarantees no order among keys."""
    return sorted(rows, key=lambda row: repr([row.get(name) for name in subject.keys]))


def _without(own: list[Any], others: list[Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    remaining = Counter(others)
    found = []
    for value, row in zip(own, rows, strict=True):
        if remaining[value]:
            remaining[value] -= 1
        else:
            found.append(row)
    return found


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    several = [row_text(row) for row in rows[:3]]
    return ", ".join(several) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")


def _comparable(value: Any) -> Any:
    """Return a value in a form that can be compared.

    Floats are rounded to nine digits, because a sum depends on the order of its terms.
    """
    if isinstance(value, dict):
        return tuple((name, _comparable(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.9g}")
    return value


def _late_difference(player: Player, late: Sequence[Arrival], played: Played) -> str | None:
    """Return how the reported late rows differ from the late rows of a trace, as a count per key.

    Returns None if they agree, or if the processor does not report late rows.
    """
    subject = player.subject
    if subject.late_output is None:
        return None
    seen = [arrival for arrival in late if id(arrival) not in played.dropped]
    expected = Counter(player.rows.key(arrival) for arrival in seen)
    actual: Counter[Key] = Counter(one.key for one in played.outputs if _reports_late(subject, one.row))
    for key in sorted({*expected, *actual}, key=repr):
        if expected[key] != actual[key]:
            name = key_text(subject, key)
            return f"{actual[key]} rows of {name} are reported as late, {expected[key]} are late"
    return None
