"""The first counterexamples of a campaign, made small by the engine's process."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tidegauge.engine.worker_process import WorkerLost, WorkerProcess
from tidegauge.judging.items.examination import counterexamples_kept
from tidegauge.judging.items.item_report import FoundFailure, SeenDifference
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Transcript

from .chunks import judged_again
from .specification import Specification
from .work import Lost, Shrink, Shrunk

_MOST_LOST = 5
"""So often an engine may end its process while a scenario is made small; then it stays as it was found."""


def made_small(
    differences: Sequence[SeenDifference], specification: Specification, engine: WorkerProcess
) -> list[FoundFailure]:
    """A few of the scenarios of a component that differ, some of each kind of difference, made small."""
    transcripts = {one.scenario.id: one.transcript for one in differences}
    chosen = counterexamples_kept(judged_again(list(differences), specification))
    return [
        _small(scenario, transcripts[scenario.id], sorted(judgement.cited), engine)
        for scenario, judgement in chosen
    ]


def _small(
    scenario: Scenario, transcript: Transcript, cited: list[str], engine: WorkerProcess
) -> FoundFailure:
    lost: Lost = {}
    while len(lost) < _MOST_LOST:
        try:
            answer = engine.ask(Shrink(scenario, lost), Shrunk)
        except WorkerLost as error:
            if error.scenario in ("", scenario.id, *lost):
                break
            lost[error.scenario] = error.failure
            continue
        return replace(answer.failure, found_as=scenario.id)
    return FoundFailure(scenario, transcript, scenario.id, cited)
