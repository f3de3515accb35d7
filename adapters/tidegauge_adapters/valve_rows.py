"""Valve scenarios as rows of a data frame, and rows back as outputs."""

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

from tidegauge import Failure, Transcript
from tidegauge.components.valve.vocabulary import ValveSetup, WatermarkStep
from tidegauge.scenario import ValveScenario
from tidegauge.timestamps import from_wire, to_wire
from tidegauge.transcript import Outputs
from tidegauge.vocabulary import Active, AnyOutput, Error, Idle, Restore, Snapshot, Step, Watermark


def step_row(valve: str, setup: ValveSetup, sequence: int, step: Step) -> dict[str, Any]:
    """One step as a row of `VALVE_INPUT_SCHEMA`."""
    return {
        "valve": valve,
        "channels": setup.channels,
        "sequence": sequence,
        "kind": str(step.__struct_config__.tag),
        "channel": step.channel,  # type: ignore[attr-defined]
        "timestamp": from_wire(step.timestamp) if isinstance(step, WatermarkStep) else None,
    }


def scenario_batches(scenario: ValveScenario) -> list[list[dict[str, Any]] | Snapshot | Restore]:
    """A scenario's rows in the batches that its group borders ask for (two at least if it has two steps);
    a snapshot and a restore stand between batches as they are."""
    batches: list[list[dict[str, Any]] | Snapshot | Restore] = []
    borders = set(accumulate(scenario.groups or (len(scenario.history) - 1,)))
    batch: list[dict[str, Any]] = []
    for sequence, step in enumerate(scenario.history):
        apart = isinstance(step, Snapshot | Restore)
        if batch and (apart or sequence in borders):
            batches.append(batch)
            batch = []
        if isinstance(step, Snapshot | Restore):
            batches.append(step)
        else:
            batch.append(step_row(scenario.id, scenario.setup, sequence, step))
    return [*batches, batch] if batch else batches


def step_outputs(rows: Iterable[Mapping[str, Any]], steps: int) -> tuple[Outputs, ...]:
    """The outputs of each step, from rows of `VALVE_OUTPUT_SCHEMA` of one valve in any order.

    Raises `ValueError` for a row of no step, or positions that are not 0, 1, 2, ... within a step.
    """
    found: dict[int, list[AnyOutput]] = {}
    for row in sorted(rows, key=lambda row: (row["sequence"], row["position"])):
        sequence, outputs = row["sequence"], found.setdefault(row["sequence"], [])
        if sequence not in range(steps) or row["position"] != len(outputs):
            raise ValueError(f"the output row {dict(row)} belongs to no step, or its position is wrong")
        outputs.append(_output(row))
    return tuple(tuple(found.get(sequence, ())) for sequence in range(steps))


def valve_transcript(
    scenario: ValveScenario, rows: Iterable[Mapping[str, Any]], failure: Failure | None = None, steps: int = 0
) -> Transcript:
    """The transcript made of a scenario's output rows; with a failure, that of its first `steps`."""
    try:
        found = step_outputs(rows, len(scenario.history))
    except (ValueError, TypeError) as problem:
        return Transcript(scenario.id, (), Failure("protocol", str(problem)))
    return Transcript(scenario.id, found if failure is None else found[:steps], failure)


def _output(row: Mapping[str, Any]) -> AnyOutput:
    if row["kind"] == "watermark":
        return Watermark(to_wire(row["timestamp"]))
    if row["kind"] == "error":
        return Error(row["error"])
    if row["kind"] in ("idle", "active"):
        return Idle() if row["kind"] == "idle" else Active()
    raise ValueError(f"the output row {dict(row)} has an unknown kind")
