"""PySpark's TwsTester, with guards for what it accepts and a real query does not.

`TwsTester` drives a `StatefulProcessor` without a JVM, but serialises nothing: it lets pass a number that
does not fit its column, a column that is not declared, and state that was changed in place and never
written. Here each batch gets a new processor and state that has gone through Arrow in its declared schema,
and rows go through Arrow in theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.streaming.tws_tester import TwsTester
from pyspark.sql.types import StructType

Rows = list[dict[str, Any]]


class RowDoesNotFit(TypeError):
    """A row or a state does not fit its declared schema: a real query would fail or lose something."""


class GuardedTester:
    """Runs batches of rows through processors made by `make`, which keep one value state `state_name`."""

    def __init__(
        self,
        make: Callable[[], StatefulProcessor],
        output_schema: StructType,
        state_name: str,
        state_schema: StructType,
    ) -> None:
        self._make = make
        self._output_schema = to_arrow_schema(output_schema)
        self._state_name = state_name
        self._state_schema = to_arrow_schema(state_schema)

    def batch(
        self, rows_of_keys: Mapping[str, Rows], states: Mapping[str, Any]
    ) -> tuple[dict[str, Rows | Exception], dict[str, Any]]:
        """One micro-batch: the rows of each key, with the states of the batch before.

        Returns each key's output rows (or what the processor raised) and the states after it. A state that
        the processor did not write stays as it was, whatever it did to the object in place.
        """
        tester = TwsTester(self._make())
        answers: dict[str, list[Row] | Exception] = {}
        written: dict[str, Any] = {}
        for key, rows in rows_of_keys.items():
            before = states.get(key)
            if before is not None:
                tester.updateValueState(self._state_name, key, _tuple(before))
            injected = tester.peekValueState(self._state_name, key)
            try:
                answers[key] = tester.test(key, [Row(**row) for row in rows])
            except Exception as error:
                answers[key] = error
            after = tester.peekValueState(self._state_name, key)
            if after is not None and after is not injected:
                written[key] = after
        outputs = self._fitting(answers, self._output_schema)
        stored = self._fitting({key: [state] for key, state in written.items()}, self._state_schema)
        after_batch = dict(states)
        for key, state in stored.items():
            if isinstance(state, Exception):
                outputs[key] = state
            else:
                after_batch[key] = state[0]
        return outputs, after_batch

    def _fitting(
        self, rows_of_keys: Mapping[str, Sequence[Any] | Exception], schema: pa.Schema
    ) -> dict[str, Rows | Exception]:
        """Each key's rows after a trip through Arrow, or why they do not fit."""
        fitting: dict[str, Rows | Exception] = {}
        named: dict[str, Rows] = {}
        for key, rows in rows_of_keys.items():
            try:
                if isinstance(rows, Exception):
                    raise rows
                named[key] = [_named(row, schema.names) for row in rows]
            except Exception as error:
                fitting[key] = error
        try:
            through = iter(_through_arrow([row for rows in named.values() for row in rows], schema))
            return fitting | {key: [next(through) for _ in rows] for key, rows in named.items()}
        except RowDoesNotFit:
            for key, rows in named.items():
                try:
                    fitting[key] = _through_arrow(rows, schema)
                except RowDoesNotFit as error:
                    fitting[key] = error
            return fitting


def _tuple(state: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(state.values())


def _named(row: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    declared = getattr(row, "__fields__", names) if isinstance(row, Row) else names
    if len(row) != len(names) or list(declared) != list(names):
        raise RowDoesNotFit(f"{row!r} does not have the declared columns {', '.join(names)}")
    return dict(zip(names, row, strict=True))


def _through_arrow(rows: Rows, schema: pa.Schema) -> Rows:
    try:
        table = pa.Table.from_pylist(rows, schema=schema)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise RowDoesNotFit(f"does not fit the declared schema: {error}") from None
    return list(table.to_pylist())
