"""The valve in PySpark's TwsTester: the code of a query, without a query and without a JVM."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge import Failure, Session, Transcript
from tidegauge.components.valve.vocabulary import ValveSetup
from tidegauge.scenario import ValveScenario
from tidegauge.transcript import Outputs
from tidegauge.vocabulary import Snapshot, Step
from tidegauge_spark import VALVE_OUTPUT_SCHEMA, VALVE_STATE_SCHEMA

from .guarded_tester import GuardedTester, RowDoesNotFit, Rows
from .valve_rows import scenario_batches, step_outputs, step_row, valve_transcript

_AT_ONCE = 1000


class TesterValves:
    """Runs `processor`. Every scenario runs in two batches at least, state carried between."""

    def __init__(self, processor: type[StatefulProcessor]) -> None:
        self._processor = processor

    def transcripts(self, scenarios: Sequence[ValveScenario]) -> Iterator[Transcript]:
        """Scenarios side by side, a key each; the batches are the groups of the scenarios."""
        for start in range(0, len(scenarios), _AT_ONCE):
            yield from self._some(scenarios[start : start + _AT_ONCE])

    def session(self, setup: ValveSetup) -> Session:
        """A valve that gets every step in a batch of its own."""
        return _TesterSession(self._tester(), setup)

    def _tester(self) -> GuardedTester:
        return GuardedTester(self._processor, VALVE_OUTPUT_SCHEMA, "valve", VALVE_STATE_SCHEMA)

    def _some(self, scenarios: Sequence[ValveScenario]) -> Iterator[Transcript]:
        tester = self._tester()
        remaining = {scenario.id: scenario_batches(scenario) for scenario in scenarios}
        outputs: dict[str, Rows] = {scenario.id: [] for scenario in scenarios}
        failures: dict[str, tuple[Exception, int]] = {}
        states: dict[str, Any] = {}
        saved: dict[str, Any] = {}
        while any(remaining.values()):
            batch: dict[str, Rows] = {}
            for key, batches in remaining.items():
                while batches and not isinstance(batches[0], list):
                    _save_or_restore(batches.pop(0), key, states, saved)
                if batches:
                    batch[key] = batches.pop(0)  # type: ignore[assignment]
            answers, states = tester.batch(batch, states)
            for key, answer in answers.items():
                if isinstance(answer, Exception):
                    failures[key] = answer, batch[key][0]["sequence"]
                    remaining[key] = []
                else:
                    outputs[key] += answer
        for scenario in scenarios:
            yield _transcript(scenario, outputs[scenario.id], failures.get(scenario.id))


class _TesterSession(Session):
    """One valve, stepped."""

    def __init__(self, tester: GuardedTester, setup: ValveSetup) -> None:
        self._tester = tester
        self._setup = setup
        self._states: dict[str, Any] = {}

    def step(self, step: Step) -> Outputs:
        """One batch of one row."""
        rows = {"valve": [step_row("valve", self._setup, 0, step)]}
        answers, self._states = self._tester.batch(rows, self._states)
        answer = answers["valve"]
        if isinstance(answer, Exception):
            raise answer
        return step_outputs(answer, 1)[0]


def _save_or_restore(step: object, key: str, states: dict[str, Any], saved: dict[str, Any]) -> None:
    """A snapshot keeps the state as it was serialised; a restore starts from it, or from none."""
    source, target = (states, saved) if isinstance(step, Snapshot) else (saved, states)
    target.pop(key, None)
    if key in source:
        target[key] = source[key]


def _transcript(scenario: ValveScenario, rows: Rows, failed: tuple[Exception, int] | None) -> Transcript:
    if failed is None:
        return valve_transcript(scenario, rows)
    error, first_step = failed
    kind = "protocol" if isinstance(error, RowDoesNotFit) else "exception"
    failure = Failure(kind, f"{type(error).__name__}: {error}"[:2000])  # type: ignore[arg-type]
    return valve_transcript(scenario, rows, failure, first_step)
