"""Explain a counterexample of chapter WIN by a cure: a change with which the processor conforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from tidegauge import Scenario, Transcript
from tidegauge.components.within import component_within
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.steps.window import RecordStep, WatermarkStep
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Drop, Late, Restore, Snapshot
from tidegauge_reference import PROFILES

from ...spark.tester.tester_processors import TesterProcessors
from ..explaining.alterations import CURES
from ..playing.alteration import NONE, Alteration
from ..processor_under_test import ProcessorUnderTest
from .window_results import WindowResults
from .windows_binding import window_shape, windows_binding

POLICIES = PROFILES["spark-4"]

_SCENARIOS_FOR_A_CURE = 100
"""The number of random scenarios in which a cured processor has to conform. The counterexample alone is too
little: a timer that is moved by 1 ms can fix a single scenario."""

_CURES = [
    cure
    for cure in CURES
    if cure.timer_shift or cure.watermark_shift or cure.one_timer or cure.clears_without_timers
]
"""The cures that change what a processor does in chapter WIN."""


class Cures:
    """Tries cures on one processor in PySpark's tester."""

    def __init__(self, processor: ProcessorUnderTest, results: WindowResults) -> None:
        self._processor = processor
        self._results = results
        component = component_within("window", (window_shape(processor, results),))
        drawn = (draw_history(component, 1, index, POLICIES) for index in range(_SCENARIOS_FOR_A_CURE))
        self._drawn = [scenario for scenario in drawn if "int64" not in scenario.needs]

    def explanation(self, scenario: Scenario) -> str:
        """Return the most likely cause as a sentence; empty if no cure makes the processor conform in
        `scenario` and in random scenarios."""
        for cure in _CURES:
            if self._conforms([scenario], cure) and self._conforms(self._drawn, cure):
                return f"It would conform {cure.words}."
        for words, remaining in _WITHOUT_ROWS.items():
            if self._conforms([remaining(scenario)]) and self._conforms([*map(remaining, self._drawn)]):
                return f"It would conform {words}."
        return ""

    def _conforms(self, scenarios: Sequence[Scenario], cure: Alteration = NONE) -> bool:
        binding = windows_binding(self._processor, self._results, cure)
        asked = {scenario.id: scenario for scenario in scenarios}
        return all(
            got.failure is None and differs_at(got, expect(asked[got.scenario], POLICIES).outputs) is None
            for got in TesterProcessors(binding).transcripts(scenarios)
        )


def differs_at(got: Transcript, expected: Sequence[Outputs]) -> int | None:
    """Return the first step in which the outputs differ; None if there is none."""
    pairs = enumerate(zip(got.outputs, expected, strict=True))
    return next((place for place, (outputs, others) in pairs if outputs != others), None)


def _without_late_rows(scenario: Scenario) -> Scenario:
    outputs = expect(scenario, POLICIES).outputs
    late = [any(isinstance(output, Late | Drop) for output in of_step) for of_step in outputs]
    return _without(scenario, late)


def _without_rows_behind(scenario: Scenario) -> Scenario:
    """Return the scenario without records at or before the watermark."""
    watermark = saved = -1  # Spark's first watermark is 1970-01-01: all records before it have arrived
    behind = []
    for step in scenario.history:
        if isinstance(step, WatermarkStep):
            watermark = max(watermark, from_wire(step.timestamp))
        elif isinstance(step, Snapshot):
            saved = watermark
        elif isinstance(step, Restore):
            watermark = saved
        behind.append(isinstance(step, RecordStep) and from_wire(step.timestamp) <= watermark)
    return _without(scenario, behind)


def _without(scenario: Scenario, left_out: Sequence[bool]) -> Scenario:
    pairs = zip(scenario.history, left_out, strict=True)
    return replace(scenario, history=tuple(step for step, is_out in pairs if not is_out), groups=())


_WITHOUT_ROWS: dict[str, Callable[[Scenario], Scenario]] = {
    "if no late rows reached it: its handling of late rows is wrong": _without_late_rows,
    "if no row came behind the watermark: its handling of such rows is wrong": _without_rows_behind,
}
"""The rows without which a processor conforms, in words."""
