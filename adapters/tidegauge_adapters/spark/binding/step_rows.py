"""Scenarios of a component as rows of a data frame, and rows back as transcripts."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tidegauge import Failure, Transcript
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.window import WatermarkStep
from tidegauge.wire.timestamps import MAX, Timestamp, from_wire
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Restore, Setup, Snapshot, Step, Watermark

from .processor_binding import ProcessorBinding
from .row_reader import RowReader

Row = dict[str, Any]

ASTRAY = "_astray"
"""The additional column of output rows that came in another micro-batch than the step that they name."""


@dataclass(frozen=True)
class Rise:
    """The step `sequence` as Spark's watermark: all up to `timestamp` has arrived."""

    sequence: int
    timestamp: Timestamp

    @property
    def watermark(self) -> int:
        """In ms, as Spark has it: all before it has arrived."""
        return min(from_wire(self.timestamp) + 1, MAX)


Batch = list[Row] | Rise | Snapshot | Restore
"""A micro-batch of rows, or what stands between two of them."""


def step_row(binding: ProcessorBinding, key: str, setup: Setup, sequence: int, step: Step) -> Row:
    """One step as a row of the binding's input schema. Raises `ValueError` for a column that is not in it."""
    row: Row = dict.fromkeys(binding.input_schema.names)
    row.update(binding.row(setup, step))
    if len(row) != len(binding.input_schema.names):
        strange = ", ".join(sorted(row.keys() - set(binding.input_schema.names)))
        raise ValueError(
            f"binding of {binding.component}: step {step.__struct_config__.tag!r} has the column {strange}, "
            "which is not in the input schema; add it there, or give the binding a `row` that leaves it out"
        )
    row[binding.key], row["sequence"] = key, sequence
    return row


def scenario_batches(binding: ProcessorBinding, scenario: Scenario) -> list[Batch]:
    """A scenario's rows in the batches that its group borders ask for (two at least if it has two steps);
    a snapshot and a restore stand between batches as they are, and so does a watermark that is Spark's."""
    batches: list[Batch] = []
    borders = set(accumulate(scenario.groups or (len(scenario.history) - 1,)))
    batch: list[Row] = []
    for sequence, step in enumerate(scenario.history):
        apart = between_batches(binding, sequence, step)
        if batch and (apart is not None or sequence in borders):
            batches.append(batch)
            batch = []
        if apart is not None:
            batches.append(apart)
        else:
            batch.append(step_row(binding, scenario.id, scenario.setup, sequence, step))
    return [*batches, batch] if batch else batches


def between_batches(binding: ProcessorBinding, sequence: int, step: Step) -> Rise | Snapshot | Restore | None:
    """What a step is that is no row."""
    if isinstance(step, Snapshot | Restore):
        return step
    if binding.timed and isinstance(step, WatermarkStep):
        return Rise(sequence, step.timestamp)
    return None


def rows_of_timers(rows: Iterable[Row], rise: Rise) -> list[Row]:
    """Rows that came as Spark's watermark rose; those of no step are put to the one that raised it."""
    found: list[Row] = []
    position = 0
    for row in rows_of_steps(rows, ()):
        if row["sequence"] is None:
            row = {**row, "sequence": rise.sequence, "position": position}
            position += 1
        found.append(row)
    return found


def rows_of_steps(rows: Iterable[Row], sequences: Container[int]) -> list[Row]:
    """Rows that came as the steps of `sequences` were handled; those of other steps are marked `ASTRAY`."""
    return [
        row if row["sequence"] is None or row["sequence"] in sequences else {**row, ASTRAY: True}
        for row in rows
    ]


def step_outputs(
    reader: RowReader,
    rows: Iterable[Mapping[str, Any]],
    steps: Sequence[Step],
    rises: Iterable[Rise] = (),
) -> tuple[Outputs, ...]:
    """The outputs of each step, from output rows of one key in any order, as `reader` reads them; `rises` are
    those of Spark's watermark, which Spark reports after all that they release.

    Raises `ValueError` for a row of no step, or positions that are not 0, 1, 2, ... within a step.
    """
    rows = list(rows)
    for row in rows:
        if row["sequence"] is None:
            raise ValueError(
                f"the output row {dict(row)} has no sequence, as only rows of timers that expire when the "
                "watermark rises; put the step's sequence into it, and set timers after the watermark"
            )
        if ASTRAY in row:
            answer = {name: value for name, value in row.items() if name != ASTRAY}
            raise ValueError(
                f"the output row {answer} came in another micro-batch than the step of its sequence; send it "
                "where that step is handled, and leave sequence null in rows of timers"
            )
    of_steps: list[list[Mapping[str, Any]]] = [[] for _ in steps]
    for row in sorted(rows, key=lambda row: (row["sequence"], row["position"])):
        sequence = row["sequence"]
        if sequence not in range(len(steps)) or row["position"] != len(of_steps[sequence]):
            raise ValueError(f"the output row {dict(row)} belongs to no step, or its position is wrong")
        of_steps[sequence].append(row)
    found = [[*reader.outputs(step, own)] for step, own in zip(steps, of_steps, strict=True)]
    for rise in rises:
        found[rise.sequence].append(Watermark(rise.timestamp))
    return tuple(map(tuple, found))


def transcript(
    binding: ProcessorBinding,
    scenario: Scenario,
    rows: Iterable[Mapping[str, Any]],
    failure: Failure | None = None,
    steps: int = 0,
    rises: Iterable[Rise] = (),
) -> Transcript:
    """The transcript made of a scenario's output rows; with a failure, that of its first `steps`."""
    try:
        found = step_outputs(binding.reader(scenario.setup), rows, scenario.history, rises)
    except (ValueError, TypeError, KeyError) as problem:
        return Transcript(scenario.id, (), Failure("protocol", f"{type(problem).__name__}: {problem}"[:2000]))
    return Transcript(scenario.id, found if failure is None else found[:steps], failure)
