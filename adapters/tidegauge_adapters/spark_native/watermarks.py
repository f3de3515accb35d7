"""The watermark of a Spark query: over several inputs, under the policy `min`, and over the splits of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

from tidegauge.wire.steps.splits import SplitsScenario, SplitWatermarkStep
from tidegauge.wire.steps.valve import ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.timestamps import to_wire
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Step, Watermark

from ..spark_schedule.courses import Course, courses
from ..spark_schedule.schedule import raised_to
from .query import NativeQuery

_SCHEMA = "input STRING, milliseconds BIGINT"


def watermark_outputs(
    session: SparkSession, folder: Path, scenario: ValveScenario | SplitsScenario
) -> list[Outputs]:
    """What each step gives: the query's watermark when it has risen. A step that brings no row, since Spark
    has no word for it, gives nothing."""
    outputs: list[Outputs] = [()] * len(scenario.history)
    for number, course in enumerate(courses(scenario.history)):
        query = NativeQuery(session, folder / str(number), _SCHEMA, _plan(scenario))
        try:
            found = _watermarks(query, course)
        finally:
            query.end()
        for index, timestamp in found.items():
            outputs[index] = (Watermark(to_wire(timestamp)),)
    return outputs


def row_of(step: Step) -> dict[str, Any] | None:
    """The row by which a watermark shows: "all before its time has arrived", a ms after "all up to it"."""
    if isinstance(step, WatermarkStep) and isinstance(step.timestamp, int):
        return {"input": str(step.channel), "milliseconds": raised_to(step.timestamp)}
    if isinstance(step, SplitWatermarkStep) and isinstance(step.timestamp, int):
        return {"input": step.split, "milliseconds": raised_to(step.timestamp)}
    return None


def _plan(scenario: ValveScenario | SplitsScenario) -> Any:
    def plan(rows: DataFrame) -> DataFrame:
        timed = rows.withColumn("time", functions.expr("timestamp_millis(milliseconds)"))
        if not isinstance(scenario.setup, ValveSetup):
            return timed.withWatermark("time", "0 seconds")
        inputs = [
            timed.filter(functions.col("input") == str(channel)).withWatermark("time", "0 seconds")
            for channel in range(scenario.setup.channels)
        ]
        whole = inputs[0]
        for one in inputs[1:]:
            whole = whole.union(one)
        return whole

    return plan


def _watermarks(query: NativeQuery, course: Course) -> dict[int, int]:
    """By the indices of the course's new steps, the watermarks that they raised. A micro-batch says which
    watermark it runs with, so that each shows what the one before it has done; the last file is there for
    that only."""
    indices: list[int | None] = []
    for place, entry in enumerate(course.steps):
        if entry is None:
            query.read_all()
        elif (row := row_of(entry[1])) is not None:
            query.write([row])
            indices.append(entry[0] if place >= course.since else None)
    query.write([{"input": None, "milliseconds": None}])
    query.read_all()
    ran_with = {batch.files: batch.watermark for batch in query.batches}
    return {
        index: ran_with[number + 1] - 1
        for number, index in enumerate(indices, start=1)
        if index is not None and ran_with[number + 1] > ran_with[number]
    }
