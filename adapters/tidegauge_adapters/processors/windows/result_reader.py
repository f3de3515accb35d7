"""Convert the output rows of a windowing processor to the outputs of chapter WIN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.types import DataType

from tidegauge.wire.steps.window import Accumulation, ExpiredStateStep, RecordStep, WatermarkStep
from tidegauge.wire.timestamps import from_wire, to_wire
from tidegauge.wire.vocabulary import AnyOutput, Drop, Fire, Late, Restore, Retract, Snapshot, StateSize, Step

from ..watched.user_rows import value_of
from ..watched.watched_processor import ENTRIES, ROW, UNCHANGED
from .aggregates import Record, is_all_values, numbers_of_result, numbers_of_values, same_result
from .record_book import RecordBook
from .window_results import WindowResults, column_of

Answer = Mapping[str, Any]
Numbers = tuple[int, ...]


class ResultReader:
    """A result reader converts the answers of one scenario.

    It compares a result with the aggregate of the records that the processor has accepted. If both are equal,
    the output is the list of these records.

    Args:
        results: the description of the output rows that report windows.
        kind: the type of the value column; None without a value column.
        is_ordered: whether the order of output rows counts.
    """

    def __init__(self, results: WindowResults, kind: DataType | None, is_ordered: bool) -> None:
        self._results = results
        self._kind = kind
        self._is_ordered = is_ordered
        accumulation: Accumulation = results.accumulation
        self._book = RecordBook(results.assigner.kit, results.lateness_ms, accumulation)
        self._saved = self._book.copy()
        self._standing: dict[tuple[int, int], list[tuple[Any, Numbers]]] = {}

    def outputs(self, step: Step, rows: Sequence[Answer]) -> list[AnyOutput]:
        """Return the outputs of a step."""
        if isinstance(step, Snapshot):
            self._saved = self._book.copy()
        elif isinstance(step, Restore):
            self._book = self._saved.copy()
        elif isinstance(step, RecordStep):
            return self._of_a_record(step, rows)
        elif isinstance(step, WatermarkStep):
            outputs = self._of_results(rows_of(rows))
            self._book.advance(from_wire(step.timestamp))
            return outputs
        elif isinstance(step, ExpiredStateStep):
            return [
                StateSize(self._expired(answer["entries"])) for answer in rows if answer["kind"] == ENTRIES
            ]
        return []

    def _expired(self, entries: int) -> int:
        """Return the number of state entries that belong to expired windows.

        The layout of the state is private to the processor, so the window of an entry is unknown. While a
        window of the key is open, all entries may belong to it. Without an open window, no entry outside of
        `keeps` is needed.
        """
        return 0 if self._book.has_windows else entries

    def _of_a_record(self, step: RecordStep, answers: Sequence[Answer]) -> list[AnyOutput]:
        rows = rows_of(answers)
        is_unchanged = any(answer["kind"] == UNCHANGED for answer in answers)
        record = self._record(step)
        late_rows = [row for row in rows if self._results.is_late(row)]
        is_late = self._is_late(record, len(late_rows), is_unchanged)
        is_dropped = not rows and is_unchanged and not self._book.is_in_time(record.timestamp)
        self._book.see(record, is_accepted=not is_late and not is_dropped)
        outputs = self._of_results([row for row in rows if not self._results.is_late(row)])
        if is_late:
            outputs.append(Late(self._late_number(late_rows[0], record)))
        elif is_dropped:
            outputs.append(Drop())
        return outputs

    def _is_late(self, record: Record, late_rows: int, is_unchanged: bool) -> bool:
        """Return whether a record is reported as late.

        A processor may return a late row for each expired window of a record. The record is not late if
        another of its windows accepts it.
        """
        is_added_elsewhere = not is_unchanged and self._book.is_in_time(record.timestamp)
        over = self._book.windows_over(record.timestamp)
        return late_rows > 0 and not (is_added_elsewhere and late_rows <= over)

    def _late_number(self, row: Row, record: Record) -> int:
        column = self._results.late_value
        if column is None or same_result(column_of(row, column), record.value):
            return record.number
        numbers = numbers_of_values([column_of(row, column)], self._book.seen)
        if numbers is None:
            raise ValueError(f"{row!r} reports a late record with a value that no record has")
        return numbers[0]

    def _record(self, step: RecordStep) -> Record:
        value = step.value if self._kind is None else value_of(self._kind, step.value)
        return Record(from_wire(step.timestamp), step.value, value)

    def _of_results(self, rows: Sequence[Row]) -> list[AnyOutput]:
        for row in rows:
            if self._results.is_late(row):
                raise ValueError(f"{row!r} reports a late record when a timer expires, not with the record")
        outputs = [self._of_a_result(row) for row in rows]
        if not self._is_ordered and not any(isinstance(output, Retract) for output in outputs):
            # Rows of one micro-batch have no order in Spark.
            outputs.sort(key=lambda output: (from_wire(output.end), from_wire(output.start)))
        return [*outputs]

    def _of_a_result(self, row: Row) -> Fire | Retract:
        start, end = self._results.window_of(row)
        result = column_of(row, self._results.result)
        window = to_wire(start), to_wire(end)
        if self._results.is_retraction(row):
            return Retract(*window, self._retracted(start, end, result))
        numbers = self._numbers(start, end, result)
        self._standing.setdefault((start, end), []).append((result, numbers))
        self._book.has_fired(start, end)
        return Fire(*window, numbers)

    def _retracted(self, start: int, end: int, result: Any) -> Numbers:
        """Return the records of the latest result that a row retracts."""
        standing = self._standing.get((start, end), [])
        equal = [numbers for earlier, numbers in standing if same_result(earlier, result)]
        return equal[-1] if equal else self._numbers(start, end, result)

    def _numbers(self, start: int, end: int, result: Any) -> Numbers:
        likely = self._book.likely_records(start, end)
        if is_all_values(self._results.aggregate):
            known = [*likely[0], *(record for record in self._book.seen if record not in likely[0])]
            return numbers_of_values(result or (), known) or ()
        return numbers_of_result(result, self._results.aggregate, likely, self._book.seen)


def rows_of(answers: Sequence[Answer]) -> list[Row]:
    """Return the output rows of the user's processor in the answers to a step."""
    return [row for row, _ in timed_rows_of(answers)]


def timed_rows_of(answers: Sequence[Answer]) -> list[tuple[Row, int | None]]:
    """Return the output rows with the expiry times (ms) of their timers; None for the row of a record."""
    return [(_as_row(answer["row"]), answer["timer"]) for answer in answers if answer["kind"] == ROW]


def _as_row(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Row(**{name: _as_row(part) for name, part in value.items()})
    return [_as_row(part) for part in value] if isinstance(value, list) else value
