"""Show a counterexample of chapter WIN by the rows that the user's processor returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Row

from tidegauge import Scenario
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.steps.window import RecordStep, WatermarkStep
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import AnyOutput, Fire, Step

from ...spark.binding.row_reader import Row as Answer
from ...spark.binding.row_reader import RowReader
from ...spark.tester.tester_processors import TesterProcessors
from ..processor_under_test import ProcessorUnderTest
from ..watched.user_rows import value_of
from ..words import row_text, time_text, value_text
from .aggregates import aggregated, same_result
from .cures import POLICIES, Cures, differs_at
from .result_reader import timed_rows_of
from .window_results import WindowResults, column_of
from .windows_binding import windows_binding

_MOST_ROWS = 4


def hints_on(
    scenario: Scenario, name: str, processor: ProcessorUnderTest, results: WindowResults
) -> list[str]:
    """Return the rows of the step that differs, and the most likely cause if there is one.

    The processor runs in PySpark's tester. `name` is its name in the hints.
    """
    binding = windows_binding(processor, results)
    noted = _NotedRows()
    noting = replace(binding, reads=lambda setup: noted.reading(binding.reader(setup)))
    (got,) = TesterProcessors(noting).transcripts([scenario])
    if got.failure is not None:
        return []
    expected = expect(scenario, POLICIES).outputs
    place = differs_at(got, expected)
    if place is None:
        return [f"In PySpark's tester, without a query, {name} answers as expected."]
    hints = []
    if isinstance(scenario.history[place], RecordStep | WatermarkStep):
        shown = _Shown(processor, results, scenario, expected[place])
        hints = [f"{name} returned {text}." for text in shown.rows(noted.rows[place])]
    explanation = Cures(processor, results).explanation(scenario)
    return [*hints, explanation] if explanation else hints


class _NotedRows:
    """Notes the rows of the user's processor in each step, and their timers, on their way to a reader."""

    def __init__(self) -> None:
        self.rows: list[list[tuple[Row, int | None]]] = []

    def reading(self, reader: RowReader) -> RowReader:
        """Return this object as a reader that answers as `reader`."""
        self._reader = reader
        return self

    def outputs(self, step: Step, rows: Sequence[Answer]) -> Sequence[AnyOutput]:
        """Return the outputs of a step."""
        self.rows.append(timed_rows_of(rows))
        return list(self._reader.outputs(step, rows))


@dataclass(frozen=True)
class _Shown:
    """Puts the rows of one step into words."""

    processor: ProcessorUnderTest
    results: WindowResults
    scenario: Scenario
    expected: Outputs

    def rows(self, rows: Sequence[tuple[Row, int | None]]) -> Iterator[str]:
        """Yield each row, with the timer that returned it and the result that was expected instead."""
        for row, timer in rows[:_MOST_ROWS]:
            columns = {name: one for name, one in row.asDict().items() if name not in self.processor.keys}
            yield "; ".join(filter(None, (row_text(columns) + self._by(row, timer), self._instead(row))))
        if len(rows) > _MOST_ROWS:
            yield f"{len(rows) - _MOST_ROWS} more rows in this step"
        if not rows:
            yield "no row in this step"

    def _by(self, row: Row, timer: int | None) -> str:
        if timer is None:
            return ""
        by = f" by the timer at {time_text(self.processor, timer)}"
        is_at_end = not self._is_result(row) or self.results.window_of(row)[1] == timer
        return by if is_at_end else f"{by}, which is not the end of that window"

    def _is_result(self, row: Row) -> bool:
        return not self.results.is_late(row) and not self.results.is_retraction(row)

    def _instead(self, row: Row) -> str:
        """Return the expected result of the window of a row; empty if the row has it, or no result is due."""
        fires = [one for one in self.expected if isinstance(one, Fire) and self._is_result(row)]
        windows = {(from_wire(fire.start), from_wire(fire.end)): fire for fire in fires}
        fire = windows.get(self.results.window_of(row)) if windows else None
        if fire is None:
            return ""
        values = self._values(fire)
        result = aggregated(self.results.aggregate, values)
        if same_result(result, column_of(row, self.results.result)):
            return ""
        column = self.results.value
        of_rows = f"{column}={value_text(values)}" if column else f"{len(values)} rows"
        return f"expected is {value_text(result)}, from {of_rows}"

    def _values(self, fire: Fire) -> list[Any]:
        """Return the values of a result in the order of arrival, in which the aggregate takes them."""
        waiting = Counter(fire.values)
        column = self.results.value
        values: list[Any] = []
        for step in self.scenario.history:
            if isinstance(step, RecordStep) and waiting[step.value]:
                waiting[step.value] -= 1
                kind = self.processor.inputs[column].dataType if column else None
                values.append(step.value if kind is None else value_of(kind, step.value))
        return values
