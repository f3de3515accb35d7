"""Scenarios of a campaign through an engine: a row for each, and all of them counted as those of a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from tidegauge.judging.items.examination import DIFFERENCES_KEPT, Examiner
from tidegauge.judging.items.item_report import ItemReport, SeenDifference, keep_difference
from tidegauge.judging.items.judge import Judgement
from tidegauge.judging.items.kinds import by_kind, some_of_each
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Transcript, spans

from .engine import TimedEngine
from .work import Rows


def judged(
    examiner: Examiner,
    engine: TimedEngine,
    scenarios: Sequence[tuple[int, Scenario]],
    first: int,
    report: ItemReport,
    in_full: bool,
) -> tuple[Rows, list[SeenDifference]]:
    """Judge scenarios with their indices, counting into `report`, whose own scenarios begin with the index
    `first`. What the engine cannot express, or needs what it does not claim, has no row."""
    applicable = {one.id for one in examiner.applicable([one for _, one in scenarios], report.left_out)}
    asked = [(index, one) for index, one in scenarios if one.id in applicable]
    answers = examiner.judged([one for _, one in asked])
    rows, failing = Rows(), []
    transcripts: dict[str, Transcript | None] = {}
    for (index, scenario), (judgement, transcript) in zip(asked, answers, strict=True):
        fails = examiner.fails(report, scenario, judgement, transcript)
        verdict = "error" if judgement.unanswered is not None else "differ" if fails else "agree"
        agrees = verdict == "agree"
        rows.scenario.append(scenario.id)
        rows.index.append(index)
        rows.verdict.append(verdict)
        rows.rule.append(None if agrees else rule_deciding(scenario, judgement, examiner))
        rows.steps.append(len(scenario.history))
        rows.at.append(None if agrees else judgement.last_step)
        rows.duration.append(engine.nanoseconds.get(scenario.id, 0))
        if fails:
            failing.append((scenario, judgement))
            transcripts[scenario.id] = transcript
    if in_full:
        agreeing = {
            one.id for (_, one), (judgement, _) in zip(asked, answers, strict=True) if judgement.agrees
        }
        _note_places(report, scenarios, first, applicable, agreeing, examiner)
    kept = ItemReport(report.item, report.component)
    for scenario, judgement in some_of_each(by_kind(failing).values(), 2 * DIFFERENCES_KEPT):
        keep_difference(kept, scenario, judgement, transcripts[scenario.id])
    return rows, kept.differences


def rule_deciding(scenario: Scenario, judgement: Judgement, examiner: Examiner) -> str | None:
    """A rule that decides in the first observed span that differs or was not answered, or where none does,
    before it: that of the last condition that held, or else of the last decision. None if nothing is decided
    up to there."""
    lengths = spans(scenario, examiner.implementation.observes)
    end, first = 0, 0
    for length in lengths:
        first, end = end, end + length
        if end > judgement.last_step:
            break
    cited = examiner.expected(scenario).cited
    decisions = [*chain.from_iterable(cited[first:end])] or [*chain.from_iterable(cited[:end])]
    if not decisions:
        return None
    held = [decision for decision in decisions if not decision.endswith("!")]
    return (held or decisions)[-1].removesuffix("!")


def _note_places(
    report: ItemReport,
    scenarios: Sequence[tuple[int, Scenario]],
    first: int,
    ran: Collection[str],
    agreeing: Collection[str],
    examiner: Examiner,
) -> None:
    """Which scenarios ran, and in which of these the engine does not agree, for the evidence of passes."""
    for index, scenario in scenarios:
        place = index - first
        if scenario.id not in ran:
            (report.hidden if examiner.is_hidden(scenario) else report.beyond).add(place)
            continue
        report.ran.add(place)
        if scenario.id not in agreeing:
            report.apart.add(place)
