"""Processors with event-time timers in real streaming queries, whose watermark moves as the scenarios say.

A query has one watermark. Scenarios share a query only if their watermarks go through the same values: one
that stopped at values of others in between would fire in two steps what a scenario fires in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import DataFrame, functions
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from tidegauge import Failure, Transcript
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import Step

from ...spark_schedule.courses import Course, courses
from ...spark_schedule.schedule import raising_steps, schedule, stays
from ..binding.made_processors import MadeProcessors
from ..binding.step_rows import Rise, transcript
from .checkpointed_query import Rows
from .dispatcher import PROCESSOR
from .rising_query import EVENT_TIME, History, laid_rows
from .streaming_processors import Operator, StreamingProcessors, dispatching

Entries = tuple[tuple[int, Step] | None, ...]

_QUERIES_AT_A_TIME = 2
_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.minBatchesToRetain": "100000",
    "spark.sql.streaming.noDataMicroBatches.enabled": "true",
}


class TimedProcessors(StreamingProcessors):
    """Runs the processors of a binding in time mode "EventTime", as any others, in queries with a watermark.

    Steps have no event time for Spark, so that it drops none of them as late; a row that belongs to no key
    has, and raises the watermark. In the micro-batch without data that follows, Spark's timers expire. What
    follows a restore is a query of its own, which does what led to the snapshot and is restarted there.
    """

    def transcripts(self, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """One for each scenario, in no particular order."""
        made = MadeProcessors(self.binding, scenarios)
        yield from made.failures
        with ThreadPoolExecutor(_QUERIES_AT_A_TIME) as pool:
            several = pool.map(lambda alike: [*self.of_a_query(alike, made)], side_by_side(made.scenarios))
            for transcripts in several:
                yield from transcripts

    def transcript(
        self, scenario: Scenario, rows: Rows, failure: Failure | None = None, steps: int = 0
    ) -> Transcript:
        """As of any, with the watermarks that Spark's went through."""
        rises = {
            index: Rise(index, value)
            for course in restarted_courses(scenario)
            for value, index in _raised(course).items()
        }
        return transcript(self.binding, scenario, rows, failure, steps, rises.values())

    def answers(
        self, scenarios: Sequence[Scenario], made: MadeProcessors, run_caught: bool
    ) -> dict[str, Rows]:
        """The output rows of each of the scenarios: their n-th courses share a query."""
        answers: dict[str, Rows] = {scenario.id: [] for scenario in scenarios}
        of_each = [restarted_courses(scenario) for scenario in scenarios]
        for number in range(len(of_each[0])):
            histories = {
                scenario.id: History(scenario, own[number], made.number(scenario))
                for scenario, own in zip(scenarios, of_each, strict=True)
            }
            for row in self._rows(histories, dispatching(self.binding, made, run_caught)):
                answers[row[self.binding.key]].append(row)
        return answers

    def _rows(self, histories: Mapping[str, History], operator: Operator) -> Rows:
        """What is new of what comes out of a query."""
        columns = [StructField(field.name, field.dataType) for field in self.binding.input_schema]
        schema = StructType(
            [*columns, StructField(PROCESSOR, IntegerType()), StructField(EVENT_TIME, LongType())]
        )
        portions = schedule({name: history.course for name, history in histories.items()})
        with self.query(schema, lambda rows: operator(_with_watermark(rows)), _SETTINGS) as query:
            return laid_rows(self.binding, query, portions, histories)


def side_by_side(scenarios: Iterable[Scenario]) -> list[list[Scenario]]:
    """Scenarios that can share a query, together: they have the same watermarks, in each course."""
    found: dict[object, list[Scenario]] = {}
    for scenario in scenarios:
        values = tuple(tuple(_raised(course)) for course in restarted_courses(scenario))
        found.setdefault(values, []).append(scenario)
    return list(found.values())


def restarted_courses(scenario: Scenario) -> list[Course]:
    """The courses of a scenario. One that no restore restarts is restarted at the first group border of the
    scenario, or before its last step."""
    found = courses(scenario.history, in_place=True)
    ended = [Course(_ended(course.steps), course.since) for course in found]
    shown = [course for course in ended[1:] if len(course.steps) > course.since]
    return [_restarted(course, scenario.groups) for course in (ended[0], *shown)]


def _ended(steps: Entries) -> Entries:
    """Without restarts that nothing follows."""
    while steps and steps[-1] is None:
        steps = steps[:-1]
    return steps


def _restarted(course: Course, groups: tuple[int, ...]) -> Course:
    steps = course.steps
    places = [(place, entry[0]) for place, entry in enumerate(steps) if entry is not None]
    if len(places) < 2 or None in steps[places[0][0] :]:
        return course
    borders = (place for place, index in places[1:] if len(groups) > 1 and index >= groups[0])
    border = next(borders, places[-1][0])
    return Course((*steps[:border], None, *steps[border:]), course.since)


def _raised(course: Course) -> dict[int, int]:
    """The values (ms) to which the steps of a course raise Spark's watermark, which starts at 1970."""
    return {value: index for value, index in raising_steps(stays(course)) if value >= 0}


def _with_watermark(rows: DataFrame) -> DataFrame:
    """The steps, under the watermark of all rows: a condition on the time is not pushed below it."""
    time = functions.timestamp_millis(EVENT_TIME)
    timed = rows.withColumn(EVENT_TIME, time).withWatermark(EVENT_TIME, "0 seconds")
    return timed.filter(functions.col(EVENT_TIME).isNull())
