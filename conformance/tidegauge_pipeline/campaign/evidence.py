"""What the chunks of a campaign show, as the journal of a run would have it, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from tidegauge.engine.worker_process import WorkerLost, WorkerProcess
from tidegauge.judging.items.item_report import ItemReport, SeenDifference, count_error
from tidegauge.run.journal import Finished
from tidegauge_spec import load_registry

from .counterexamples import made_small
from .rows import finished_in
from .specification import Chunk, Specification
from .work import Preflight, Refusals

_MOST_DIFFERENCES = 3_000
"""Scenarios of a component that differ and are kept for the search of a model, the first ones by index."""


@dataclass
class Found:
    """The chunks that are finished, and what they show of differences, by component."""

    finished: list[Finished] = field(default_factory=list)
    differences: dict[str, list[SeenDifference]] = field(default_factory=lambda: defaultdict(list))


def found_in(folder: Path, chunks: Sequence[Chunk], specification: Specification) -> Found:
    """What is in the files of chunks."""
    found = Found()
    for chunk, finished in finished_in(folder, chunks, specification.digest):
        report = finished.report
        if report is not None:
            kept = found.differences[chunk.component]
            kept += report.differences[: _MOST_DIFFERENCES - len(kept)]
            report = replace(report, differences=[])
        found.finished.append(replace(finished, report=report))
    return found


def with_counterexamples(found: Found, specification: Specification, engine: WorkerProcess) -> list[Finished]:
    """The finished chunks; the first one of each component has the differences, some of them made small."""
    events = []
    waiting = dict(found.differences)
    for finished in found.finished:
        report = finished.report
        if report is not None and (differences := waiting.pop(report.component, [])):
            failures = made_small(differences, specification, engine)
            report = replace(report, differences=differences, failures=failures)
        events.append(replace(finished, report=report))
    return events


def refusal(component: str, engine: WorkerProcess) -> Finished | None:
    """What a component shows of whose kinds of steps the engine answers none; None if it answers one."""
    try:
        answer = engine.ask(Preflight(component, {}), Refusals)
    except WorkerLost:
        return None
    if answer.failed is None:
        return None
    report = ItemReport(f"{component}-preflight", component, refused=True)
    rules = [rule.id for rule in load_registry().of_component(component)]
    for scenario, failure in answer.failed:
        report.scenarios += 1
        report.unanswered += 1
        count_error(report, scenario, failure, rules)
    text = f"no answer in any scenario of the preflight: {answer.failed[0][1].text}"
    return Finished(report.item, "error", 0.0, report, text)
