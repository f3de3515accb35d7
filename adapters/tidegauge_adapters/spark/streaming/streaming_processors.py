"""Processors in a real streaming query: thousands of scenarios at a time, a key each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import IntegerType, StructField, StructType

from tidegauge import Failure, Transcript
from tidegauge.wire.scenario import Scenario

from ...spark_session.session import running_spark
from ..binding.made_processors import MadeProcessors
from ..binding.processor_binding import ProcessorBinding
from ..binding.step_rows import transcript
from .caught_processor import CAUGHT, ERROR, MISFIT, CaughtProcessor, caught_schema
from .checkpointed_query import CheckpointedQuery, QueryFailed, Rows
from .dispatcher import PROCESSOR, Dispatcher
from .step_schedule import Leg, schedule

Operator = Callable[[DataFrame], DataFrame]

_MOST_QUERIES = 24
"""After so many queries in a call, what still fails is not divided any further."""


class StreamingProcessors:
    """Runs the processors of `binding` on `master`, those of different setups side by side. Each scenario
    goes through two micro-batches at least, with a restart of the query from its checkpoint in between. A
    snapshot is a copy of the checkpoint.

    An exception ends the query of all scenarios. Then they run again, with exceptions caught, to find those
    that raise; the others run once more without. Where that finds none, the scenarios are halved.
    """

    def __init__(self, binding: ProcessorBinding, master: str, parent: Path | None) -> None:
        self._binding = binding
        self._master = master
        self._parent = parent

    def transcripts(self, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """One for each scenario, in no particular order."""
        made = MadeProcessors(self._binding, scenarios)
        yield from made.failures
        waiting = [made.scenarios] if made.scenarios else []
        queries = 0
        while waiting:
            several = waiting.pop()
            queries += 1
            try:
                answers = self._answers(several, made, run_caught=False)
            except QueryFailed as failed:
                queries += 1
                culprits = (
                    self._culprits(several, made) if queries < _MOST_QUERIES or len(several) == 1 else {}
                )
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
                yield from (transcript(self._binding, one, answers[one.id]) for one in several)

    def _culprits(self, scenarios: Sequence[Scenario], made: MadeProcessors) -> dict[str, Transcript]:
        """The transcripts of those that raise."""
        try:
            answers = self._answers(scenarios, made, run_caught=True)
        except QueryFailed:
            return {}
        found = {}
        for scenario in scenarios:
            caught = [row for row in answers[scenario.id] if row[CAUGHT] is not None]
            if caught:
                first = min(caught, key=lambda row: int(row["sequence"]))
                before = [row for row in answers[scenario.id] if row["sequence"] < first["sequence"]]
                failure = Failure("protocol" if first[CAUGHT] == MISFIT else "exception", first[ERROR])
                found[scenario.id] = transcript(self._binding, scenario, before, failure, first["sequence"])
        return found

    def _answers(
        self, scenarios: Sequence[Scenario], made: MadeProcessors, run_caught: bool
    ) -> dict[str, Rows]:
        """The output rows of each scenario."""
        legs = schedule(self._binding, scenarios)
        schema, operator = self._binding.input_schema, self._binding.operator
        if run_caught or operator is None:
            schema = StructType([*schema, StructField(PROCESSOR, IntegerType())])
            operator = _dispatching(self._binding, made, run_caught)
            numbers = {scenario.id: made.number(scenario) for scenario in scenarios}
            for row in (row for leg in legs for batch in (*leg.undone, *leg.kept) for row in batch):
                row[PROCESSOR] = numbers[row[self._binding.key]]
        answers: dict[str, Rows] = {scenario.id: [] for scenario in scenarios}
        for row in self._output_rows(schema, operator, legs):
            if row[self._binding.key] in answers:
                answers[row[self._binding.key]].append(row)
        return answers

    def _output_rows(self, schema: StructType, operator: Operator, legs: Sequence[Leg]) -> Rows:
        """What comes out of a query that is fed all the legs, in a session of its own: jobs that run beside
        it change the settings of theirs."""
        spark = running_spark(self._master, self._parent)
        session = spark.session.newSession()
        folder = spark.folder.subfolder("query")
        query = CheckpointedQuery(session, folder, schema, operator)
        try:
            for leg in legs:
                _drive(query, leg)
        finally:
            query.stop()
            shutil.rmtree(folder, ignore_errors=True)
        return query.answers()


def _dispatching(binding: ProcessorBinding, made: MadeProcessors, run_caught: bool) -> Operator:
    processor: StatefulProcessor = Dispatcher(made.processors, binding.input_schema.names)
    schema = binding.output_schema
    if run_caught:
        processor, schema = CaughtProcessor(processor, binding.key, schema), caught_schema(schema)
    return lambda steps: steps.groupBy(binding.key).transformWithState(processor, schema, "Append", "None")


def _drive(query: CheckpointedQuery, leg: Leg) -> None:
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
