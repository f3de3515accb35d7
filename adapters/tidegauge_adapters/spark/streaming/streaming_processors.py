"""Processors in a real streaming query: thousands of scenarios at a time, a key each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import IntegerType, StructField, StructType

from tidegauge import Failure, Transcript
from tidegauge.wire.scenario import Scenario

from ...spark_session.checksums import without_checksums
from ...spark_session.session import running_spark
from ..binding.made_processors import MadeProcessors
from ..binding.processor_binding import ProcessorBinding
from ..binding.step_rows import transcript
from .caught_processor import CAUGHT, ERROR, MISFIT, CaughtProcessor, caught_schema
from .checkpointed_query import CheckpointedQuery, QueryFailed, Rows, rows_by_key
from .dispatcher import PROCESSOR, Dispatcher
from .step_schedule import Leg, schedule

Operator = Callable[[DataFrame], DataFrame]

_NO_SETTINGS: Mapping[str, str] = {}

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
        self.binding = binding
        self._master = master
        self._parent = parent

    def transcripts(self, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """One for each scenario, in no particular order."""
        made = MadeProcessors(self.binding, scenarios)
        yield from made.failures
        if made.scenarios:
            yield from self.of_a_query(made.scenarios, made)

    def of_a_query(self, together: Sequence[Scenario], made: MadeProcessors) -> Iterator[Transcript]:
        """Those of scenarios that can share a query."""
        waiting = [together]
        queries = 0
        while waiting:
            several = waiting.pop()
            queries += 1
            try:
                answers = self.answers(several, made, run_caught=False)
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
                yield from (self.transcript(one, answers[one.id]) for one in several)

    def _culprits(self, scenarios: Sequence[Scenario], made: MadeProcessors) -> dict[str, Transcript]:
        """The transcripts of those that raise."""
        try:
            answers = self.answers(scenarios, made, run_caught=True)
        except QueryFailed:
            return {}
        found = {}
        for scenario in scenarios:
            caught = [row for row in answers[scenario.id] if row[CAUGHT] is not None]
            if caught:
                first = min(caught, key=lambda row: int(row["sequence"]))
                placed = [row for row in answers[scenario.id] if row["sequence"] is not None]
                before = [row for row in placed if row["sequence"] < first["sequence"]]
                failure = Failure("protocol" if first[CAUGHT] == MISFIT else "exception", first[ERROR])
                found[scenario.id] = self.transcript(scenario, before, failure, first["sequence"])
        return found

    def transcript(
        self, scenario: Scenario, rows: Rows, failure: Failure | None = None, steps: int = 0
    ) -> Transcript:
        """The transcript made of a scenario's output rows; with a failure, that of its first `steps`."""
        return transcript(self.binding, scenario, rows, failure, steps)

    def answers(
        self, scenarios: Sequence[Scenario], made: MadeProcessors, run_caught: bool
    ) -> dict[str, Rows]:
        """The output rows of each of the scenarios, which share a query. Raises `QueryFailed`."""
        legs = schedule(self.binding, scenarios)
        schema, operator = self.binding.input_schema, self.binding.operator
        if run_caught or operator is None:
            schema = StructType([*schema, StructField(PROCESSOR, IntegerType())])
            operator = dispatching(self.binding, made, run_caught)
            numbers = {scenario.id: made.number(scenario) for scenario in scenarios}
            for row in (row for leg in legs for batch in (*leg.undone, *leg.kept) for row in batch):
                row[PROCESSOR] = numbers[row[self.binding.key]]
        with self.query(schema, operator) as query:
            for leg in legs:
                _drive(query, leg)
        return rows_by_key(query.answers(), self.binding.key, [scenario.id for scenario in scenarios])

    @contextmanager
    def query(
        self, schema: StructType, operator: Operator, settings: Mapping[str, str] = _NO_SETTINGS
    ) -> Iterator[CheckpointedQuery]:
        """A query to be started and fed, in a session of its own: jobs that run beside it change the settings
        of theirs. It is stopped, and its files go."""
        spark = running_spark(self._master, self._parent)
        session = spark.session.newSession()
        for name, value in settings.items():
            session.conf.set(name, value)
        folder = spark.folder.subfolder("query")
        query = CheckpointedQuery(session, folder, schema, operator)
        try:
            with without_checksums(session):
                yield query
        finally:
            query.stop()
            shutil.rmtree(folder, ignore_errors=True)


def dispatching(binding: ProcessorBinding, made: MadeProcessors, run_caught: bool) -> Operator:
    """The operator in which the processors of all setups are, or in which exceptions are caught, too."""
    processor: StatefulProcessor = Dispatcher(made.processors, binding.input_schema.names)
    schema = binding.output_schema
    if run_caught:
        processor, schema = CaughtProcessor(processor, binding.key, schema), caught_schema(schema)
    return lambda steps: steps.groupBy(binding.key, PROCESSOR).transformWithState(
        processor, schema, "Append", binding.time_mode
    )


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
