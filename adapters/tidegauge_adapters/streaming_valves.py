"""The valve in a real streaming query: thousands of scenarios at a time, a key each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge import Failure, Transcript
from tidegauge.scenario import ValveScenario
from tidegauge_spark import VALVE_INPUT_SCHEMA, VALVE_OUTPUT_SCHEMA, ValveProcessor, run_valves

from .caught_processor import MISFIT, RAISED, CaughtProcessor
from .checkpointed_query import CheckpointedQuery, QueryFailed, Rows
from .spark_session import running_spark
from .valve_rows import valve_transcript
from .valve_schedule import schedule

_MOST_QUERIES = 24
"""After so many queries in a call, what still fails is not divided any further."""


class StreamingValves:
    """Runs `processor` on `master`. Each scenario goes through two micro-batches at least, with a restart of
    the query from its checkpoint in between. A snapshot is a copy of the checkpoint.

    An exception ends the query of all scenarios. Then they run again, with exceptions caught, to find those
    that raise; the others run once more without. Where that finds none, the scenarios are halved.
    """

    def __init__(self, processor: type[StatefulProcessor], master: str, parent: Path | None) -> None:
        self._processor = processor
        self._master = master
        self._parent = parent

    def transcripts(self, scenarios: Sequence[ValveScenario]) -> Iterator[Transcript]:
        """One for each scenario, in no particular order."""
        waiting = [scenarios] if scenarios else []
        queries = 0
        while waiting:
            several = waiting.pop()
            queries += 1
            try:
                answers = self._answers(several, run_caught=False)
            except QueryFailed as failed:
                queries += 1
                culprits = self._culprits(several) if queries < _MOST_QUERIES or len(several) == 1 else {}
                rest = [scenario for scenario in several if scenario.id not in culprits]
                yield from culprits.values()
                if culprits:
                    waiting += [rest] if rest else []
                elif len(several) == 1 or queries >= _MOST_QUERIES:
                    failure = Failure("exception", f"the query failed: {failed}"[:2000])
                    yield from (Transcript(scenario.id, (), failure) for scenario in several)
                else:
                    waiting += [several[len(several) // 2 :], several[: len(several) // 2]]
            else:
                yield from (valve_transcript(scenario, answers[scenario.id]) for scenario in several)

    def _culprits(self, scenarios: Sequence[ValveScenario]) -> dict[str, Transcript]:
        """The transcripts of those that raise."""
        try:
            answers = self._answers(scenarios, run_caught=True)
        except QueryFailed:
            return {}
        found = {}
        for scenario in scenarios:
            caught = [row for row in answers[scenario.id] if row["kind"] in (RAISED, MISFIT)]
            if caught:
                first = min(caught, key=lambda row: int(row["sequence"]))
                before = [row for row in answers[scenario.id] if row["sequence"] < first["sequence"]]
                failure = Failure("protocol" if first["kind"] == MISFIT else "exception", first["error"])
                found[scenario.id] = valve_transcript(scenario, before, failure, first["sequence"])
        return found

    def _answers(self, scenarios: Sequence[ValveScenario], run_caught: bool) -> dict[str, Rows]:
        """The output rows of each scenario."""
        spark = running_spark(self._master, self._parent)
        folder = spark.folder.subfolder("query")
        operator = self._caught if run_caught else self._plain
        query = CheckpointedQuery(spark.session, folder, VALVE_INPUT_SCHEMA, operator)
        try:
            _drive(query, scenarios)
        finally:
            query.stop()
            shutil.rmtree(folder, ignore_errors=True)
        answers: dict[str, Rows] = {scenario.id: [] for scenario in scenarios}
        for row in query.answers():
            if row["valve"] in answers:
                answers[row["valve"]].append(row)
        return answers

    def _plain(self, steps: DataFrame) -> DataFrame:
        if self._processor is ValveProcessor:
            return run_valves(steps)
        return _valves(steps, self._processor())

    def _caught(self, steps: DataFrame) -> DataFrame:
        return _valves(steps, CaughtProcessor(self._processor()))


def _valves(steps: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return steps.groupBy("valve").transformWithState(processor, VALVE_OUTPUT_SCHEMA, "Append", "None")


def _drive(query: CheckpointedQuery, scenarios: Sequence[ValveScenario]) -> None:
    for leg in schedule(scenarios):
        if leg.undone:
            query.save()
            query.start()
            for batch in leg.undone:
                query.feed(batch)
            query.stop()
            query.restore()
        query.start()
        for batch in leg.kept:
            query.feed(batch)
        query.stop()
