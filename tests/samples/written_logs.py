"""Event logs written from what engines did in scenarios, as a recorder would write them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from tidegauge.wire.scenario import Scenario
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.transcript import Transcript
from tidegauge.wire.vocabulary import AnyOutput, Error, LogEvent
from tidegauge_pipeline.event_log.alignment import Alignment
from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.schema import rows_of
from tidegauge_pipeline.event_log.verdicts import LogResults, results_of

STATUSES = ("idle", "active")


def judged_log(
    table: pa.Table, alignment: Alignment | None = None, ignored: Collection[str] = ()
) -> LogResults:
    """What a log shows that is in memory."""
    findings = judged_rows(rows_of(table, "the log"), alignment)
    return results_of("the log", 1, findings, files=1, ignored=ignored)


def written(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """A log with all columns; each subtask's rows are numbered from 1, in order."""
    numbers: dict[tuple[Any, ...], int] = {}
    whole = []
    for row in rows:
        key = row.get("job", "job"), row.get("source", ""), row.get("subtask", 0)
        numbers[key] = numbers.get(key, 0) + 1
        whole.append(
            {
                "job": key[0],
                "source": key[1],
                "subtask": key[2],
                "sequence": numbers[key],
                "event_time": None,
                "processing_time": numbers[key],
            }
            | {"split": "", "channel": None, "count": 1}
            | row
        )
    return pa.Table.from_pylist(whole, pa.schema([*_TYPES.items()]))


_TYPES = {
    "job": pa.string(),
    "source": pa.string(),
    "subtask": pa.int32(),
    "sequence": pa.int64(),
    "kind": pa.string(),
    "event_time": pa.int64(),
    "processing_time": pa.int64(),
    "split": pa.string(),
    "channel": pa.int32(),
    "count": pa.int64(),
}


def rows_of_job(name: str, outputs: Iterable[AnyOutput]) -> Iterator[dict[str, Any]]:
    """What a whole job wrote of itself."""
    for event in outputs:
        if isinstance(event, LogEvent):
            yield {
                "job": name,
                "source": event.source,
                "subtask": event.subtask,
                "kind": event.kind,
                "event_time": from_wire(event.event_time),
                "processing_time": event.processing_time,
                "count": event.count,
                "split": event.split,
            }


def rows_of_steps(
    job: str, number: int, scenario: Scenario, transcript: Transcript
) -> Iterator[dict[str, Any]]:
    """What a valve or the splits of a source took in and output in a scenario: one subtask of a job."""
    common = {"job": job, "source": "operator", "subtask": number}
    for step, outputs in zip(scenario.history, transcript.outputs, strict=False):
        if any(isinstance(output, Error) for output in outputs):
            continue
        yield from (common | row for row in _of_step(step))
        yield from (common | row for row in _of_outputs(outputs))


def _of_step(step: Any) -> Iterator[dict[str, Any]]:
    kind = type(step).__struct_config__.tag
    if kind == "restore":
        yield {"kind": "restarted"}
    where = {name: getattr(step, name) for name in ("channel", "split") if hasattr(step, name)}
    if where and kind in (*STATUSES, "watermark"):
        at = from_wire(step.timestamp) if kind == "watermark" else None
        yield {"kind": kind, "event_time": at} | where
    elif where:
        yield {"kind": {"add-split": "assigned", "remove-split": "finished"}[str(kind)]} | where


def _of_outputs(outputs: Sequence[AnyOutput]) -> Iterator[dict[str, Any]]:
    for output in outputs:
        kind = type(output).__struct_config__.tag
        if kind in STATUSES:
            yield {"kind": kind}
        elif kind in ("watermark", "report", "record"):
            yield {"kind": kind, "event_time": from_wire(output.timestamp)}  # type: ignore[union-attr]
