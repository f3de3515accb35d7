"""One chunk of a campaign: drawn, run, judged and written, whatever the engine does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from tidegauge.engine.worker_process import WorkerLost, WorkerProcess
from tidegauge.judging.items.examination import DIFFERENCES_KEPT
from tidegauge.judging.items.item_report import ItemReport, SeenDifference
from tidegauge.judging.items.judge import Judgement, judge
from tidegauge.judging.items.kinds import by_kind, some_of_each
from tidegauge.judging.reference.deviating_reference import with_deviations
from tidegauge.judging.reference.oracle import expect
from tidegauge.run.items import scenario_at
from tidegauge.run.journal import Finished, Outcome
from tidegauge.wire.implementation import CHEAP_LAYERS
from tidegauge.wire.scenario import BadInput, Scenario
from tidegauge.wire.transcript import Failure

from .names import BATCH, IN_FULL
from .rows import write
from .specification import Chunk, Specification
from .work import Judge, Judged, Lost, Rows

_MOST_LOST = 10
"""After so many scenarios of a chunk that ended the engine's process, its other scenarios are not run."""

_MOST_STARTS = 3
"""So often the engine's process may end before it runs a scenario."""

_REFERENCE = Lock()
"""The reference collects the decisions of one scenario at a time; campaigns without Spark have threads."""

_DIFFERENCES_LATER = 10
"""As `DIFFERENCES_KEPT`, of chunks beyond the scenarios that are kept in full."""


def judged_chunk(
    chunk: Chunk,
    specification: Specification,
    engine: WorkerProcess,
    folder: Path,
    done: Callable[[int], None] = lambda scenarios: None,
) -> None:
    """Judge a chunk and write its file; `done` is called with the number of scenarios judged. Raises
    `BadInput`."""
    began = time.monotonic()
    report = ItemReport(chunk.id, chunk.component)
    in_full = chunk.start < IN_FULL
    rows: list[Rows] = []
    differences: list[SeenDifference] = []
    lost: Lost = {}
    is_cheap = specification.implementation.layer_of(chunk.component) in CHEAP_LAYERS
    size = BATCH if is_cheap else chunk.stop - chunk.start
    for start in range(chunk.start, chunk.stop, size):
        stop = min(start + size, chunk.stop)
        answer = _judged(Judge(chunk, start, stop, report, in_full, lost), specification, engine)
        report = answer.report
        rows.append(answer.rows)
        differences += answer.differences
        done(stop - start)
    kept = DIFFERENCES_KEPT if in_full else _DIFFERENCES_LATER
    report.differences = earliest_of_each_kind(differences, specification, kept)
    finished = Finished(chunk.id, _outcome(report), round(time.monotonic() - began, 3), report)
    write(folder, chunk, rows, finished, specification.digest)


def _outcome(report: ItemReport) -> Outcome:
    if report.failing:
        return "failed"
    return "error" if report.unanswered else "judged"


def _judged(work: Judge, specification: Specification, engine: WorkerProcess) -> Judged:
    """The answer of the engine's process, asked again without each scenario in which that ended. `work.lost`
    is added to."""
    starts, is_given_up = 0, False
    while True:
        try:
            return engine.ask(work, Judged)
        except WorkerLost as error:
            # A scenario that is lost already was marked, and not run: the engine takes many at once.
            tells_nothing = not error.scenario or error.scenario in work.lost
            starts += tells_nothing
            if starts == _MOST_STARTS and (is_given_up or not work.lost):
                raise BadInput(
                    f"adapter {specification.request.adapter!r}: {error.failure.text} before any scenario"
                ) from None
            if not tells_nothing:
                work.lost[error.scenario] = error.failure
            if not is_given_up and (len(work.lost) >= _MOST_LOST or starts == _MOST_STARTS):
                _give_up(work, specification)
                starts, is_given_up = 0, True


def _give_up(work: Judge, specification: Specification) -> None:
    """Lose all scenarios of the chunk that are left."""
    text = f"not run: the process of the engine had ended too often in {work.chunk.id}"
    chunk, policies = work.chunk, specification.policies
    shapes = specification.implementation.shapes
    for index in range(work.start, chunk.stop):
        scenario = scenario_at(chunk, specification.request, policies, shapes, index - chunk.start)
        work.lost.setdefault(scenario.id, Failure("missing", text))


def earliest_of_each_kind(
    differences: list[SeenDifference], specification: Specification, at_most: int
) -> list[SeenDifference]:
    """So many differences, as an item of a run keeps them."""
    by_id = {one.scenario.id: one for one in differences}
    kept = some_of_each(by_kind(judged_again(differences, specification)).values(), at_most)
    return [by_id[scenario.id] for scenario, _ in kept]


def judged_again(
    differences: list[SeenDifference], specification: Specification
) -> list[tuple[Scenario, Judgement]]:
    """Scenarios that differ with the judgement on what came out."""
    semantics = with_deviations(specification.policies, specification.known.deviation)
    observes = specification.implementation.observes
    with _REFERENCE:
        return [
            (one.scenario, judge(one.scenario, one.transcript, expect(one.scenario, semantics), observes))
            for one in differences
        ]
