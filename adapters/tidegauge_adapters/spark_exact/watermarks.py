"""The outputs of a query at each step of a scenario of splits, of inputs or of a valve.

The watermark is the one that Spark's operators see next: Spark stores it in the checkpoint with the
micro-batch that has raised it. The statuses are those of the source, in their order.
"""

from __future__ import annotations

from tidegauge.wire.steps.splits import SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.timestamps import Timestamp, to_wire
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Active, AnyOutput, Idle, Watermark

from ..spark_schedule.courses import courses
from .feeding import fed_course
from .query import END_OF_TIME, ExactBatch, ExactRows


def watermark_outputs(rows: ExactRows, scenario: SplitsScenario | ValveScenario) -> list[Outputs]:
    """Return the outputs of each step."""
    outputs: list[Outputs] = [()] * len(scenario.history)
    for course in courses(scenario.history):
        fed = fed_course(scenario, course)
        query = rows.query(fed.feeds, fed.restarts)
        try:
            said = [outputs_of(batch) for batch in query.batches]
        finally:
            query.remove()
        for place, entry in enumerate(course.steps):
            if entry is not None and place >= course.since:
                own = [feed for feed, step in enumerate(fed.steps) if step == place and feed < len(said)]
                outputs[entry[0]] = tuple(output for feed in own for output in said[feed])
    return outputs


def outputs_of(batch: ExactBatch) -> list[AnyOutput]:
    """Return the outputs of a micro-batch: the signals of the source, with Spark's watermark in place of its
    own."""
    rises = batch.next_watermark > batch.watermark
    risen: list[AnyOutput] = [Watermark(_moment(batch.next_watermark))] if rises else []
    outputs: list[AnyOutput] = []
    for kind, _ in batch.said:
        if kind == "watermark":
            outputs += risen
            risen = []
        elif kind == "idle":
            outputs.append(Idle())
        elif kind == "active":
            outputs.append(Active())
    return [*outputs, *risen]


def _moment(watermark: int) -> Timestamp:
    """Return the moment up to which all records have arrived, where Spark's watermark means "all before"."""
    return "MAX" if watermark == END_OF_TIME else to_wire(watermark - 1)
